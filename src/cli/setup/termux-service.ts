import { join } from 'node:path'
import { waitForService, within } from './wait-for-service.ts'
import { serviceFolder } from '../../shared/package/index.ts'
import { logFolder } from './termux-files.ts'
import { type Change, SetupError, type TermuxWorld } from './setup-world.ts'

export const SVDIR = 'var/service'
const TOOL_MS = 20_000
/** runsvdir scans its directory every 5 s. */
const SUPERVISED_MS = 15_000

/** The environment of sv, which fails without these variables. Only login shells have them. */
export const tools = (prefix: string) => ({ SVDIR: join(prefix, SVDIR), LOGDIR: join(prefix, 'var/log') })

/** The changes that make the service run with its current files; `restarts`: also restart a running service. */
export async function startOf(world: TermuxWorld, restarts: boolean): Promise<Change[]> {
  const folder = serviceFolder(world.prefix)
  const sv = (...words: string[]) => world.run(['sv', ...words, folder], TOOL_MS, tools(world.prefix))
  const state = (await sv('status')).stdout
  const log = join(logFolder(world.prefix), 'current')
  const started = (make: () => Promise<unknown>) => async () => {
    await make()
    await waitForService(world, log)
  }
  if (state.startsWith('run:')) {
    return restarts
      ? [{ what: 'restart the service (sv restart)', make: started(() => sv('-w', '15', 'restart')) }]
      : []
  }
  if (state.startsWith('down:')) return [{ what: 'start the service (sv up)', make: started(() => sv('up')) }]
  const startAll = async () => {
    // setsid: the daemon's children survive when the daemon ends
    await world.run(['setsid', '-w', 'service-daemon', 'start'], TOOL_MS, tools(world.prefix))
    const isSupervised = async () => /^(?:run|down):/.test((await sv('status')).stdout)
    const message = `runsvdir did not start ${folder}. Close Termux (Exit in its notification), open it and run setup again`
    if (!(await within(SUPERVISED_MS, isSupervised))) throw new SetupError(message)
    await sv('up')
  }
  return [{ what: 'start Termux’s services (service-daemon start) and this one', make: started(startAll) }]
}
