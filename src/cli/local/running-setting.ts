import { ClientError, connect } from '../commands/index.ts'
import { PhoneError } from '../../sdk/client-node.ts'
import type { ShownSetting } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'
import type { InstalledSettings } from './run-doctor.ts'

/**
 * The setting that the running service of this home uses; null: no service responds; an error: it refuses to say, for example because
 * SHELLPHONE_TOKEN is wrong. `config`: the settings of the next start.
 */
export async function runningSetting(
  { locationOf }: InstalledSettings,
  config: Config,
  name: string,
): Promise<ShownSetting | ClientError | null> {
  const place = locationOf(config, true)
  if (place === null) return null
  try {
    const { settings } = await connect(place).request<{ settings: ShownSetting[] }>('GET', '/settings')
    return settings.find((one) => one.name === name) ?? null
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return error.cause instanceof PhoneError ? error : null
  }
}
