import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { type SettingRow, shown, UsageError } from '../../shared/schema/index.ts'
import { checkSetting, settingsIn } from '../../server/config/index.ts'
import { checkPatterns } from '../../server/settings.ts'
import { type ImportRow, importRows } from './import-rows.ts'

/** What another system's configuration file becomes. */
interface ImportedConfig {
  system: string
  /** the values, by the names of the settings */
  settings: Record<string, unknown>
  /** keys that this service has no setting for, with the reason */
  noEquivalent: { key: string; reason: string }[]
  /** keys that are not part of that system's tool */
  unknown: string[]
}

interface ImportOptions {
  /** the name of the system; undefined: the file's keys decide */
  system: string | undefined
  rows: SettingRow[]
  /** the directory for which `~` stands */
  home: string
}

type Entry = [key: string, value: unknown]

/** Reads another system's configuration file (YAML, TOML or JSON). Rejects with UsageError, which names the key and what was expected. */
export async function importFile(path: string, { system: named, rows, home }: ImportOptions): Promise<ImportedConfig> {
  const entries = withVariables(settingsIn(await parse(path)))
  const system = named ?? systemOf(entries, path)
  const known = importRows[system]
  if (!known) throw new UsageError(`--from: expected one of ${Object.keys(importRows).join(', ')}, got ${shown(named)}`)
  const imported: ImportedConfig = { system, settings: {}, noEquivalent: [], unknown: [] }
  const sources = new Map<string, string>()
  for (const [key, value] of entries) {
    const row = known.find(({ keys, setting }) =>
      keys.some((one) => one === key || (setting === null && key.startsWith(`${one}.`))),
    )
    if (!row) imported.unknown.push(key)
    else if (row.setting === null) imported.noEquivalent.push({ key, reason: row.reason! })
    else {
      const other = sources.get(row.setting)
      if (other !== undefined) throw new UsageError(`${path}: ${key} and ${other} both set ${row.setting}`)
      sources.set(row.setting, key)
      imported.settings[row.setting] = valueOf(row, key, value, { rows, home, path })
    }
  }
  checkPatterns(imported.settings)
  return { ...imported, unknown: shortened(imported.unknown, known) }
}

function valueOf(
  { setting, toValue }: ImportRow,
  key: string,
  value: unknown,
  { rows, home, path }: Pick<ImportOptions, 'rows' | 'home'> & { path: string },
): unknown {
  const row = rows.find(({ name }) => name === setting)!
  return checkSetting(row, toValue ? toValue(value, home) : value, `${path}, ${key}`)
}

/** Larger files are not configurations. */
const MAX_FILE_BYTES = 1_048_576

const parsers: Record<string, (text: string) => Promise<unknown>> = {
  '.yaml': async (text) => (await import('yaml')).default.parse(text),
  '.yml': async (text) => (await import('yaml')).default.parse(text),
  '.toml': async (text) => (await import('smol-toml')).parse(text),
  '.json': async (text) => JSON.parse(text),
}

async function parse(path: string): Promise<object> {
  const kind = extname(path).toLowerCase()
  const parser = parsers[kind]
  if (!parser)
    throw new UsageError(`config import: ${path}: expected a file with the extension .yaml, .yml, .toml or .json`)
  let document: unknown
  try {
    const { size } = statSync(path)
    if (size > MAX_FILE_BYTES) throw new Error(`expected at most ${MAX_FILE_BYTES} bytes, got ${size}`)
    document = await parser(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new UsageError(`config import: ${path} does not exist`)
    const [reason] = message.split(/:?\n/)
    throw new UsageError(`${path}: ${reason}`)
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  throw new UsageError(`${path}: expected keys with values, got ${shown(document)}`)
}

/** agent-world stores a world's variables as lines of one string: `working_directory=/data`. */
function withVariables(entries: Entry[]): Entry[] {
  return entries.flatMap(([key, value]): Entry[] => {
    if (key !== 'variables' || typeof value !== 'string') return [[key, value]]
    return [...value.matchAll(/^\s*([\w.-]+)\s*=\s*(.*?)\s*$/gm)].map(([, name, text]) => [`variables.${name}`, text])
  })
}

/** Returns the system that knows the most keys of the file. Throws UsageError if no system does, or if two know equally many. */
function systemOf(entries: Entry[], path: string): string {
  const counts = Object.entries(importRows).map(([system, known]) => ({
    system,
    count: entries.filter(([key]) => known.some(({ keys }) => keys.includes(key))).length,
  }))
  const most = Math.max(...counts.map(({ count }) => count))
  const [first, second] = counts.filter(({ count }) => count === most)
  const names = counts.map(({ system }) => system).join(', ')
  if (most === 0) throw new UsageError(`${path}: no key belongs to ${names}; name the system with --from`)
  if (second)
    throw new UsageError(`${path}: its keys belong to ${first!.system} and to ${second.system}; choose one with --from`)
  return first!.system
}

/** Returns each unknown key once, at the highest level below which no key is known. */
function shortened(unknown: string[], known: ImportRow[]): string[] {
  const isOpen = (prefix: string) => known.some(({ keys }) => keys.some((key) => key.startsWith(`${prefix}.`)))
  const cut = (key: string) => {
    const parts = key.split('.')
    const depth = parts.findIndex((_, index) => !isOpen(parts.slice(0, index + 1).join('.')))
    return depth < 0 ? key : parts.slice(0, depth + 1).join('.')
  }
  return [...new Set(unknown.map(cut))]
}

/** Returns the settings as lines of config.yaml. */
export async function toYaml({ settings }: ImportedConfig): Promise<string> {
  const { Document } = (await import('yaml')).default
  const document = new Document({})
  for (const [name, value] of Object.entries(settings)) document.setIn(name.split('.'), value)
  return document.toString()
}
