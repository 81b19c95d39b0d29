import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import type { Tokens } from './access/index.ts'
import { checkCommandPaths, keepMode, watchFiles } from './host/index.ts'
import type { LiveCommands } from './live-commands.ts'
import { FLEET_FILE } from '../shared/schema/index.ts'
import { applyLive, type Config } from './settings.ts'

/** An editor saves a file in several steps, which count as one change. */
const QUIET_MS = 100

/** Reads the service's files again on SIGHUP and when they change. */
export interface Reload {
  /** returns messages about files that cannot be read and settings that wait for a restart */
  warnings(): string[]
  /** Starts to watch for changes. Returns a function that stops watching. */
  start(): () => void
}

interface ReloadParts {
  /** the current settings; a reload overwrites the live ones */
  config: Config
  /** rejects with a one-line message if a setting is wrong */
  read(): Promise<Config>
  tokens: Pick<Tokens, 'reload' | 'problem'>
  /** reads fleet.json again */
  reloadFleet(): void
  renewCertificate(): void
  /** a reload does not read a file that one of these commands may have written */
  commands: Pick<LiveCommands, 'mayHaveWritten'>
  log: Logger
}

const SETTINGS_FILE = 'config.yaml'
const TOKENS_FILE = 'tokens.json'

/**
 * Applies live settings, tokens and the fleet membership as soon as their file is written. A damaged file changes nothing and causes a
 * warning.
 */
export function createReload(parts: ReloadParts): Reload {
  const { config, tokens, reloadFleet, renewCertificate, commands, log } = parts
  const take = takeFromPersons(config.home, commands)
  const settings = createSettingsReader(parts, take)
  let fleetErrors: string[] = []
  const readTokens = () => {
    const mayTake = () => !commands.mayHaveWritten(join(config.home, TOKENS_FILE))
    if (tokens.reload(mayTake)) log.info('reloaded tokens.json')
  }
  const readFleet = () => {
    try {
      if (take(FLEET_FILE)) reloadFleet()
      fleetErrors = []
    } catch (error) {
      fleetErrors = [(error as Error).message]
      log.warn({ reason: fleetErrors[0] }, 'cannot use fleet.json: the fleet membership does not change')
    }
  }
  const restoreMode = keepMode(config.home)
  const readers: Record<string, () => void> = {
    [SETTINGS_FILE]: settings.read,
    [TOKENS_FILE]: readTokens,
    [FLEET_FILE]: readFleet,
    // even a sandboxed command can change the mode
    [basename(config.home)]() {
      if (restoreMode()) log.warn({ home: config.home }, 'the mode of the home had changed: restored it to private')
    },
  }
  const readAll = () => {
    for (const readOne of Object.values(readers)) readOne()
    renewCertificate()
  }
  return {
    warnings: () => [
      ...settings.warnings(),
      ...[tokens.problem()].filter((warning) => warning !== null),
      ...fleetErrors,
    ],
    start() {
      process.on('SIGHUP', readAll)
      const unwatch = watchOrWarn(config.home, readers, log)
      return () => {
        process.off('SIGHUP', readAll)
        unwatch()
      }
    },
  }
}

/** Accepts a file in the home; returns whether it has changed since the last call. Throws if a command may have written it. */
type Take = (name: string) => boolean

function takeFromPersons(home: string, { mayHaveWritten }: ReloadParts['commands']): Take {
  const textOf = (name: string) => readOrNull(join(home, name))
  const taken = new Map([SETTINGS_FILE, FLEET_FILE].map((name) => [name, textOf(name)]))
  return (name) => {
    const text = textOf(name)
    const before = taken.get(name) ?? null
    if (text === before) return false
    // a person can leave the fleet while a command of the fleet runs; an agent that removes the file gains nothing
    const isLeaving = name === FLEET_FILE && text === null
    if (!isLeaving && mayHaveWritten(join(home, name))) throw new Error(`${name} was changed ${WHILE_ANOTHER_RAN}`)
    // truncated JSON is invalid, but truncated YAML may be valid and mean other settings
    const gap = name === SETTINGS_FILE && before !== null && before.startsWith(text ?? before) ? gapIn(text) : null
    if (gap !== null) throw new Error(`${name} is truncated: ${gap}`)
    taken.set(name, text)
    return true
  }
}

/** How a text ends if it was truncated, and what to do; null: it ends with a line break, or there is no file. Some editors leave such files. */
function gapIn(text: string | null): string | null {
  if (text === null || text.endsWith('\n')) return null
  if (text === '') return 'it is empty; write the settings, or delete it to use the default settings'
  return 'it ends in the middle of a line; complete the last line and end it with a line break'
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // the next reader reports the error
  }
}

const WHILE_ANOTHER_RAN =
  'while a command ran that was not sent by a person: check the file, then save it while no such command runs, or restart the service'

function createSettingsReader({ config, read, log }: ReloadParts, take: Take) {
  const suspicions = () => {
    const gap = gapIn(readOrNull(join(config.home, SETTINGS_FILE)))
    return gap === null ? [] : [`${SETTINGS_FILE} may be truncated: ${gap}`]
  }
  let problems = suspicions()
  for (const reason of problems) log.warn({ reason }, 'the settings may be incomplete')
  /** never rejects: readOnce catches all errors */
  let turn = Promise.resolve()

  const readOnce = async () => {
    try {
      take(SETTINGS_FILE)
      const next = await read()
      take(SETTINGS_FILE) // it may have changed during the read
      checkCommandPaths(config.settings.shell, next.settings.working_directory)
      const { changed, waiting } = applyLive(config, next)
      log.level = config.settings.log_level
      if (changed.length > 0) log.info({ changed }, 'reloaded the settings')
      for (const change of waiting)
        log.warn(change, 'this setting cannot change while the service runs: restart the service to apply it')
      problems = waiting.map(({ setting, now, wanted }) => {
        const [current, next] = [now, wanted].map((value) => JSON.stringify(value))
        return `setting ${setting}: ${next} takes effect at the next start; until then ${current} applies`
      })
      problems.push(...suspicions())
    } catch (error) {
      const reason = (error as Error).message.split('\n')[0]
      log.warn({ reason }, 'cannot read the settings: they do not change')
      problems = [`${reason}; the previous settings still apply`]
    }
  }
  return {
    warnings: () => problems,
    read: () => void (turn = turn.then(readOnce)), // one after the other, so that the last read wins
  }
}

function watchOrWarn(home: string, readers: Record<string, () => void>, log: Logger): () => void {
  try {
    return watchFiles(home, Object.keys(readers), QUIET_MS, (name) => readers[name]!())
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'cannot watch the settings: changes are read only on SIGHUP')
    return () => {}
  }
}
