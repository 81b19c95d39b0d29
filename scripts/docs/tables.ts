/** Generates the tables of the documents from rows in the code. Each table is between two comments, `<!-- NAME: … -->` and `<!-- /NAME -->`. */
import { readFileSync } from 'node:fs'
import { presets } from '../../src/cli/subcommands/shared-options.ts'
import { policySettings, presetSettings, rules } from '../../src/server/policy/index.ts'
import {
  bySubject,
  errorMeanings,
  errorTable,
  type ErrorType,
  NO_SUBJECT,
  type SettingRow,
  wanted,
} from '../../src/shared/schema/index.ts'
import { allSettings } from '../../src/server/settings.ts'
import { attempts, sandboxes } from '../../test/support/sandbox/attempts.ts'
import { fixedLimits, isLimit } from './limits.ts'
import { appOfRoutes, documentOf } from './openapi-document.ts'

const rows = allSettings({ platform: 'linux', home: '/home/you', prefix: undefined })

/** The ten settings that people change most; src/server/config/README.md lists all. */
const tenSettings = [
  'host',
  'port',
  'policy',
  'sandbox',
  'working_directory',
  'timeout_seconds',
  'max_running',
  'approval_timeout_seconds',
  'allowed_commands',
  'history_max_age_days',
]

const table = (heads: string[], lines: string[][]): string =>
  [heads, heads.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

const defaultOf = (row: SettingRow) => row.defaultText ?? `\`${JSON.stringify(row.default)}\``
const typeOf = (row: SettingRow) => wanted(row.schema).replace(/^(an?|one of) /, '')

const tableOfSettings = (settings: SettingRow[]): string =>
  table(
    ['setting', 'value', 'default', 'unit', 'live', 'meaning'],
    settings.map((row) => [
      `\`${row.name}\``,
      typeOf(row),
      defaultOf(row),
      row.unit,
      row.live ? 'yes' : '',
      row.meaning,
    ]),
  )

/** What the errors of Node's HTTP parser mean, which are about the request line, headers and speed of a client, not about its input. */
const ofParser: Record<string, [meaning: string, advice: string]> = {
  408: ['The request did not arrive within a minute', 'Send it again; send large data with `PUT /files`'],
  431: ['The headers are larger than 16 KiB', 'Send fewer or shorter headers'],
}

/** They have no row of their own (toClientError in src/http/error-replies.ts). */
const parserErrors = Object.keys(ofParser).map((status) => ({
  status: Number(status),
  type: errorTable.VALIDATION_ERROR.type,
}))

function wordsFor(status: string, type: ErrorType): [meaning: string, advice: string] {
  const { meaning, advice } = errorMeanings[type]
  return ofParser[status] ?? [meaning, advice]
}

/** What a preset sets a key of the policy to. */
const valueIn = (preset: (typeof presets)[number], name: keyof ReturnType<typeof presetSettings>) =>
  `\`${JSON.stringify(presetSettings(preset)[name])}\``

/** The tables of each document. */
const tables: { file: string; name: string; make(): string | Promise<string> }[] = [
  {
    file: 'README.md',
    name: 'ten settings',
    make: () => {
      const ten = tenSettings.map((name) => rows.find((row) => row.name === name)!)
      return table(
        ['setting', 'default', 'meaning'],
        ten.map((row) => [`\`${row.name}\``, defaultOf(row), row.meaning]),
      )
    },
  },
  {
    file: 'src/server/config/README.md',
    name: 'settings',
    make: () =>
      bySubject(rows)
        .map(([title, own]) => {
          if (title === NO_SUBJECT) throw new Error(`${own[0]!.name} belongs to no subject of setting-subjects.ts`)
          return `### ${title}\n\n${tableOfSettings(own)}`
        })
        .join('\n\n'),
  },
  {
    file: 'src/cli/RUNNING.md',
    name: 'limits',
    make: () =>
      table(
        ['setting', 'default', 'unit', 'what it limits'],
        rows.filter(isLimit).map((row) => [`\`${row.name}\``, defaultOf(row), row.unit, row.meaning]),
      ),
  },
  {
    file: 'src/cli/RUNNING.md',
    name: 'fixed limits',
    make: () => table(['what', 'limit'], fixedLimits()),
  },
  {
    file: 'src/server/spawn/README.md',
    name: 'sandboxes',
    make: () => {
      const words: Record<string, string> = { y: 'yes', n: '**no**' }
      return table(
        ['', ...sandboxes.map(([name]) => name)],
        attempts.map(([what, , expected]) => [what, ...[...expected].map((letter) => words[letter]!)]),
      )
    },
  },
  {
    file: 'src/server/policy/README.md',
    name: 'presets',
    make: () => {
      const keys = policySettings.filter(
        ({ name }) => name !== 'policy' && new Set(presets.map((one) => valueIn(one, name))).size > 1,
      )
      return table(
        ['key', ...presets],
        keys.map(({ name }) => [`\`${name}\``, ...presets.map((one) => valueIn(one, name))]),
      )
    },
  },
  {
    file: 'src/server/policy/README.md',
    name: 'rules',
    make: () =>
      table(
        ['guard', 'rule', 'says', 'reason'],
        rules.map(({ guard, name, verdict, reason }) => [guard, `\`${name}\``, verdict, reason]),
      ),
  },
  {
    file: 'src/server/routes/README.md',
    name: 'routes',
    make: async () =>
      table(
        ['route', 'does'],
        (await operations()).map(([route, summary]) => [`\`${route}\``, summary]),
      ),
  },
  {
    file: 'src/server/routes/README.md',
    name: 'errors',
    make: () =>
      table(
        ['status', '`error.type`', 'meaning', 'what the client should do'],
        [...new Set([...Object.values(errorTable), ...parserErrors].map(({ status, type }) => `${status} ${type}`))]
          .map((row) => row.split(' ') as [string, ErrorType])
          .sort(([one], [other]) => Number(one) - Number(other))
          .map(([status, type]) => [status, `\`${type}\``, ...wordsFor(status, type)]),
      ),
  },
]

/** The name, such as `GET /runs/:id`, and the summary of every operation. */
async function operations(): Promise<[string, string][]> {
  const app = await appOfRoutes(documentOf)
  const paths = app.swagger().paths as Record<string, Record<string, { summary: string }>>
  await app.close()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]): [string, string] => [
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      summary,
    ]),
  )
}

/** Returns the documents with their current tables: file → text. Throws if the comments around a table are missing. */
export async function documentsWithTables(root: URL): Promise<Map<string, string>> {
  const documents = new Map<string, string>()
  for (const { file, name, make } of tables) {
    const text = documents.get(file) ?? readFileSync(new URL(file, root), 'utf8')
    const [start, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- /${name} -->`]
    const [before, after] = [text.indexOf(start), text.indexOf(end)]
    if (before === -1 || after === -1) throw new Error(`${file}: the comments around the table "${name}" are missing`)
    documents.set(file, `${text.slice(0, before + start.length)}\n\n${await make()}\n\n${text.slice(after)}`)
  }
  return documents
}
