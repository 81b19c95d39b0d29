import type { Settings } from '../config/index.ts'
import type { DialectRequest } from '../dialects/index.ts'
import type { PolicySettings } from '../policy/index.ts'
import type { ExecRequest, Limits, Note, Sandbox, SandboxName, Who, WindowSize } from '../../shared/schema/index.ts'
import type { SessionTurn } from '../sessions/index.ts'
import type { EnvironmentParts } from './environment.ts'
import type { Transfer } from './transfer.ts'

/** The client that requests a command and waits for its end. */
export interface Caller {
  /** an Idempotency-Key: the same key and body return the same run; the same key with another body throws CONFLICT */
  key?: string | undefined
  /** aborts when the caller disconnects; the run is canceled if its last waiting caller leaves before it ends */
  gone: AbortSignal
  /** the holder of the token */
  who: Who
  /** the route or the MCP tool that sent the request, for the record */
  via: string
  /** the session of a tool of a dialect, whose arguments name none */
  session?: string | undefined
  /** how long a command waits for its turn in its session before it is refused, and the caller for its run; absent: without a limit */
  turnPatienceMs?: number | undefined
}

/**
 * The body of POST /exec, a dialect's translation of its tool's arguments, or the command that is equivalent to a file transfer. `turn`: its
 * turn in its session, or its place in the queue.
 */
export type AnyRequest = ExecRequest &
  Partial<DialectRequest> & { dialect?: string; transfer?: Transfer; turn?: SessionTurn }

/** A command's use of its session. */
export interface CommandSession {
  /** the request with this turn */
  request: AnyRequest
  turn: SessionTurn
  /** the environment of a command without a session; the state is stored as a difference to it */
  base: Record<string, string>
  /** names of variables that come from the session, not from the request */
  names: string[]
  /** whether the shell reports its state; false: the command cannot change it, or does not write to the session */
  captures: boolean
}

/** A request with defaults filled in and values clamped, so that later code handles no undefined fields. */
export interface Command {
  script: string
  /** the dialect that formats the response; oneclaw is the canonical one */
  dialect: string
  cwd: string
  /** the complete environment except PWD and the mark */
  env: Record<string, string>
  /** variables that the request and its session add to the environment; null: no variables */
  additions: Record<string, string> | null
  /** names of the base environment that the session has unset */
  unset: string[]
  session: CommandSession | null
  timeoutMs: number
  maxLength: number
  encoding: 'utf8' | 'base64'
  stdin: Buffer | 'open' | null
  /** the size of the command's terminal, always in the background; null: no terminal */
  tty: WindowSize | null
  background: boolean
  /** whether output beyond the storage limit waits for its readers */
  waitsForReader: boolean
  /** the run is canceled after this long without a watcher; null: it continues without one */
  leaseMs: number | null
  artifactPaths: string[]
  sandbox: Sandbox
  limits: Limits
  /** options that only a dialect can set: its guards, its kill grace, and the amount of output that its text needs */
  dialectOptions: Pick<DialectRequest, 'policy' | 'ask' | 'killGraceMs' | 'output' | 'isLossless' | 'scratchpad'>
  /** the file transfer that the service performs instead of starting a process; null for a command */
  transfer: Transfer | null
  notes: readonly Note[]
}

/** The inputs that complete a request: the owner's settings and the machine's capabilities. */
export interface CommandContext extends EnvironmentParts, SandboxParts {
  settings: Settings
  home: string
  /** false: the settings `limit_processes` and `limit_oom_score_adj` have no effect */
  hasLauncher: boolean
}

/** The sandboxes available on this system, and why the others are not. */
export interface Sandboxes {
  available: SandboxName[]
  /** what enforces read-only */
  by: 'landlock' | 'external' | null
  reason: string | null
}

/** Everything that decides a command's sandbox, apart from the request. */
export interface SandboxParts {
  settings: Pick<Settings, 'sandbox' | 'sandbox.network' | 'sandbox_floor' | 'working_directory'>
  sandboxes: Sandboxes
  /** `workspace_dir` stays writable in workspace-write; null: the command's directory, or the default directory with a floor */
  policy: Pick<PolicySettings, 'workspace_dir'>
  /** folders that no sandboxed command may read */
  hidden: string[]
}
