import { flagName } from '../../server/config/index.ts'
import { didYouMean, type SettingRow, UsageError } from '../../shared/schema/index.ts'
import type { Values } from './values.ts'

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

/** The names that a running service knows; completion asks it for them. */
export const serviceNames = ['live-runs', 'sessions', 'tokens', 'approvals', 'rules'] as const

/** What completion offers for an operand or for the value of an option: names from the service, from files of this machine, or from the tables. */
export type Completes =
  | (typeof serviceNames)[number]
  | 'runs'
  | 'remotes'
  | 'files'
  | 'topics'
  | 'subcommands'
  | 'settings'
  | 'setting and value'

/** One option of a subcommand: `--NAME`, with a VALUE if it takes one. */
export interface Option {
  meaning: string
  /** the placeholder for the value in the help, such as `NAME`; without it, the option is a switch */
  value?: string
  /** the option may be repeated; its values are joined with commas */
  isList?: boolean
  short?: string
  /** the values that the parser accepts (default: all) */
  values?: Values
  completes?: Completes
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
  /** what completion offers for its operands */
  completes?: Completes
  /** fixed operands, which completion offers */
  words?: readonly string[]
  /** true: scripts use it, and completion does not offer it */
  isForScripts?: boolean
  /** its names in other tools, which errors answer with its own */
  alsoCalled?: readonly string[]
  /** names in other tools for what it does with an option, and that option */
  withOption?: Readonly<Record<string, string>>
  /** sentences about its operands, for the help */
  notes?: readonly string[]
  /** the meaning of each of its exit codes (default for a verb: those of its subcommand) */
  exitCodes?: string
  /** the settings that it accepts as flags: all of them, those that locate the service (`place`), the home, or none (default for a verb: those of its subcommand) */
  settings?: SettingFlags
}

export type SettingFlags = 'all' | 'place' | 'home' | 'none'

/** One row: the help, the options, and the function to run, which loads the rest of its code. */
export interface Subcommand extends Verb {
  group: (typeof groups)[number]
  /** its own subcommands; `options` of the row belong to all of them */
  verbs?: Readonly<Record<string, Verb>>
  /** the verb if argv names none; if it takes operands, they may follow the subcommand directly */
  defaultVerb?: string
  settings: SettingFlags
  /** options of other tools, and what to use instead, for errors */
  otherOptions?: Readonly<Record<string, string>>
  /** options end at the first operand; anything after it is an operand */
  optionsFirst?: boolean
  examples?: readonly string[]
  /** the exit code of every error of shellphone itself, because the other codes are the command's */
  ownErrorCode?: number
  /** resolves with the exit code, or with anything else to leave it unchanged */
  run(invocation: Invocation): Promise<unknown>
}

export type Subcommands = Readonly<Record<string, Subcommand>>

/** Returns the subcommand or verb with this name. Throws UsageError for an unknown name. `line`: the command line up to the name, for the message; `others`: more names to suggest. */
export function rowNamed<Row extends Verb>(
  rows: Readonly<Record<string, Row>>,
  name: string,
  line: string,
  others: readonly string[] = [],
): Row {
  if (Object.hasOwn(rows, name)) return rows[name]!
  throw new UsageError(`${line}: unknown subcommand${nearestRow(rows, name, others)}; list them with shellphone help`)
}

/** The end of an error about an unknown name: the rows that other tools call so, or the nearest names. */
export function nearestRow(rows: Readonly<Record<string, Verb>>, name: string, others: readonly string[] = []): string {
  const meant = Object.entries(rows).flatMap(([own, { alsoCalled = [], withOption = {} }]) => {
    if (alsoCalled.includes(name)) return [own]
    return Object.hasOwn(withOption, name) ? [`${own} ${withOption[name]}`] : []
  })
  return meant.length > 0
    ? `, did you mean ${meant.join(' or ')}?`
    : didYouMean(name, [...Object.keys(rows), ...others])
}

/** Finds the verb for `help NAME VERB` and `man NAME VERB`. Throws UsageError for an unknown verb. */
export function verbOfTopic(topic: string, name: string, { verbs }: Subcommand, verb: string): Verb {
  const line = `${topic} ${name} ${verb}`
  if (verbs !== undefined) return rowNamed(verbs, verb, line)
  throw new UsageError(`${line}: ${name} has no subcommands; see shellphone ${name} --help`)
}

/** The settings with which a client finds the service on this machine. */
const addressSettings = ['host', 'port'] as const

/** The names of the flags that belong to `settings`: those of the settings, and the home. */
export function flagsOf(settings: SettingFlags, rows: SettingRow[]): string[] {
  if (settings === 'none') return []
  const names = { all: rows.map((row) => flagName(row.name)), place: addressSettings, home: [] }[settings]
  return ['home', ...names]
}

/** The names of the flags of a subcommand and its verbs. */
export const allFlags = ({ settings, verbs = {} }: Subcommand, rows: SettingRow[]): string[] => [
  ...new Set(
    [settings, ...Object.values(verbs).map((verb) => verb.settings ?? settings)].flatMap((one) => flagsOf(one, rows)),
  ),
]
