import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { urlOf } from '../../server/host/index.ts'
import { openPlane, readPlaneFile } from '../../fleet/plane/index.ts'
import { docsRoute, pageRoutes } from '../../server/routes/index.ts'
import {
  createLog,
  listenQuietly,
  notListening,
  STDOUT,
  stopOnSignal,
  watchRejections,
} from '../../server/serving-process.ts'
import type { Config } from '../../server/settings.ts'
import { inPackage, version } from '../../shared/package/index.ts'

/** The directory of plane.json. */
export const planeDirectory = ({ settings, home }: Config): string => settings.plane_directory ?? join(home, 'plane')

/** Serves a control plane until a signal stops it. Throws SettingError if its file is invalid or its address is not available. */
export async function servePlane(config: Config): Promise<void> {
  const { settings } = config
  const { plane_host: host, plane_port: port, plane_max_pairs: maxPairs, plane_webhook: webhook } = settings
  const plane = readPlaneFile(planeDirectory(config))
  const log = createLog(settings.log_level, STDOUT)
  watchRejections(log)
  const page = settings.page ? inPackage('dist/page/') : null
  const app = await openPlane({
    plane,
    version,
    maxPairs,
    webhook,
    allowedHosts: settings.allowed_hosts,
    maxFailedLoginsPerMinute: settings.max_failed_logins_per_minute,
    logger: log,
    page: async (app) => {
      await pageRoutes(app, { page })
      if (page !== null) await docsRoute(app, { docs: inPackage('src/server/routes/docs.html'), certificatePin: null })
    },
  })
  const signals = stopOnSignal(() => app.close(), log, settings.stop_grace_seconds * 1000)
  await listenQuietly(app, { host, port }).catch(async (error) => {
    signals.uninstall()
    await app.close()
    throw notListening(error, { host, port }, 'plane_')
  })
  const { address, port: listening } = app.server.address() as AddressInfo
  log.info({ address: urlOf(address, listening), version, servers: plane.servers }, 'listening')
  log.flush()
}
