/** One option of a subcommand: `--NAME`, and VALUE where it takes one. */
export interface Option {
  meaning: string
  /** how the help calls what follows, `NAME`; without it the option is a switch */
  value?: string
  short?: string
}

export interface Invocation {
  operands: string[]
  /** what was given of the subcommand's own options; a switch is '' */
  options: Map<string, string>
  /** what was given of settings, by their flags' names */
  flags: Map<string, string>
}

/** One row: what the help says, which options there are, and what it does. What that needs is loaded when it is asked for. */
export interface Subcommand {
  /** its operands, as the help shows them */
  operands?: string
  meaning: string
  options?: Readonly<Record<string, Option>>
  /** flags of settings that it takes: all of them, or those that say where the service is */
  settings: 'all' | 'place' | 'none'
  /** its options stand before its operands; what looks like one behind them is theirs */
  optionsFirst?: boolean
  /** its operands, or what its option wants, are ids of runs: those that were seen here are offered at a Tab */
  completes?: 'runs'
  examples?: readonly string[]
  /** what its exit codes mean, beside 0 and 1 */
  exitCodes?: string
  /** resolves with the exit code, if it has one to give */
  run(invocation: Invocation): Promise<unknown>
}

export type Subcommands = Readonly<Record<string, Subcommand>>

/** Settings by which a client finds the service of this machine. */
export const placeSettings = ['host', 'port'] as const
