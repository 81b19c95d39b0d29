import { OWNER, ShellphoneError, type Who } from '../schema/index.ts'
import type { Executor } from './executor-verbs.ts'
import { checkHand } from './terminal.ts'

/**
 * The executor as one token sees it: where that reads its own runs alone, no other is there (NOT_FOUND), and of the questions none but
 * those of its runs; saved answers are people's to see. What runs is fed by who began it, and by people.
 */
export function seenBy(executor: Executor, who: Who): Executor {
  const { name, read } = who
  if (name === OWNER.name) return executor
  const inHand = async (id: string) => {
    const run = await executor.running(id)
    checkHand(run, who)
    return run
  }
  if (read === 'all') return { ...executor, running: inHand }
  const own = async (id: string) => {
    if ((await executor.recordOf(id)).token === name) return id
    throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
  }
  return {
    ...executor,
    running: async (id) => inHand(await own(id)),
    find: async (id) => executor.find(await own(id)),
    recordOf: async (id) => executor.recordOf(await own(id)),
    watch: (listener) => executor.watch((run) => void (run.who.name === name && listener(run))),
    list: (query) => executor.list({ ...query, token: name }),
    output: async (id) => executor.output(await own(id)),
    scratchpad: (pad) => executor.scratchpad(pad, name),
    cancel: async (id, why) => executor.cancel(await own(id), why),
  }
}
