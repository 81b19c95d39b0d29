import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Document, Node, Pair, Scalar } from 'yaml'
import { UsageError } from '../../shared/schema/index.ts'
import { settingsIn } from '../../server/config/index.ts'
import { makeDirectory, replaceFile } from '../../server/host/index.ts'

/**
 * Sets settings in a config.yaml, and removes those whose value is undefined. The file's other settings and its comments stay, and it is
 * replaced atomically. Resolves with the path of the file; rejects with UsageError.
 */
export async function writeSettings(home: string, settings: Record<string, unknown>): Promise<string> {
  const { parse, parseDocument } = (await import('yaml')).default // before the file is read, so that nobody changes it in between
  const named = join(home, 'config.yaml')
  const path = existsSync(named) ? realpathSync(named) : named
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const document = parseDocument(before)
  const [error] = document.errors
  if (error) throw new UsageError(`${path}: expected YAML: ${error.message.split(/:?\n/)[0]}`)
  if (!isGroup(document.toJS() ?? {})) throw new UsageError(`${path}: expected settings as "name: value"`)
  for (const [name, value] of Object.entries(settings)) {
    try {
      change(document, name, value)
    } catch (error) {
      throw new UsageError(`${path}: cannot set ${name}: ${(error as Error).message}`)
    }
  }
  const isTight = /[[{][^\s\]}]/.test(before) // [a, b] rather than [ a, b ]
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: !isTight })
  const entries = settingsIn(parse(text) ?? {})
  for (const [name, value] of Object.entries(settings)) {
    const count = value === undefined ? 0 : 1
    if (entries.filter(([key]) => key === name).length === count) continue
    throw new UsageError(`${path}: ${name} is set in several ways; remove it first`)
  }
  makeDirectory(home, 0o700)
  replaceFile(path, text)
  return path
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function change(document: Document, name: string, value: unknown): void {
  const path = name.split('.')
  if (value === undefined || path.length > 1) remove(document, [name]) // the same setting in one word
  if (value !== undefined) document.setIn(path, value)
  else remove(document, path)
}

/** Removes an entry, and the groups that this empties. Comments above it stay, because they may be about more than the entry. */
function remove(document: Document, path: string[]): void {
  const key = path.at(-1)
  const group = path.length > 1 ? document.getIn(path.slice(0, -1)) : document.contents
  const { items = [] } = (group ?? {}) as { items?: Entry[] }
  const at = items.findIndex((item) => item.key.value === key)
  if (at < 0) return
  const [removed] = items.splice(at, 1)
  keepComments(document, removed!, items[at]?.key)
  if (items.length === 0 && path.length > 1) remove(document, path.slice(0, -1))
}

type Entry = Pair<Scalar, Node>

/** Moves the comments of a removed entry to the next one, or to the end of the file. */
function keepComments(document: Document, { key, value }: Entry, next: Scalar | undefined): void {
  const above = [key.commentBefore, value?.commentBefore].filter(Boolean)
  if (above.length === 0) return
  const joined = (own: string | null | undefined, gap: string) => [...above, own].filter(Boolean).join(gap)
  if (next === undefined) document.comment = joined(document.comment, '\n')
  else {
    next.commentBefore = joined(next.commentBefore, next.spaceBefore ? '\n\n' : '\n')
    next.spaceBefore = key.spaceBefore === true
  }
}
