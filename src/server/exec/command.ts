import type { Settings } from '../config/index.ts'
import type { DialectRequest } from '../dialects/index.ts'
import type { PolicySettings } from '../policy/index.ts'
import type { ExecRequest, Limits, Note, Sandbox, SandboxName, Who, WindowSize } from '../../shared/schema/index.ts'
import type { EnvironmentParts } from './environment.ts'
import type { Transfer } from './transfer.ts'

/** Who asks for a command and waits for its end. */
export interface Caller {
  /** an Idempotency-Key: the same key and body give the same run, another body CONFLICT */
  key?: string | undefined
  /** aborts when the caller has gone; the run is cancelled when the last who waits for it goes before its end */
  gone: AbortSignal
  /** whose token it is */
  who: Who
}

/** The body of POST /exec, what a dialect made of its tool's arguments, or the command that does the same as a transfer of files. */
export type AnyRequest = ExecRequest & Partial<DialectRequest> & { dialect?: string; transfer?: Transfer }

/** A Request filled in and clamped: no later line asks "if undefined". */
export interface Command {
  script: string
  /** who words it: oneclaw is canonical */
  dialect: string
  cwd: string
  /** the whole environment but for PWD and the mark */
  env: Record<string, string>
  /** what the request added to the environment; null: nothing */
  additions: Record<string, string> | null
  timeoutMs: number
  maxLength: number
  encoding: 'utf8' | 'base64'
  stdin: Buffer | 'open' | null
  /** in a terminal of this size, which never is without background; null: none */
  tty: WindowSize | null
  background: boolean
  /** output beyond what is kept waits for its readers */
  waitsForReader: boolean
  /** null: it runs on though nobody watches it */
  leaseMs: number | null
  artifactPaths: string[]
  sandbox: Sandbox
  limits: Limits
  /** what only a dialect can ask for: its guards, its kill grace, how much output its text needs */
  wish: Pick<DialectRequest, 'policy' | 'ask' | 'killGraceMs' | 'output' | 'scratchpad'>
  /** what the service does in place of a process */
  transfer: Transfer | null
  notes: readonly Note[]
}

/** What fills a request in: the owner's settings, and what this machine has. */
export interface CommandSettings extends EnvironmentParts, SandboxParts {
  settings: Settings
  home: string
  /** by the launcher alone can processes be counted, and the kernel be told whom to kill first */
  hasLauncher: boolean
}

/** Which sandboxes can be had here, and why not the others. */
export interface Sandboxes {
  available: SandboxName[]
  reason: string | null
}

/** What decides about a command's sandbox beside its request. */
export interface SandboxParts {
  settings: Pick<Settings, 'sandbox' | 'sandbox.network' | 'sandbox_floor' | 'working_directory'>
  sandboxes: Sandboxes
  /** `workspace_dir` stays writable in workspace-write; null: the command's directory, or with a floor the default one */
  policy: Pick<PolicySettings, 'workspace_dir'>
  /** folders that no sandboxed command may even read */
  hidden: string[]
}
