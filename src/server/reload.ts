import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import type { Tokens } from './access/index.ts'
import { checkPlaces, keepMode, watchFiles } from './host/index.ts'
import type { LiveCommands } from './live-commands.ts'
import { FLEET_FILE } from '../shared/schema/index.ts'
import { applyLive, type Config } from './settings.ts'

/** An editor writes in several steps: they are one change. */
const QUIET_MS = 100

/** What a running service reads again: on SIGHUP, and when its files change. */
export interface Reload {
  /** plain words on files that cannot be read, and on settings that wait for a restart */
  warnings(): string[]
  /** Begins to look for changes; returns what ends that. */
  start(): () => void
}

interface ReloadParts {
  /** in force: what is live of it is written anew */
  config: Config
  /** rejects with one line where a setting is wrong */
  read(): Promise<Config>
  tokens: Pick<Tokens, 'reload' | 'trouble'>
  /** looks at fleet.json */
  lookAtFleet(): void
  /** looks at the certificate */
  renewCertificate(): void
  /** what one of them may have written waits for the next start */
  commands: Pick<LiveCommands, 'mayHaveWritten'>
  log: Logger
}

const SETTINGS_FILE = 'config.yaml'
const TOKENS_FILE = 'tokens.json'

/** Settings that are live, tokens and the place in a fleet hold as soon as their file is written; a bad file changes nothing and says so. */
export function createReload(parts: ReloadParts): Reload {
  const { config, tokens, lookAtFleet, renewCertificate, commands, log } = parts
  const take = takePersons(config.home, commands)
  const settings = createSettingsReader(parts, take)
  let fleetTrouble: string[] = []
  const readTokens = () => {
    const mayTake = () => !commands.mayHaveWritten(join(config.home, TOKENS_FILE))
    if (tokens.reload(mayTake)) log.info('tokens.json was read again')
  }
  const readFleet = () => {
    try {
      if (take(FLEET_FILE)) lookAtFleet()
      fleetTrouble = []
    } catch (error) {
      fleetTrouble = [(error as Error).message]
      log.warn({ reason: fleetTrouble[0] }, 'the place in the fleet stays as it is')
    }
  }
  const restoreMode = keepMode(config.home)
  const readers: Record<string, () => void> = {
    [SETTINGS_FILE]: settings.read,
    [TOKENS_FILE]: readTokens,
    [FLEET_FILE]: readFleet,
    // a command can change it in a sandbox, too
    [basename(config.home)]() {
      if (restoreMode()) log.warn({ home: config.home }, 'the mode of the home was changed: it is private again')
    },
  }
  const readAll = () => {
    for (const readOne of Object.values(readers)) readOne()
    renewCertificate()
  }
  return {
    warnings: () => [
      ...settings.troubles(),
      ...[tokens.trouble()].filter((trouble) => trouble !== null),
      ...fleetTrouble,
    ],
    start() {
      process.on('SIGHUP', readAll)
      const unwatch = watchOrTell(config.home, readers, log)
      return () => {
        process.off('SIGHUP', readAll)
        unwatch()
      }
    },
  }
}

/** Says whether a file of the home is another than when it was taken last, and takes it. Throws where no person may have written it. */
type Take = (name: string) => boolean

function takePersons(home: string, { mayHaveWritten }: ReloadParts['commands']): Take {
  const textOf = (name: string) => readOrNull(join(home, name))
  const taken = new Map([SETTINGS_FILE, FLEET_FILE].map((name) => [name, textOf(name)]))
  return (name) => {
    const text = textOf(name)
    if (text === taken.get(name)) return false
    if (mayHaveWritten(join(home, name))) throw new Error(`${name} was changed ${WHILE_ANOTHER_RAN}`)
    taken.set(name, text)
    return true
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // who reads it next says why
  }
}

const WHILE_ANOTHER_RAN =
  'while a command ran that no person had sent: look at it, then save it while none runs, or restart the service'

function createSettingsReader({ config, read, log }: ReloadParts, take: Take) {
  let troubles: string[] = []
  /** never rejects: who reads catches all */
  let turn = Promise.resolve()

  const readOnce = async () => {
    try {
      take(SETTINGS_FILE)
      const next = await read()
      take(SETTINGS_FILE) // it may have been changed meanwhile
      checkPlaces(config.settings.shell, next.settings.working_directory)
      const { changed, waiting } = applyLive(config, next)
      log.level = config.settings.log_level
      if (changed.length > 0) log.info({ changed }, 'settings were read again')
      for (const change of waiting) log.warn(change, 'this setting cannot change while serving: restart for it')
      troubles = waiting.map(({ setting, now, wanted }) => {
        const [held, next] = [now, wanted].map((value) => JSON.stringify(value))
        return `setting ${setting}: ${next} holds from the next start on; ${held} is in force`
      })
    } catch (error) {
      const reason = (error as Error).message.split('\n')[0]
      log.warn({ reason }, 'the settings cannot be read: nothing is changed')
      troubles = [`${reason}; what was in force before still is`]
    }
  }
  return {
    troubles: () => troubles,
    read: () => void (turn = turn.then(readOnce)), // one after the other: the last one read holds
  }
}

function watchOrTell(home: string, readers: Record<string, () => void>, log: Logger): () => void {
  try {
    return watchFiles(home, Object.keys(readers), QUIET_MS, (name) => readers[name]!())
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'changes of the settings are read on SIGHUP alone')
    return () => {}
  }
}
