import { connectRuns, RECONNECT_MS, addressOf } from './connect-runs.ts'
import type { ConnectOptions, Phone } from './phone-client.ts'
import { filesBy } from './phone-files.ts'

/** A client of the service at `url`. Sends nothing yet. */
export const connect = (options: ConnectOptions): Phone => ({
  ...connectRuns(options),
  files: filesBy(addressOf(options), options.reconnectMs ?? RECONNECT_MS),
})
