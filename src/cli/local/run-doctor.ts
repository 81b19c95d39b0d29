import { bootScripts } from '../setup/index.ts'
import { connect, type Place } from '../commands/index.ts'
import { createDoctor, describeReport, exitCodeOf } from '../../server/doctor/index.ts'
import { openDoctorWorld } from '../../server/doctor-world.ts'
import { type DoctorReport, SettingError } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'

/** How the settings of the installed service are read, and where they put it. */
export interface InstalledSettings {
  env: NodeJS.ProcessEnv
  /** rejects with SettingError */
  read(): Promise<Config>
  /** what they are where nothing is given */
  defaults(): Promise<Config>
  placeOf(config: Config): Place
}

/** `shellphone doctor [--json]`: looks, tells, resolves with the exit code. */
export async function runDoctor(settled: InstalledSettings, json: boolean): Promise<number> {
  const report = await examine(settled)
  console.log(json ? JSON.stringify(report, null, 2) : describeReport(report))
  return exitCodeOf(report)
}

/** Looks with whatever settings there are. */
export async function examine({ env, read, defaults, placeOf }: InstalledSettings): Promise<DoctorReport> {
  const { config, trouble } = await read().then(
    (config) => ({ config, trouble: null }),
    async (error) => {
      if (!(error instanceof SettingError)) throw error
      return { config: await defaults(), trouble: error.message }
    },
  )
  let client: ReturnType<typeof connect> | undefined
  const ask = async (path: string) => {
    client ??= connect(placeOf(config))
    return client.request('GET', path)
  }
  return createDoctor(() => openDoctorWorld(config, env, bootScripts, ask, trouble))()
}
