import { flagName } from '../../server/config/index.ts'
import { didYouMean, type SettingRow, UsageError } from '../../shared/schema/index.ts'

/** The headings of `shellphone help`, in order. */
export const groups = [
  'Commands and files',
  'Runs',
  'Approvals',
  'Devices and access',
  'Service',
  'Fleet',
  'Help',
] as const

/** One option of a subcommand: `--NAME`, with a VALUE if it takes one. */
export interface Option {
  meaning: string
  /** the placeholder for the value in the help, such as `NAME`; without it, the option is a switch */
  value?: string
  short?: string
}

export type Options = Readonly<Record<string, Option>>

export interface Invocation {
  /** begins with the verb if the subcommand has verbs and argv names one */
  operands: string[]
  /** the subcommand's own options; the value of a switch is '' */
  options: Map<string, string>
  /** settings by the names of their flags */
  flags: Map<string, string>
}

/** What can follow a name on the command line. */
export interface Verb {
  /** its operands, which the parser counts: `[X]` and `[X | Y Z]` may be missing, `…` allows more of the last one */
  operands?: string
  meaning: string
  options?: Options
  /** its operands or the value of an option are run ids; completion offers the ids that this machine has seen */
  completes?: 'runs'
}

/** One row: the help, the options, and the function to run, which loads the rest of its code. */
export interface Subcommand extends Verb {
  group: (typeof groups)[number]
  /** its own subcommands; `options` of the row belong to all of them */
  verbs?: Readonly<Record<string, Verb>>
  /** the verb if argv names none */
  defaultVerb?: string
  /** the settings that it accepts as flags: all of them, those that locate the service (`place`), or none */
  settings: 'all' | 'place' | 'none'
  /** options end at the first operand; anything after it is an operand */
  optionsFirst?: boolean
  examples?: readonly string[]
  /** the meaning of each of its exit codes (default: those of exitCodesText) */
  exitCodes?: string
  /** the exit code of every error of shellphone itself, because the other codes are the command's */
  ownErrorCode?: number
  /** resolves with the exit code, or with anything else to leave it unchanged */
  run(invocation: Invocation): Promise<unknown>
}

export type Subcommands = Readonly<Record<string, Subcommand>>

/** Returns the subcommand or verb with this name. Throws UsageError for an unknown name. `line`: the command line up to the name, for the message. */
export function rowNamed<Row>(rows: Readonly<Record<string, Row>>, name: string, line: string): Row {
  if (Object.hasOwn(rows, name)) return rows[name]!
  const nearest = didYouMean(name, Object.keys(rows))
  throw new UsageError(`${line}: unknown subcommand${nearest}; list them with shellphone help`)
}

/** The settings with which a client finds the service on this machine. */
export const addressSettings = ['host', 'port'] as const

/** The names of the flags of a subcommand: settings, and the home. */
export function flagsOf({ settings }: Subcommand, rows: SettingRow[]): string[] {
  if (settings === 'none') return []
  return ['home', ...(settings === 'all' ? rows.map((row) => flagName(row.name)) : addressSettings)]
}
