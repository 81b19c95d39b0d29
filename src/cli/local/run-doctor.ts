import { bootScripts } from '../setup/index.ts'
import { connect, type ServiceLocation } from '../commands/index.ts'
import { createDoctor, describeReport, exitCodeOf } from '../../server/doctor/index.ts'
import { openDoctorWorld } from '../../server/doctor-world.ts'
import { type DoctorReport, SettingError } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'

/** Access to the settings and the address of the installed service. */
export interface InstalledSettings {
  env: NodeJS.ProcessEnv
  /** rejects with SettingError */
  read(): Promise<Config>
  /** resolves with the default settings */
  defaults(): Promise<Config>
  locationOf(config: Config): ServiceLocation
}

/** `shellphone doctor [--json]`: runs all checks, prints the report and resolves with the exit code. */
export async function runDoctor(settled: InstalledSettings, json: boolean): Promise<number> {
  const report = await examine(settled)
  console.log(json ? JSON.stringify(report, null, 2) : describeReport(report))
  return exitCodeOf(report)
}

/** Runs all checks, with the default settings if the current ones are invalid. */
export async function examine({ env, read, defaults, locationOf: placeOf }: InstalledSettings): Promise<DoctorReport> {
  const { config, settingsError } = await read().then(
    (config) => ({ config, settingsError: null }),
    async (error) => {
      if (!(error instanceof SettingError)) throw error
      return { config: await defaults(), settingsError: error.message }
    },
  )
  let client: ReturnType<typeof connect> | undefined
  const ask = async (path: string) => {
    client ??= connect(placeOf(config))
    return client.request('GET', path)
  }
  return createDoctor(() => openDoctorWorld(config, env, bootScripts, ask, settingsError))()
}
