import type { DoctorReport, ToolEnd } from '../../shared/schema/index.ts'

/** The machine that setup changes, and functions that query it. */
export interface SetupWorld {
  env: Record<string, string | undefined>
  /** $HOME */
  home: string
  /** $PREFIX, on Termux */
  prefix: string | undefined
  /** absolute path of node */
  node: string
  /** the package's directory, with dist/ and termux/ */
  tree: string
  /** this user's numeric id */
  user: string
  /** Whether PATH contains a program with this name. */
  has(program: string): boolean
  /** Runs a program on PATH for at most `limitMs`. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string>): Promise<ToolEnd>
  /** Resolves with true if the service responds at this address. */
  answers(host: string, port: number): Promise<boolean>
  /** this machine's addresses except loopback, the most likely first */
  addresses(): Promise<string[]>
  /** Resolves with the address of the installed service according to all of its settings, including config.yaml. Rejects with SettingError. */
  listensAt(): Promise<{ host: string; port: number }>
  /** Resolves with true if the installed service uses TLS with other machines. */
  isEncrypted(): Promise<boolean>
  /** Returns the pid of the service that uses this home; null: none does. */
  holderOf(serviceHome: string): number | null
  doctor(): Promise<DoctorReport>
  describe(report: DoctorReport): string
  say(line: string): void
  /** asks a person a yes-or-no question; null: there is no terminal */
  confirm: ((question: string) => Promise<boolean>) | null
}

export type TermuxWorld = SetupWorld & { prefix: string }

/** The options of setup; null keeps the value of the last setup. */
export interface SetupOptions {
  host: string | null
  port: number | null
  wakeLock: boolean | null
  start: boolean
  upgrade: boolean
  undo: boolean
  purge: boolean
  yes: boolean
}

/** One change that is still needed: a one-line description and the function that applies it. */
export interface Change {
  what: string
  /** rejects with SetupError */
  make(): Promise<void>
}

/** Setup failed; the message is one line. */
export class SetupError extends Error {
  readonly exitCode = 1
}
