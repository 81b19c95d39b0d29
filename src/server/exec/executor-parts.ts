import type { DialectWorld } from '../dialects/index.ts'
import type { PolicySettings } from '../policy/index.ts'
import type { Pool } from '../pool/index.ts'
import type { Approvals, Store } from '../store/index.ts'
import type { Judge } from './judge.ts'
import type { Reach } from './reach.ts'
import type { CommandSettings } from './command.ts'

/** What translating a tool's arguments takes. */
export interface DialectParts {
  /** dialects.<name> of config.yaml */
  settings: Record<string, Record<string, unknown>>
  world: DialectWorld
}

/** How commands get terminals. */
export interface Terminals {
  /** why there are none; null: there are */
  missing: string | null
  /** slots of their own: they are held for hours */
  pool: Pool
  /** how many slots that has */
  limit: number
  /** one that nobody has read for so long is ended */
  idleMs: number
}

/** What the executor is given: the rooms that it leads a request through, and how each is set. */
export interface ExecutorParts {
  prepare: CommandSettings
  judge: Judge
  /** asked before the service looks where a request says */
  reach: Reach
  dialects: DialectParts
  /** the owner's, for POST /policy/check to start from */
  policy: PolicySettings
  approvals: Approvals
  /** false: nobody can be asked, so that asking is denying */
  canAsk: boolean
  pool: Pool
  /** long runs have slots of their own, so that they never take those of quick ones */
  backgroundPool: Pool
  terminals: Terminals
  store: Store
  shell: string
  /** where sandboxed commands get temporary folders of their own; not in the home, which is hidden from them */
  temporaryFolder: string
  /** first two parts of every mark: the home's key and this service's own random name */
  markPrefix: string
  /** facts for the log: ids, sizes, times, verdicts; never a command or output */
  log: { info(facts: object, sentence: string): void }
}
