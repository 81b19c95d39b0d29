import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Place } from '../commands/index.ts'
import { ADDRESS_FILE, homeFolder, termuxPrefix, urlOf } from '../../server/host/index.ts'
import type { Settled } from '../local/index.ts'
import { MARK_NAME } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'

type OptionValues = Map<string, string>

/** What defaults of settings depend on. */
const machine = { platform: process.platform, home: homeFolder(process.env), prefix: termuxPrefix(process.env) }

/** Every setting there is; loaded late, for most subcommands need none. */
export const settingRows = async () => (await import('../../server/settings.ts')).allSettings(machine)

/** The service's settings, as these flags and this environment have them. */
export const config = async (flags: OptionValues, env: NodeJS.ProcessEnv = process.env) =>
  (await import('../../server/settings.ts')).readConfig(env, flags, machine)

/** Settings as the installed service has them: setup gave it some that a terminal's environment lacks. */
export async function installed(flags: OptionValues): Promise<Settled> {
  const { keptSettings } = await import('../setup/index.ts')
  const env = { ...keptSettings({ ...machine, env: process.env }), ...process.env }
  const home = env.SHELLPHONE_HOME ?? usualHome()
  const defaults = async () => ({ ...(await config(new Map(), { SHELLPHONE_HOME: '/nonexistent' })), home })
  return { env, read: () => config(flags, env), defaults, placeOf }
}

const usualHome = () => join(machine.home, '.shellphone')

/** Paired phones, in the user's own folder (XDG Base Directory: a variable that is empty counts as unset). */
export const remotesFile = () =>
  join(process.env.XDG_CONFIG_HOME || join(machine.home, '.config'), 'shellphone', 'remotes.json')

/** Ids of runs that were seen here; completion scripts know where it is. */
const seenRuns = () => join(process.env.XDG_CACHE_HOME || join(machine.home, '.cache'), 'shellphone', 'runs')

/** The paired phone that is asked instead of this machine. */
const remoteName = (options: OptionValues) => options.get('on') ?? process.env.SHELLPHONE_REMOTE

export const isElsewhere = (options: OptionValues) => remoteName(options) !== undefined

/** Where the service is: the paired phone that was named, else this machine's, where it says it listens or its settings say so. */
export async function place(flags: OptionValues, options: OptionValues): Promise<Place> {
  const name = remoteName(options)
  if (name !== undefined)
    return { at: (await import('../commands/index.ts')).remoteOf(remotesFile(), name), ...asker() }
  return toldPlace(flags) ?? placeOf(await (await installed(flags)).read())
}

/** The settings that say where it listens. */
const placeNames = ['SHELLPHONE_HOST', 'SHELLPHONE_PORT']

/** What a service that runs wrote down: no setting has to be read. Null where one was given here, or none runs. */
function toldPlace(flags: OptionValues): Place | null {
  if (flags.has('host') || flags.has('port') || placeNames.some((name) => process.env[name] !== undefined)) return null
  const home = resolve(flags.get('home') ?? process.env.SHELLPHONE_HOME ?? usualHome())
  try {
    const url = readFileSync(join(home, ADDRESS_FILE), 'utf8').trim()
    return { at: { url, home, token: process.env.SHELLPHONE_TOKEN ?? null }, ...asker() }
  } catch {
    return null
  }
}

const placeOf = ({ settings: { host, port }, home, token }: Config): Place => ({
  at: { url: port === 0 ? null : urlOf(host, port), home, token },
  ...asker(),
})

const asker = () => ({
  person: process.env.USER ?? process.env.LOGNAME ?? 'owner',
  seenRuns: seenRuns(),
  isInsideRun: process.env[MARK_NAME] !== undefined,
})
