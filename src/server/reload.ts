import { basename } from 'node:path'
import type { Logger } from 'pino'
import type { Tokens } from './access/index.ts'
import { checkPlaces, keepMode, watchFiles } from './host/index.ts'
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
  log: Logger
}

/** Settings that are live, and tokens, hold as soon as their file is written; a bad file changes nothing and says so. */
export function createReload({ config, read, tokens, lookAtFleet, renewCertificate, log }: ReloadParts): Reload {
  let troubles: string[] = []
  let turn = Promise.resolve()

  const readSettings = async () => {
    try {
      const next = await read()
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
  const readTokens = () => {
    if (tokens.reload()) log.info('tokens.json was read again')
  }
  const restoreMode = keepMode(config.home)
  const readers: Record<string, () => void> = {
    'config.yaml': () => void (turn = turn.then(readSettings)), // one after the other: the last one read holds
    'tokens.json': readTokens,
    [FLEET_FILE]: lookAtFleet,
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
    warnings: () => [...troubles, ...[tokens.trouble()].filter((trouble) => trouble !== null)],
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

function watchOrTell(home: string, readers: Record<string, () => void>, log: Logger): () => void {
  try {
    return watchFiles(home, Object.keys(readers), QUIET_MS, (name) => readers[name]!())
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'changes of the settings are read on SIGHUP alone')
    return () => {}
  }
}
