import type { DoctorReport, ToolEnd } from '../../shared/schema/index.ts'

/** What it sets up on, and what it asks the machine with. */
export interface SetupWorld {
  env: Record<string, string | undefined>
  /** $HOME */
  home: string
  /** $PREFIX, on Termux */
  prefix: string | undefined
  /** absolute path of node */
  node: string
  /** where the package lies: dist/, termux/ */
  tree: string
  /** the number that the system knows this user by */
  user: string
  /** Is there a program of that name on PATH? */
  has(program: string): boolean
  /** Runs a program of PATH, bounded. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string>): Promise<ToolEnd>
  /** Does the service answer there? */
  answers(host: string, port: number): Promise<boolean>
  /** own addresses beyond loopback, the likeliest first */
  addresses(): Promise<string[]>
  /** Where the installed service listens, by all of its settings, config.yaml's too. Throws SettingError. */
  listensAt(): Promise<{ host: string; port: number }>
  /** Does the installed service speak TLS with other machines? */
  isEncrypted(): Promise<boolean>
  doctor(): Promise<DoctorReport>
  describe(report: DoctorReport): string
  say(line: string): void
  /** y or n of a person; null: there is none */
  confirm: ((question: string) => Promise<boolean>) | null
}

export type TermuxWorld = SetupWorld & { prefix: string }

/** What was asked for; null: as it was set last. */
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

/** One thing that is not yet as it should be: what is to be done about it, in a line, and the doing. */
export interface Change {
  what: string
  /** rejects with SetupError */
  make(): Promise<void>
}

/** It cannot be set up: one line that says why. */
export class SetupError extends Error {
  readonly exitCode = 1
}
