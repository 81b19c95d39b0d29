import type { TObject } from '@sinclair/typebox'
import type {
  Approval,
  Decision,
  ErrorCode,
  ExecRecord,
  ExecRequest,
  Finding,
  SettingRow,
  Stream,
} from '../../shared/schema/index.ts'

/** The longest wait that any dialect may ask for: one day, in milliseconds. "No timeout" means this. */
export const MAX_TIMEOUT_MS = 86_400_000

/** What a dialect must know of the machine; values and lookups that the caller hands in. */
export interface DialectWorld {
  /** absolute path that `~` stands for */
  home: string
  /** of the service, as they are now: the absolute path where a command runs that names no directory */
  settings: { readonly working_directory: string }
  /** the absolute path with every symlink followed; null when it does not exist or cannot be read */
  realpath(path: string): string | null
  /** why there is no read-only sandbox here; null when there is one */
  noReadOnlySandbox: string | null
  /** agent-world's class of what a script would run, and what becomes of it; null: low risk */
  tierOf(script: string): { name: string; verdict: 'ask' | 'deny' } | null
}

/** Policy settings to switch on for one command, beside those of the owner; the stricter of two values wins. */
export interface PolicySwitches {
  enable_deny_patterns?: boolean
  custom_deny_patterns?: string[]
  custom_allow_patterns?: string[]
  allowed_commands?: string[]
  autonomy?: 'read_only' | 'supervised' | 'full'
  require_approval_for_medium_risk?: boolean
  block_high_risk_commands?: boolean
  restrict_to_workspace?: boolean
  workspace_dir?: string
  allowed_paths?: string[]
  max_actions_per_hour?: number
  single_command?: boolean
}

/** How the command's environment is made: as the service has it, or nothing but these names. */
export type EnvironmentOptions =
  | { mode: 'service' }
  | {
      mode: 'only'
      names: string[]
      /** passed on only when every path in their value is absolute, exists and lies inside `pathRoots` */
      pathNames: string[]
      pathRoots: string[]
    }

/** How much of each stream `toText` must be given: as POST /exec cuts it, its first bytes, or all of it. */
export type OutputOptions = { keep: 'canonical' } | { keep: 'head'; maxBytes: number } | { keep: 'whole' }

/** The body of POST /exec, and what only a dialect can ask for. */
export interface DialectRequest extends ExecRequest {
  /** above 0, at most MAX_TIMEOUT_MS, not clamped to POST /exec's maximum; null: `timeout_seconds` and its rules hold */
  timeoutMs: number | null
  /** between SIGTERM and SIGKILL; null: the service's own setting */
  killGraceMs: number | null
  policy: PolicySwitches
  /** a person must be asked, whatever the guards say; null: as the guards say */
  ask: { rule: string; reason: string } | null
  environment: EnvironmentOptions
  output: OutputOptions
  /** the name under which the whole output must be found again; null: none was given */
  scratchpad: string | null
}

/** A run that has ended, as the canonical text tells it: an ExecRecord will do. The byte counts are those of the whole streams. */
export interface CanonicalEnded extends Pick<
  ExecRecord,
  | 'id'
  | 'status'
  | 'exit_code'
  | 'signal'
  | 'stdout'
  | 'stderr'
  | 'stdout_bytes'
  | 'stderr_bytes'
  | 'command'
  | 'working_directory'
  | 'timeout_seconds'
  | 'duration_ms'
  | 'started_at'
  | 'artifacts'
> {
  /** `guards` lets a dialect name the guard that refused */
  decision: Pick<Decision, 'verdict' | 'rule' | 'reason'> & { guards?: Finding[] }
  /** what a person said, where one was to be asked */
  approval?: Pick<Approval, 'outcome'>
}

/** A run that has ended, as `toText` reads it. `stdout` and `stderr` hold what OutputWish asked for. */
export interface Ended extends CanonicalEnded {
  /** so many bytes of each stream `stdout` and `stderr` were made of: what the stream has more is missing from the text */
  givenBytes: Record<Stream, number>
}

/** A request that never became a run: the code and message of the ShellphoneError, and the part of it that may be worded anew. */
export interface Problem {
  code: ErrorCode
  message: string
  about: string
}

/** What a tool call came to: a run, or none. */
export type ToolResult = { ended: Ended } | { problem: Problem }

/** What goes back to the agent: `output` in its own tool's words. */
export interface DialectText {
  is_error: boolean
  output: string
}

/** One agent's shell tool. Both translations are pure and never throw, whatever JSON `given` is. */
export interface Dialect<Settings extends Record<string, unknown> = Record<string, unknown>> {
  name: string
  tool: string
  description: string
  parameters: TObject
  /** under `dialects.<name>` in config.yaml, by the keys that the agent's own configuration has for them */
  settings: SettingRow[]
  /** The tool's own arguments, checked, as a request; or the tool's own text of why not. */
  toRequest(given: unknown, settings: Settings, world: DialectWorld): { request: DialectRequest } | { refusal: string }
  /** The ending as the tool's own text; `given` are the arguments that led to it. */
  toText(result: ToolResult, given: unknown, settings: Settings, world: DialectWorld): DialectText
}

/** Every setting of a dialect: the given ones (already checked), the rest by default. */
export const settingsOf = (dialect: Pick<Dialect, 'settings'>, given: Record<string, unknown> = {}) =>
  Object.fromEntries(dialect.settings.map((row) => [row.name, given[row.name] ?? row.default]))

/** What every dialect asks for where its tool asks for nothing else. */
export const plainRequest = {
  timeoutMs: null,
  killGraceMs: null,
  policy: {},
  ask: null,
  environment: { mode: 'service' },
  output: { keep: 'canonical' },
  scratchpad: null,
} satisfies Omit<DialectRequest, 'command'>
