import os from 'node:os'
import { join } from 'node:path'
import type { Executor } from './exec/index.ts'
import { createLoadMeter, createPhoneStatus } from './host/index.ts'
import type { Device } from './routes/index.ts'
import { type Config, shownSettings } from './settings.ts'
import { openTools } from './tools.ts'

const GETPROP_MS = 2_000
/** Android's shared storage. */
const SHARED_STORAGE = '/storage/emulated/0'

/** Creates the device of the routes. It reads nothing before the first request, except the load. `urls`: where the service can be reached. */
export function openDevice(config: Config, executor: Executor, urls: () => Promise<string[]>): Device {
  const tools = openTools(process.env)
  const meter = createLoadMeter(() => loadOf(executor.stats()))
  executor.watch((run) => {
    meter.note()
    void Promise.allSettled([run.finished]).then(meter.changed)
  })
  executor.approvals.subscribe(meter.changed)
  const isAndroid = process.platform === 'android'
  let name: Promise<string> | null = null
  const model = async () => (await tools.run(['getprop', 'ro.product.model'], GETPROP_MS)).stdout.trim()
  return {
    name: () => (name ??= isAndroid ? model().then((found) => found || os.hostname()) : Promise.resolve(os.hostname())),
    phone: createPhoneStatus({
      ...tools,
      urls,
      folders: [config.home, ...(isAndroid ? [SHARED_STORAGE] : [])],
    }),
    load: meter.read,
    settings: () => ({ config_file: join(config.home, 'config.yaml'), settings: shownSettings(config) }),
  }
}

/** Returns the load. A background run or a terminal may last for days, so it does not make the service busy. */
function loadOf({ pool, background, terminals }: ReturnType<Executor['stats']>) {
  return {
    running: pool.running + background.running + terminals.running,
    queued: pool.queued + background.queued,
    isBusy: pool.running + pool.queued > 0,
  }
}
