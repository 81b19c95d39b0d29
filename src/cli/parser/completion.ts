import { flagName } from '../../server/config/index.ts'
import type { SettingRow } from '../../shared/schema/index.ts'
import { bashScript } from './completion-bash.ts'
import type { CompletionWords, Offer } from './completion-words.ts'
import { fishScript } from './completion-fish.ts'
import { mostOperands } from './operands.ts'
import {
  type Completes,
  flagsOf,
  type Options,
  type SettingFlags,
  type Subcommand,
  type Subcommands,
  type Verb,
} from './subcommand.ts'

/** A program that completes shellphone's words in one shell. */
export type CompletionShell = 'bash' | 'zsh' | 'fish'

/** Returns a static script that completes subcommands, options, values and names. Only names that the service knows start shellphone. */
export function completionScript(shell: CompletionShell, rows: SettingRow[], subcommands: Subcommands): string {
  const words = Object.entries(subcommands).map(([name, row]) => wordsOf(name, row, rows, subcommands))
  if (shell === 'fish') return fishScript(words)
  return shell === 'bash' ? bashScript(words) : `autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`
}

function wordsOf(name: string, row: Subcommand, rows: SettingRow[], subcommands: Subcommands): CompletionWords {
  const entry = (name: string, verb: Verb, options: Options, settings: SettingFlags, verbs: CompletionWords[]) => ({
    name,
    optionsFirst: false,
    operands: offerOf(verb.completes, verb.words, rows, subcommands),
    most: verbs.length > 0 ? 1 : mostOperands(verb),
    shortWithValue: Object.values(options).flatMap(({ short, value }) => (short && value ? [`-${short}`] : [])),
    options: new Map([
      ...Object.entries(options).map(([option, { value, values, completes }]) => {
        const isPath = value === 'PATH' || value === 'FILE'
        const offer = offerOf(completes ?? (isPath ? 'files' : undefined), values?.words, rows, subcommands)
        return [`--${option}`, value === undefined ? null : offer] as const
      }),
      ...flagsOf(settings, rows).map((flag) => [`--${flag}`, offerOfFlag(flag, rows)] as const),
      ['--help', null] as const,
    ]),
    verbs,
  })
  const offered = Object.entries(row.verbs ?? {}).filter(([, { isForScripts }]) => !isForScripts)
  const verbs = offered.map(([verb, own]) =>
    entry(verb, own, { ...own.options, ...row.options }, own.settings ?? row.settings, []),
  )
  return { ...entry(name, row, row.options ?? {}, row.settings, verbs), optionsFirst: row.optionsFirst === true }
}

function offerOf(
  completes: Completes | undefined,
  words: readonly string[] = [],
  rows: SettingRow[],
  subcommands: Subcommands,
): Offer {
  const names = Object.keys(subcommands)
  const settings = rows.map((row) => row.name)
  if (completes === 'subcommands') return { words: names }
  if (completes === 'topics') return { words: [...names, 'settings'], rareWords: settings }
  if (completes === 'settings') return { words: [...words, ...settings] }
  if (completes === 'setting and value') {
    return { words: settings, next: new Map(settings.map((name) => [name, offerOfFlag(flagName(name), rows).words])) }
  }
  return { words, names: completes }
}

/** The values of a setting: the names of an enumeration, or files. */
function offerOfFlag(flag: string, rows: SettingRow[]): Offer {
  const row = rows.find(({ name }) => flagName(name) === flag)
  if (row === undefined) return { words: [], names: flag === 'home' ? 'files' : undefined }
  const { schema, unit } = row
  if (schema.type === 'boolean') return { words: ['true', 'false'] }
  const words = (schema.anyOf ?? []).flatMap(({ const: word }: { const?: unknown }) => word ?? [])
  return {
    words: words.filter((word: unknown) => typeof word === 'string'),
    names: unit === 'path' ? 'files' : undefined,
  }
}
