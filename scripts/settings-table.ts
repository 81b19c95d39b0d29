import { environmentName } from '../src/config/index.ts'
import { type SettingRow, wanted } from '../src/schema/index.ts'
import { allSettings } from '../src/settings.ts'

export const TABLE_START = '<!-- settings: written by npm run docs -->'
export const TABLE_END = '<!-- /settings -->'

/** The README's table of settings, from the rows of all rooms. */
export function settingsTable(): string {
  const rows = allSettings({ platform: 'linux', home: '/home/you', prefix: undefined })
  const lines = rows.map(toLine)
  return [
    TABLE_START,
    '',
    '| setting | value | default | unit | meaning | environment |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    TABLE_END,
  ].join('\n')
}

function toLine(row: SettingRow): string {
  const value = row.defaultText ?? `\`${JSON.stringify(row.default)}\``
  const type = wanted(row.schema)
    .replace(/^(an?|one of) /, '')
    .replaceAll('|', '\\|')
  return `| \`${row.name}\` | ${type} | ${value} | ${row.unit} | ${row.meaning} | \`${environmentName(row.name)}\` |`
}

/** The README with its table written anew. */
export function withSettingsTable(readme: string): string {
  const start = readme.indexOf(TABLE_START)
  const end = readme.indexOf(TABLE_END)
  if (start === -1 || end === -1) throw new Error('README.md: the markers of the settings table are missing')
  return readme.slice(0, start) + settingsTable() + readme.slice(end + TABLE_END.length)
}
