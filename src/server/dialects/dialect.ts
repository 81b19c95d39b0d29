import type { TObject } from '@sinclair/typebox'
import type {
  Approval,
  Decision,
  ErrorCode,
  ExecRecord,
  ExecRequest,
  Finding,
  RunStatus,
  SettingRow,
  Stream,
} from '../../shared/schema/index.ts'

/** The longest timeout that a dialect can request: one day, in milliseconds. It also stands for "no timeout". */
export const MAX_TIMEOUT_MS = 86_400_000

/** The facts about the machine that a dialect needs: values and lookups, which the caller passes in. */
export interface DialectWorld {
  /** the absolute path that `~` stands for */
  home: string
  /** the current settings of the service: the absolute path where a command runs that names no directory */
  settings: { readonly working_directory: string }
  /** returns the absolute path with all symbolic links resolved; null if it does not exist or cannot be read */
  realpath(path: string): string | null
  /** the name of the user as which commands run; null: it has no name */
  user: string | null
  /** why no read-only sandbox is available on this system; null if one is */
  noReadOnlySandbox: string | null
  /** returns agent-world's risk class of a script, with its verdict; null: low risk */
  tierOf(script: string): { name: string; verdict: 'ask' | 'deny' } | null
}

/** Policy settings for one command in addition to the owner's settings. The stricter verdict wins. */
export interface PolicySwitches {
  enable_deny_patterns?: boolean
  custom_deny_patterns?: string[]
  custom_allow_patterns?: string[]
  allowed_commands?: string[]
  strict_allowlist?: boolean
  autonomy?: 'read_only' | 'supervised' | 'full'
  require_approval_for_medium_risk?: boolean
  block_high_risk_commands?: boolean
  restrict_to_workspace?: boolean
  restrict_programs?: boolean
  workspace_dir?: string
  allowed_paths?: string[]
  max_actions_per_hour?: number
  single_command?: boolean
}

/** The source of the command's environment: the service's own environment, or only these names. */
export type EnvironmentOptions =
  | { mode: 'service' }
  | {
      mode: 'only'
      names: string[]
      /** names that are passed on only if every path in the value is absolute, exists and is inside `pathRoots` */
      pathNames: string[]
      pathRoots: string[]
    }

/** How much of each stream `toText` needs: the shortened stream of POST /exec, its first bytes, or all of it. */
export type OutputOptions = { keep: 'canonical' } | { keep: 'head'; maxBytes: number } | { keep: 'whole' }

/** The body of POST /exec, with options that only a dialect can set. */
export interface DialectRequest extends ExecRequest {
  /** above 0 and at most MAX_TIMEOUT_MS, not clamped to the maximum of POST /exec; null: `timeout_seconds` applies */
  timeoutMs: number | null
  /** time between SIGTERM and SIGKILL; null: the service's own setting */
  killGraceMs: number | null
  policy: PolicySwitches
  /** requires approval, regardless of the guards; null: the guards decide */
  ask: { rule: string; reason: string } | null
  environment: EnvironmentOptions
  output: OutputOptions
  /** store all output, up to the limit for all runs together instead of the limit for one run */
  isLossless: boolean
  /** the name under which the agent can find the whole output again; null: no name */
  scratchpad: string | null
}

/** The fields of an ended run that the canonical text uses; an ExecRecord has them all. The byte counts are those of the whole streams. */
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
  /** `guards` lets a dialect name the guard that denied the command */
  decision: Pick<Decision, 'verdict' | 'rule' | 'reason'> & { guards?: Finding[] }
  /** the outcome of the approval request, if approval was required */
  approval?: Pick<Approval, 'outcome'>
}

/** An ended run for `toText`. `stdout` and `stderr` contain what OutputOptions requested. */
export interface Ended extends CanonicalEnded {
  /** the number of bytes of each stream that `stdout` and `stderr` represent; any further bytes are missing from the text */
  givenBytes: Record<Stream, number>
  /** the number of bytes at the start of each stream that can be read back */
  storedBytes: Record<Stream, number>
}

