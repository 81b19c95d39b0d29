import { type ExecRecord, isRunOf, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import type { Store } from '../store/index.ts'
import { toReply } from './record.ts'
import type { FinishedRun, Watched } from './run.ts'

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
    get ended() {
      return finishedRun(id, store)
    },
    get finished() {
      return endedRecord(id, store)
    },
  }
}

const reading = new Map<string, Promise<FinishedRun>>()

/** What a run came to, with the texts that were answered: one for all who ask at once. Throws NOT_FOUND. */
function finishedRun(id: string, store: Store): Promise<FinishedRun> {
  const known = reading.get(id) ?? readEnded(id, store).finally(() => reading.delete(id))
  reading.set(id, known)
  return known
}

/** Its record alone. */
export async function endedRecord(id: string, store: Store): Promise<ExecRecord> {
  return (await finishedRun(id, store)).record
}

async function readEnded(id: string, { history }: Store): Promise<FinishedRun> {
  const ended = await history.get(id)
  if (ended) return { record: toReply(ended), shown: ended.shown }
  throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
}

const PAGE = 1000

/**
 * Meka's scratchpad: a name for the whole output of a run, which lies in the spool; names outlive a restart, because records hold them. Each
 * token has names of its own; who reads all finds another's where it has none of that name itself.
 */
export async function findScratchpad(name: string, who: Who, { history }: Store): Promise<string> {
  let others: string | undefined
  for (let before: string | undefined; ;) {
    const page = await history.list({ limit: PAGE, before })
    const named = page.filter((record) => record.scratchpad === name)
    const own = named.find((record) => isRunOf(record, who))
    if (own) return own.id
    if (who.read === 'all') others ??= named[0]?.id
    if (page.length < PAGE) break
    before = page.at(-1)!.id
  }
  if (others !== undefined) return others
  throw new ShellphoneError('NOT_FOUND', `No scratchpad has the name ${name.slice(0, 100)}`)
}
