import { isRunOf, OWNER, type RunSummary, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import type { Executor } from './executor-verbs.ts'
import { checkHand } from './terminal.ts'

/**
 * The executor as one token sees it: where that reads its own runs alone, no other is there (NOT_FOUND), and of the questions none but
 * those of its runs; saved answers are people's to see. What runs is fed by who began it, and by people.
 */
export function seenBy(executor: Executor, who: Who): Executor {
  if (who.id === OWNER.id) return executor
  const isIts = (record: RunSummary) => isRunOf(record, who)
  const scratchpad = (pad: string) => executor.scratchpad(pad, who)
  const inHand = async (id: string) => {
    const run = await executor.running(id)
    checkHand(run, who)
    return run
  }
  if (who.read === 'all') return { ...executor, running: inHand, scratchpad }
  const own = async (id: string) => {
    if (isIts(await executor.recordOf(id))) return id
    throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
  }
  return {
    ...executor,
    running: async (id) => inHand(await own(id)),
    find: async (id) => executor.find(await own(id)),
    recordOf: async (id) => executor.recordOf(await own(id)),
    watch: (listener) => executor.watch((run) => void (run.who.id === who.id && listener(run))),
    list: (query) => executor.list({ ...query, fits: isIts }),
    output: async (id) => executor.output(await own(id)),
    scratchpad,
    cancel: async (id, why) => executor.cancel(await own(id), why),
  }
}
