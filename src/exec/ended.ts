import { type ExecRecord, ShellphoneError } from '../schema/index.ts'
import type { Store } from '../store/index.ts'
import { toReply } from './record.ts'
import type { Watched } from './run.ts'

/** Throws CONFLICT: it has ended; or NOT_FOUND. */
export async function refuseEnded(id: string, store: Store): Promise<never> {
  const { status } = await endedRecord(id, store)
  throw new ShellphoneError('CONFLICT', `Run ${id} has ended (${status})`)
}

/** A run that ended before anybody asked: its one status, its output, its record. Throws NOT_FOUND, EXPIRED. */
export async function endedRun(id: string, store: Store): Promise<Watched> {
  const { status } = await endedRecord(id, store)
  return {
    id,
    encoding: 'utf8',
    taken: [status],
    status,
    waitsFor: null,
    changed: () => Promise.resolve(),
    output: await store.output(id),
    stdin: null,
    attend: () => {},
    // read when it is asked for: a watcher who does not get so far does not hold it
    get finished() {
      return endedRecord(id, store)
    },
  }
}

const reading = new Map<string, Promise<ExecRecord>>()

/** The record of a run that has ended, with the texts that were answered: one for all who ask at once. Throws NOT_FOUND. */
export function endedRecord(id: string, store: Store): Promise<ExecRecord> {
  const known = reading.get(id) ?? readEnded(id, store).finally(() => reading.delete(id))
  reading.set(id, known)
  return known
}

async function readEnded(id: string, { history }: Store): Promise<ExecRecord> {
  const ended = await history.get(id)
  if (ended) return toReply(ended)
  throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
}

const PAGE = 1000

/** Meka's scratchpad: a name for the whole output of a run, which lies in the spool; names outlive a restart, because records hold them. */
export async function findScratchpad(
  { name, token }: { name: string; token?: string | undefined },
  { history }: Store,
): Promise<string> {
  for (let before: string | undefined; ;) {
    const page = await history.list({ limit: PAGE, token, before })
    const found = page.find((record) => record.scratchpad === name)
    if (found) return found.id
    if (page.length < PAGE) throw new ShellphoneError('NOT_FOUND', `No scratchpad has the name ${name.slice(0, 100)}`)
    before = page.at(-1)!.id
  }
}
