import { isRunOf, OWNER, type Who } from '../../shared/schema/index.ts'
import { noSuchRun, type RunEvents, type StoredRunEvent } from '../store/index.ts'
import type { Executor } from './executor-verbs.ts'
import { checkControl } from './terminal.ts'

/**
 * Returns the executor as one token sees it. A token that may read only its own runs gets NOT_FOUND for all other runs, and sees only the
 * approval requests of its own runs. Only people see saved approvals. Only people and the creator of a run can feed it.
 */
export function seenBy(executor: Executor, who: Who): Executor {
  if (who.id === OWNER.id) return executor
  const isIts = (record: Parameters<typeof isRunOf>[0]) => isRunOf(record, who)
  const scratchpad = (pad: string) => executor.scratchpad(pad, who)
  const inHand = async (id: string) => {
    const run = await executor.running(id)
    checkControl(run, who)
    return run
  }
  if (who.read === 'all') return { ...executor, running: inHand, scratchpad }
  const own = async (id: string) => {
    if (isIts(await executor.recordOf(id))) return id
    throw noSuchRun(id)
  }
  return {
    ...executor,
    running: async (id) => inHand(await own(id)),
    find: async (id) => executor.find(await own(id)),
    recordOf: async (id) => executor.recordOf(await own(id)),
    watch: (listener) => executor.watch((run) => void (run.who.id === who.id && listener(run))),
    events: ownEvents(executor.events, isIts),
    list: (query) => executor.list({ ...query, matches: isIts }),
    output: async (id) => executor.output(await own(id)),
    scratchpad,
    cancel: async (id, why) => executor.cancel(await own(id), why),
  }
}

/** The events of the runs that belong to a token. */
const ownEvents = (events: RunEvents, isIts: (event: StoredRunEvent) => boolean): RunEvents => ({
  newest: () => events.newest(),
  subscribe: (listener) => events.subscribe((event) => void (isIts(event) && listener(event))),
  after: (position) => filtered(events.after(position), isIts),
})

async function* filtered(events: AsyncIterable<StoredRunEvent>, isIts: (event: StoredRunEvent) => boolean) {
  for await (const event of events) if (isIts(event)) yield event
}
