import { bootScripts } from '../setup/index.ts'
import { type Client, connect, type ServiceLocation } from '../commands/index.ts'
import { createDoctor, describeReport, exitCodeOf } from '../../server/doctor/index.ts'
import { openDoctorWorld } from '../../server/doctor-world.ts'
import { type DoctorReport, SettingError, type ShownSetting } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'

/** Access to the settings and the address of the installed service. */
export interface InstalledSettings {
  env: NodeJS.ProcessEnv
  /** rejects with SettingError */
  read(): Promise<Config>
  /** resolves with the default settings, and with those that these flags set; rejects with SettingError */
  defaults(flags?: Map<string, string>): Promise<Config>
  /** null: unknown, because the settings are invalid and no running service has written its address to the home */
  locationOf(config: Config, areValid: boolean): ServiceLocation | null
}

/** `shellphone doctor [--json]`: runs all checks, prints the report and resolves with the exit code. */
export async function runDoctor(settled: InstalledSettings, json: boolean): Promise<number> {
  const report = await examine(settled)
  console.log(json ? JSON.stringify(report, null, 2) : describeReport(report))
  return exitCodeOf(report)
}

/** Runs all checks with the settings of the running service; without one, with those for its next start, or the defaults if they are invalid. */
export async function examine({ env, read, defaults, locationOf }: InstalledSettings): Promise<DoctorReport> {
  const { config, settingsError } = await read().then(
    (config) => ({ config, settingsError: null }),
    async (error) => {
      if (!(error instanceof SettingError)) throw error
      return { config: await defaults(), settingsError: error.message }
    },
  )
  let client: Client | undefined
  const ask = async (path: string) => {
    const place = locationOf(config, settingsError === null)
    if (place === null) throw new Error('the address of the service is unknown')
    client ??= connect(place)
    return client.request('GET', path)
  }
  const shown = await ask('/settings').catch(() => null) // no service responds, or it refuses; a check reports this
  const areSettingsKnown = settingsError === null || shown !== null
  const inForce = client && shown ? withSettings(config, shown as { settings?: ShownSetting[] }, client.url) : config
  return createDoctor(() => openDoctorWorld(inForce, env, bootScripts, ask, { settingsError, areSettingsKnown }))()
}

/** Replaces settings by those of the running service, whose flags and environment this process does not know. Its port may have been chosen by the system. */
function withSettings(config: Config, { settings = [] }: { settings?: ShownSetting[] }, url: string): Config {
  const values = new Map<string, unknown>(settings.map(({ name, value }) => [name, value]))
  if (values.has('port')) values.set('port', Number(new URL(url).port))
  const replaced = <Part extends object>(part: Part): Part => ({
    ...part,
    ...Object.fromEntries([...values].filter(([name]) => name in part)),
  })
  return { ...config, settings: replaced(config.settings), policy: replaced(config.policy) }
}
