import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Role, ServiceLocation } from '../commands/index.ts'
import { remotesFileOf, seenRunsOf } from '../../shared/package/index.ts'
import { ADDRESS_FILE, homeFolder, termuxPrefix, urlOf } from '../../server/host/index.ts'
import type { InstalledSettings } from '../local/index.ts'
import { MARK_NAME } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'

type OptionValues = Map<string, string>

/** The facts on which the defaults of settings depend. */
const machine = { platform: process.platform, home: homeFolder(process.env), prefix: termuxPrefix(process.env) }

/** All settings. Loaded on demand, because most subcommands need none. */
export const settingRows = async () => (await import('../../server/settings.ts')).allSettings(machine)

/** Reads the service's settings from config.yaml, the environment and the flags. Rejects with SettingError. */
export const config = async (flags: OptionValues, env: NodeJS.ProcessEnv = process.env) =>
  (await import('../../server/settings.ts')).readConfig(env, flags, machine)

/** The settings of the installed service, including those from setup that the environment of a terminal lacks. */
export async function installed(flags: OptionValues): Promise<InstalledSettings> {
  const { keptSettings } = await import('../setup/index.ts')
  const env = { ...keptSettings({ ...machine, env: process.env }), ...process.env }
  const home = resolve(flags.get('home') ?? env.SHELLPHONE_HOME ?? defaultHome())
  const defaults = async (flags: OptionValues = new Map()) => ({
    ...(await config(flags, { SHELLPHONE_HOME: '/nonexistent' })),
    home,
  })
  const locationOf = (config: Config, areValid: boolean) =>
    runningService(flags, config.home) ?? (areValid ? placeOf(config) : null)
  return { env, read: () => config(flags, env), defaults, locationOf }
}

const defaultHome = () => join(machine.home, '.shellphone')

const user = () => ({ env: process.env, home: machine.home })

export const remotesFile = () => remotesFileOf(user())

/** The name of the paired phone to use instead of this machine. */
const remoteName = (options: OptionValues) => options.get('on') ?? process.env.SHELLPHONE_REMOTE

export const isElsewhere = (options: OptionValues) => remoteName(options) !== undefined

/** Locates the service, or the control plane of a paired fleet: the named paired phone, or the service on this machine by its address file or its settings. */
export async function locateService(
  flags: OptionValues,
  options: OptionValues,
  role: Role = 'service',
): Promise<ServiceLocation> {
  const name = remoteName(options)
  if (name !== undefined)
    return { at: (await import('../commands/index.ts')).remoteOf(remotesFile(), name, role), ...caller() }
  const home = resolve(flags.get('home') ?? process.env.SHELLPHONE_HOME ?? defaultHome())
  return runningService(flags, home) ?? placeOf(await (await installed(flags)).read())
}

/** The environment variables that set the service's address. */
const addressVariables = ['SHELLPHONE_HOST', 'SHELLPHONE_PORT']

/**
 * The address that a running service has written to its home; using it avoids loading the settings. Null if the caller set an address, or if the
 * file has no complete line. A home on the command line outranks an address in the environment, which may be that of another service.
 */
function runningService(flags: OptionValues, home: string): ServiceLocation | null {
  if (flags.has('host') || flags.has('port')) return null
  if (!flags.has('home') && addressVariables.some((name) => process.env[name] !== undefined)) return null
  try {
    const line = readFileSync(join(home, ADDRESS_FILE), 'utf8')
    if (!line.endsWith('\n')) return null // an incomplete address may belong to another program
    return { at: { url: line.trim(), home, token: process.env.SHELLPHONE_TOKEN ?? null }, ...caller() }
  } catch {
    return null
  }
}

const placeOf = ({ settings: { host, port }, home, token }: Config): ServiceLocation => ({
  at: { url: port === 0 ? null : urlOf(host, port), home, token },
  ...caller(),
})

const caller = () => ({
  person: process.env.USER ?? process.env.LOGNAME ?? 'owner',
  seenRuns: seenRunsOf(user()),
  isInsideRun: process.env[MARK_NAME] !== undefined,
})
