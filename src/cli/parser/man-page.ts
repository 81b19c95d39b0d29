import { flagName } from '../../server/config/index.ts'
import type { SettingRow } from '../../shared/schema/index.ts'
import { allCodes, usualCodes } from './exit-codes.ts'
import { optionMeaning, optionName, settingText, usageOf } from './help.ts'
import {
  groups,
  type Options,
  rowNamed,
  type SettingFlags,
  type Subcommand,
  type Subcommands,
  type Verb,
  verbOfTopic,
} from './subcommand.ts'

/** The rows from which the manual pages are made. */
interface Manual {
  rows: SettingRow[]
  subcommands: Subcommands
  version: string
}

/** The files that a person may read, edit or copy. */
const files = [
  ['~/.shellphone/config.yaml', 'The settings of the service ($SHELLPHONE_HOME names another directory)'],
  ['~/.shellphone/token', "The owner's token, until the command line is used for the first time"],
  ['~/.shellphone/tokens.json', 'The named tokens and their rights, as hashes'],
  ['~/.shellphone/tls-key.pem', "The service's own private key, which paired clients pin"],
  ['~/.shellphone/history', 'The records of all runs'],
  ['~/.shellphone/runs', 'The stored output of runs'],
  [
    '~/.config/shellphone/remotes.json',
    'The paired phones and their tokens (mode 0600; $XDG_CONFIG_HOME names another directory)',
  ],
] as const

/** All manual pages by the names of their files: shellphone.1, and shellphone-SUBCOMMAND.1 for each subcommand. */
export const manPages = (manual: Manual): Record<string, string> =>
  Object.fromEntries([
    ['shellphone.1', manPage([], manual)],
    ...Object.keys(manual.subcommands).map((name) => [`shellphone-${name}.1`, manPage([name], manual)]),
  ])

/** The manual page of a subcommand, of one of its verbs, or of shellphone itself, in the man macros of roff. Throws UsageError for another name. */
export function manPage([name, verb]: readonly string[], { rows, subcommands, version }: Manual): string {
  const own = name === undefined ? null : rowNamed(subcommands, name, `man ${name}`)
  const ofVerb = verb === undefined ? null : verbOfTopic('man', name!, own!, verb)
  const title = ['shellphone', name, verb].filter((one) => one !== undefined).join('-')
  const head = `.TH ${roff(title.toUpperCase())} 1 "" "shellphone ${roff(version)}" "Shellphone"`
  const body =
    own === null
      ? overviewParts(rows, subcommands)
      : ofVerb === null
        ? subcommandParts(name!, own)
        : verbParts(`${name} ${verb}`, own, ofVerb)
  const others =
    own === null
      ? 'man shellphone-SUBCOMMAND, such as man shellphone-token. For the page of a subcommand of a subcommand: shellphone man token create | man -l -'
      : ofVerb === null
        ? 'shellphone(1)'
        : `shellphone-${name}(1)`
  return `${[head, ...body, ...section('SEE ALSO', [roff(others)])].join('\n')}\n`
}

