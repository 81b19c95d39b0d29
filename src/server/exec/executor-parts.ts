import type { DialectWorld, FileStep } from '../dialects/index.ts'
import type { PolicySettings } from '../policy/index.ts'
import type { Pool } from '../pool/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Approvals, Store } from '../store/index.ts'
import type { Judge } from './judge.ts'
import type { Reach } from './reach.ts'
import type { Caller, CommandContext } from './command.ts'
import type { Transfers } from './transfer-verbs.ts'
import type { Watched } from './run.ts'

/** The inputs for translating a tool's arguments. */
export interface DialectParts {
  /** dialects.<name> of config.yaml */
  settings: Record<string, Record<string, unknown>>
  world: DialectWorld
  /** begins the run of a step on files, which uses this part of the executor; relative paths start at `directory`, an absolute path */
  beginFileStep(step: FileStep, directory: string, caller: Caller, executor: Transfers): Promise<Watched>
}

/** The terminals of commands. */
export interface Terminals {
  /** why terminals are unavailable; null: they are available */
  missing: string | null
  /** a separate pool, because terminals hold their slots for hours */
  pool: Pool
  /** the number of slots in that pool */
  limit: number
  /** the service closes a terminal that nobody has read for this long */
  idleMs: number
}

/** The modules through which the executor takes a request, and their settings. */
export interface ExecutorParts {
  commandContext: CommandContext
  judge: Judge
  /** checks that a file system responds before the service accesses a path of the request */
  reach: Reach
  dialects: DialectParts
  /** the owner's policy, from which POST /policy/check starts */
  policy: PolicySettings
  approvals: Approvals
  /** false: approvals are now switched off, so every approval request is denied */
  canAsk(): boolean
  sessions: Sessions
  pool: Pool
  /** long runs have a separate pool, so that they never take the slots of short ones */
  backgroundPool: Pool
  terminals: Terminals
  store: Store
  shell: string
  /** where sandboxed commands get their temporary folders; not in the home, which is hidden from them */
  temporaryFolder: string
  /** the first two parts of every mark: the home's key and this service's random name */
  markPrefix: string
  /** logs facts: ids, sizes, times and verdicts; never a command or output */
  log: { info(facts: object, sentence: string): void }
}
