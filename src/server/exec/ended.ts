import { type ExecRecord, isRunOf, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import { noSuchRun, type Store } from '../store/index.ts'
import { toReply } from './record.ts'
import type { FinishedRun, Watched } from './run.ts'

/** Throws CONFLICT if the run has ended, NOT_FOUND if it does not exist. */
export async function refuseEnded(id: string, store: Store): Promise<never> {
  const { status } = await endedRecord(id, store)
  throw new ShellphoneError('CONFLICT', `Run ${id} has ended (${status})`)
}

/** Returns a run that has already ended: its status, output and record. Throws NOT_FOUND, EXPIRED. */
export async function endedRun(id: string, store: Store): Promise<Watched> {
  const { status } = await endedRecord(id, store)
  return {
    id,
    encoding: 'utf8',
    statuses: [status],
    status,
    waitsFor: null,
    changed: () => Promise.resolve(),
    output: await store.output(id),
    stdin: null,
    attend: () => {},
    // read on demand, so that a watcher who stops early does not hold it in memory
    get ended() {
      return finishedRun(id, store)
    },
    get finished() {
      return endedRecord(id, store)
    },
  }
}

const reading = new Map<string, Promise<FinishedRun>>()

/** Returns the record of an ended run with the texts of its reply. Concurrent callers share one read. Throws NOT_FOUND. */
function finishedRun(id: string, store: Store): Promise<FinishedRun> {
  const known = reading.get(id) ?? readEnded(id, store).finally(() => reading.delete(id))
  reading.set(id, known)
  return known
}

/** Returns the record of an ended run. Throws NOT_FOUND. */
export async function endedRecord(id: string, store: Store): Promise<ExecRecord> {
  return (await finishedRun(id, store)).record
}

async function readEnded(id: string, { history }: Store): Promise<FinishedRun> {
  const ended = await history.get(id)
  if (ended) return { record: toReply(ended), shown: ended.shown }
  throw noSuchRun(id)
}

const PAGE = 1000

/**
 * Finds the run of a Meka scratchpad: a name for the whole output of a run, which the spool stores. Names survive a restart, because
 * records contain them. Each token has its own names. A token that can read all runs finds another token's run only if it has no run with
 * that name itself.
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
  throw new ShellphoneError('NOT_FOUND', `No such scratchpad: ${name.slice(0, 100)}`)
}