/** Text as roff prints it: no escapes, no requests, and hyphens that can be copied. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

const section = (title: string, lines: string[]): string[] => (lines.length > 0 ? [`.SH ${title}`, ...lines] : [])
const item = (name: string, meaning: string): string[] => ['.TP', `.B ${roff(name)}`, roff(meaning.replaceAll('`', ''))]

function overviewParts(rows: SettingRow[], subcommands: Subcommands): string[] {
  return [
    ...section('NAME', [roff('shellphone - run shell commands on this machine for agents elsewhere on the network')]),
    ...section('SYNOPSIS', ['.B shellphone', roff('[SUBCOMMAND] [OPTION …] [OPERAND …]')]),
    ...section(
      'SUBCOMMANDS',
      groups.flatMap((group) => {
        const own = Object.entries(subcommands).filter(([, row]) => row.group === group)
        return [`.SS ${roff(group)}`, ...own.flatMap(([name, { meaning }]) => item(name, meaning))]
      }),
    ),
    ...section('SETTINGS', [
      roff('Flags override SHELLPHONE_* environment variables, which override $SHELLPHONE_HOME/config.yaml.'),
      ...rows.flatMap((row) => item(`--${flagName(row.name)}`, settingText(row))),
    ]),
    ...section('EXAMPLES', [
      '.nf',
      ...Object.values(subcommands).flatMap(({ examples = [] }) => examples.slice(0, 1).map(roff)),
      '.fi',
    ]),
    ...section('EXIT STATUS', [roff(allCodes)]),
    ...section('ENVIRONMENT', [
      ...item('SHELLPHONE_HOME', 'The private directory of the service (default: ~/.shellphone)'),
      ...item('SHELLPHONE_REMOTE', 'The paired phone to use if --on is not given'),
      ...item('SHELLPHONE_TOKEN', 'The token to use'),
      ...item('NO_COLOR', 'Print no colours'),
    ]),
    ...section(
      'FILES',
      files.flatMap(([path, meaning]) => item(path, meaning)),
    ),
  ]
}

function subcommandParts(name: string, subcommand: Subcommand): string[] {
  const { meaning, notes = [], verbs = {}, defaultVerb, options = {}, settings } = subcommand
  const { examples = [], exitCodes = usualCodes } = subcommand
  return [
    ...section('NAME', [roff(`shellphone-${name} - ${meaning}`)]),
    ...section('SYNOPSIS', [`.B shellphone ${roff(name)}`, roff(usageOf(subcommand))]),
    ...section('DESCRIPTION', notes.map(roff)),
    ...section(
      'SUBCOMMANDS',
      Object.entries(verbs).flatMap(([verb, row]) => [
        ...item(`${verb} ${row.operands ?? ''}`.trim(), row.meaning + (verb === defaultVerb ? ' (default)' : '')),
        ...(row.options ? ['.RS', ...optionItems(row.options), '.RE'] : []),
      ]),
    ),
    ...section('OPTIONS', [...optionItems(options), ...flagItems(settings)]),
    ...section('EXAMPLES', examples.length > 0 ? ['.nf', ...examples.map(roff), '.fi'] : []),
    ...section('EXIT STATUS', [roff(`${exitCodes}.`)]),
  ]
}

function verbParts(name: string, subcommand: Subcommand, verb: Verb): string[] {
  const { options, settings, examples = [], exitCodes: usual } = subcommand
  const { meaning, notes = [], exitCodes = usual ?? usualCodes } = verb
  const mine = examples.filter((example) => example.includes(`shellphone ${name}`))
  return [
    ...section('NAME', [roff(`shellphone-${name.replace(' ', '-')} - ${meaning}`)]),
    ...section('SYNOPSIS', [`.B shellphone ${roff(name)}`, roff(usageOf(subcommand, verb))]),
    ...section('DESCRIPTION', notes.map(roff)),
    ...section('OPTIONS', [...optionItems({ ...verb.options, ...options }), ...flagItems(verb.settings ?? settings)]),
    ...section('EXAMPLES', mine.length > 0 ? ['.nf', ...mine.map(roff), '.fi'] : []),
    ...section('EXIT STATUS', [roff(`${exitCodes}.`)]),
  ]
}

/** The flags that a subcommand accepts besides its options. */
const flagItems = (settings: SettingFlags): string[] =>
  ({
    none: [],
    home: item('--home', 'The private directory of the service (default: ~/.shellphone)'),
    place: item('--home, --host, --port', 'Which service of this machine to use'),
    all: [
      ...item('--home', 'The private directory of the service (default: ~/.shellphone)'),
      '.P',
      roff('Every setting is also a flag; shellphone(1) lists them.'),
    ],
  })[settings]

const optionItems = (options: Options): string[] =>
  Object.entries(options).flatMap(([option, row]) => item(optionName(option, row), optionMeaning(row)))