/** A request that never became a run: the code and message of the ShellphoneError, and the subject for a dialect's own message. */
export interface Problem {
  code: ErrorCode
  message: string
  about: string
}

/** The result of a tool call: an ended run, or the error of a request that did not become a run. */
export type ToolResult = { ended: Ended } | { problem: Problem }

/** The reply to the agent: `output` in its own tool's format. */
export interface DialectText {
  is_error: boolean
  output: string
}

/** The tool's own text for a call with which no command can run. `code`: why; default: the arguments are invalid (VALIDATION_ERROR). */
export interface Refusal {
  refusal: string
  code?: 'FORBIDDEN' | 'SANDBOX_UNAVAILABLE'
}

/** What a call does to one file, or to the files of a patch. Its functions are pure and never throw; a `refusal` becomes the error of the run. */
export type FileStep =
  | {
      does: 'view'
      path: string
      show(text: string): { output: string } | { refusal: string }
      /** `paths`: the directory itself, and what it contains */
      list(paths: string[]): { output: string } | { refusal: string }
    }
  | {
      does: 'create'
      path: string
      content: string
      output: string
      /** the refusal if something has this name already */
      exists: string
    }
  | {
      does: 'edit'
      path: string
      edit(text: string): { text: string; output: string } | { refusal: string }
      /** the size of the texts that `edit` holds */
      heldBytes: number
      /** the refusal if it is a directory */
      ofDirectory: string
    }
  | {
      does: 'patch'
      /** in the format of POST /files/patch */
      patch: string
    }

/** What a call becomes: a command and those that follow it, a step on a file, the end of its session with this output, or a refusal. */
type Translation =
  | { request: DialectRequest; following?: DialectRequest[] }
  | { file: FileStep }
  | { endsSession: true; output: string }
  | Refusal

/** One tool of an agent. Both translations are pure and never throw, for any JSON value of `given`. */
export interface Dialect<Settings extends Record<string, unknown> = Record<string, unknown>> {
  /** the dialect, or `DIALECT/TOOL` if it has several tools */
  name: string
  /** the dialect to which the tool belongs; its tools share their settings */
  family: string
  tool: string
  description: string
  parameters: TObject
  /** how the API of a provider defines the tool, which its models know; absent: models know it only by its parameters */
  native?: { api: 'anthropic' | 'openai'; definition: { type: string } & Record<string, unknown> }
  /** whether the tool promises its model one shell, so that its calls pass on their directory and variables */
  isOneShell?: true
  /** the settings under `dialects.<name>` in config.yaml, with the keys of the agent's own configuration */
  settings: SettingRow[]
  /** the names in the agent's documentation for an event of output, and for the statuses that it does not have; default: our own */
  eventNames?: { output: 'tool-stream'; status: Partial<Record<RunStatus, RunStatus>> }
  /** Converts the tool's own arguments to a request after checking them, or returns a refusal in the tool's own words. */
  toRequest(given: unknown, settings: Settings, world: DialectWorld): Translation
  /** Formats a result as the tool's own text. `given`: the arguments of the call. */
  toText(result: ToolResult, given: unknown, settings: Settings, world: DialectWorld): DialectText
  /** Formats the results of a call with several commands; the commands after the last result did not run. */
  joinTexts?(results: ToolResult[], given: unknown, settings: Settings, world: DialectWorld): DialectText
}

/** Returns every setting of a dialect: the given ones, which are already checked, and defaults for the others. */
export const settingsOf = (dialect: Pick<Dialect, 'settings'>, given: Record<string, unknown> = {}) =>
  Object.fromEntries(dialect.settings.map((row) => [row.name, given[row.name] ?? row.default]))

/** The default options of a dialect's request. */
export const plainRequest = {
  timeoutMs: null,
  killGraceMs: null,
  policy: {},
  ask: null,
  environment: { mode: 'service' },
  output: { keep: 'canonical' },
  isLossless: false,
  scratchpad: null,
} satisfies Omit<DialectRequest, 'command'>
