import { ClientError } from '../commands/index.ts'
import { checkSetting, flagName } from '../../server/config/index.ts'
import { checkCommandPaths } from '../../server/host/index.ts'
import { within } from '../setup/index.ts'
import { SettingError, type SettingRow, type ShownSetting } from '../../shared/schema/index.ts'
import { type Config, valuesOf } from '../../server/settings.ts'
import type { InstalledSettings } from './run-doctor.ts'
import { runningSetting } from './running-setting.ts'
import { settingNamed, sourceText } from './show-config.ts'
import { writeSettings } from './write-settings.ts'

/** When a change takes effect, for programs and for people. `rejected`: the service does not accept the file. */
interface Effect {
  applies: 'now' | 'next_start' | 'overridden' | 'rejected'
  text: string
}

/** How long a running service may take to read the file again. */
const RELOAD_MS = 5000

/**
 * `shellphone config set NAME VALUE` and, without a text, `shellphone config unset NAME`: checks the value as the service does when it starts,
 * changes config.yaml, and says when the change takes effect. Resolves with 1 if the service rejects the file; rejects with UsageError.
 */
export async function changeSetting(
  installed: InstalledSettings,
  name: string,
  text: string | undefined,
  isJson: boolean,
): Promise<number> {
  const { home, rows } = await installed.defaults()
  const row = settingNamed(rows, name)
  const value = text === undefined ? undefined : await valueOf(installed, row, text)
  const file = await writeSettings(home, { [name]: value })
  const { applies, text: effect } = await effectOf(installed, row, value)
  const done = value === undefined ? 'not set' : `set to ${JSON.stringify(value)}`
  console.log(isJson ? JSON.stringify({ name, value, file, applies }) : `${name}: ${done} in ${file}; ${effect}`)
  return applies === 'rejected' ? 1 : 0
}

/** The value, if a service whose other settings are the defaults would start with it. Rejects with UsageError. */
async function valueOf({ defaults }: InstalledSettings, row: SettingRow, text: string): Promise<unknown> {
  const value = checkSetting(row, text, 'the command line')
  const { settings } = await defaults(new Map([[flagName(row.name), text]]))
  checkCommandPaths(settings.shell, settings.working_directory)
  return value
}

async function effectOf(installed: InstalledSettings, row: SettingRow, value: unknown): Promise<Effect> {
  const next = await installed.read().catch((error: Error) => {
    if (error instanceof SettingError) return error
    throw error
  })
  if (next instanceof SettingError)
    return { applies: 'rejected', text: `the service cannot start with it: ${next.message}` }
  const running = await runningSetting(installed, next, row.name)
  if (running instanceof ClientError) return effectUnknown(row, running)
  if (running === null) return effectAtStart(row, next)
  const { source, value: inForce } = running
  if (source === 'environment' || source === 'flags') {
    const text = `${sourceText(row.name, source)} of the running service overrides it with ${JSON.stringify(inForce)}`
    return { applies: 'overridden', text }
  }
  return row.live ? effectOfReload(installed, next, row, value) : effectOfRestart(row, next, running)
}

function effectUnknown({ live }: SettingRow, { message }: ClientError): Effect {
  const when = live ? 'applies it at once unless something overrides it' : 'applies it when it starts again'
  return { applies: live ? 'now' : 'next_start', text: `the running service ${when}, but did not say so: ${message}` }
}

function effectAtStart({ name }: SettingRow, next: Config): Effect {
  const [source, value] = [next.sources[name], JSON.stringify(valuesOf(next)[name])]
  return source === 'environment'
    ? { applies: 'overridden', text: `${sourceText(name, source)} overrides it with ${value}` }
    : { applies: 'next_start', text: `the service uses ${value} when it starts` }
}

function effectOfRestart({ name }: SettingRow, next: Config, running: ShownSetting): Effect {
  const [now, then] = [running.value, valuesOf(next)[name]].map((value) => JSON.stringify(value))
  return now === then
    ? { applies: 'now', text: `the running service uses ${now}` }
    : { applies: 'next_start', text: `the running service uses ${now} until you restart it` }
}

/** Waits until the running service has read the file again. */
async function effectOfReload(
  installed: InstalledSettings,
  next: Config,
  { name }: SettingRow,
  value: unknown,
): Promise<Effect> {
  let running: ShownSetting | null = null
  const hasRead = await within(RELOAD_MS, async () => {
    const found = await runningSetting(installed, next, name)
    running = found instanceof ClientError ? null : found
    if (value === undefined) return running?.source !== 'config.yaml'
    return running?.source === 'config.yaml' && JSON.stringify(running.value) === JSON.stringify(value)
  })
  const text = hasRead
    ? `the running service uses ${JSON.stringify((running as ShownSetting | null)?.value)}`
    : 'the running service does not accept it; shellphone doctor says why'
  return { applies: hasRead ? 'now' : 'rejected', text }
}
