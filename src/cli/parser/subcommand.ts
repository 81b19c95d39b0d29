/** One option of a subcommand: `--NAME`, with a VALUE if it takes one. */
export interface Option {
  meaning: string
  /** the placeholder for the value in the help, such as `NAME`; without it, the option is a switch */
  value?: string
  short?: string
}

export interface Invocation {
  operands: string[]
  /** the subcommand's own options; the value of a switch is '' */
  options: Map<string, string>
  /** settings by the names of their flags */
  flags: Map<string, string>
}

/** One row: the help, the options, and the function to run, which loads the rest of its code. */
export interface Subcommand {
  /** its operands, for the help */
  operands?: string
  meaning: string
  options?: Readonly<Record<string, Option>>
  /** the settings that it accepts as flags: all of them, those that locate the service (`place`), or none */
  settings: 'all' | 'place' | 'none'
  /** options end at the first operand; anything after it is an operand */
  optionsFirst?: boolean
  /** its operands or the value of an option are run ids; completion offers the ids that this machine has seen */
  completes?: 'runs'
  examples?: readonly string[]
  /** the meaning of its exit codes other than 0 and 1 */
  exitCodes?: string
  /** resolves with the exit code, or with anything else to leave it unchanged */
  run(invocation: Invocation): Promise<unknown>
}

export type Subcommands = Readonly<Record<string, Subcommand>>

/** The settings with which a client finds the service on this machine. */
export const addressSettings = ['host', 'port'] as const
