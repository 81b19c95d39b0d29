import { ShellphoneError, type Who } from '../schema/index.ts'
import type { Executor } from './executor.ts'

/**
 * The executor as one token sees it: where that reads its own runs alone, no other is there (NOT_FOUND), and of the questions none but
 * those of its runs; saved answers are people's to see.
 */
export function seenBy(executor: Executor, { name, read }: Who): Executor {
  if (read === 'all') return executor
  const isOwn = async (id: string) => (await executor.recordOf(id)).token === name
  const own = async (id: string) => {
    if (await isOwn(id)) return id
    throw new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}`)
  }
  return {
    ...executor,
    running: async (id) => executor.running(await own(id)),
    find: async (id) => executor.find(await own(id)),
    recordOf: async (id) => executor.recordOf(await own(id)),
    watch: (listener) => executor.watch((run) => void (run.who.name === name && listener(run))),
    list: (query) => executor.list({ ...query, token: name }),
    output: async (id) => executor.output(await own(id)),
    scratchpad: async (pad) => own(await executor.scratchpad(pad)),
    cancel: async (id, why) => executor.cancel(await own(id), why),
  }
}
