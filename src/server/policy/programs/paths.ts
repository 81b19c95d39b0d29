/** The paths inside one word: --flag=path, name=path, @path, file://path, host:path, a:b. */
import { literalWord, soleOf, unknownWord, valuesOf, type Word } from '../script/script.ts'
import type { Below, Deletes, Effect, PathWord } from './effect.ts'

/** A word that is a file, or may be one. */
export function pathOf(word: Word, certain = true): PathWord {
  const { source, literal, fields, prefix, glob, splits } = word
  return { source, literal, fields, prefix, glob, splits, values: valuesOf(word), certain }
}

/** A path that is written out. */
export const plainPath = (path: string): PathWord => pathOf(literalWord(path))

export type Deletion = Omit<Deletes, 'does' | 'path'>

/** Deletes what these words name. */
export const deleted = (words: readonly Word[], more: Deletion): Effect[] =>
  words.map((word) => ({ does: 'deletes', path: pathOf(word), ...more }))

/** Takes away what these words name, to bring it elsewhere or in a way that asks little. */
export const moved = (words: readonly Word[]): Effect[] => deleted(words, { recursive: true, how: 'moves' })

/** A path that starts from another. */
export function joinedWord(base: Word, path: Word): Word {
  if (path.prefix.startsWith('/') || base.literal === '.') return path
  const [from, to] = [soleOf(base), soleOf(path)]
  return from === null || to === null ? unknownWord(path.source) : literalWord(`${from}/${to}`)
}

/** Reads what lies below what these words name. */
export const readWhole = (words: readonly Word[], below: Below = {}, certain = true): Effect[] =>
  words.map((word) => ({ does: 'reads', path: pathOf(word, certain), recursive: true, below }))

/** The directory that a program works in where its words name none. */
export const orHere = (words: readonly Word[]): readonly Word[] => (words.length > 0 ? words : [literalWord('.')])

/** The files that a word names; none where it cannot be one. `remote`: host:path is a file elsewhere. */
export function pathsOf(word: Word, certain: boolean, remote = false): PathWord[] {
  const values = valuesOf(word)
  if (values === null) {
    if (url.test(word.prefix)) return []
    return [{ ...pathOf(word, certain), prefix: word.prefix.replace(/^-[^=]*=/, '') }]
  }
  const parts = values.flatMap((value) => split(value, remote))
  return parts.length > 0 ? [{ ...pathOf(word, certain), values: parts }] : []
}

const url = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i
const MAX_PARTS = 32

function split(text: string, remote: boolean): string[] {
  if (/^file:/i.test(text)) return [text.replace(/^file:(?:\/\/[^/]*)?/i, '') || '/']
  if (url.test(text) || text === '' || text === '-' || text === '--') return []
  const value = /^(?:-{1,2}[\w-]+|[A-Za-z_][\w.-]*)=(.*)$/s.exec(text)
  if (value) return split(value[1]!, remote)
  if (/^[@<]./.test(text) && /[/.]/.test(text)) return [text.slice(1), text]
  const inside = within(text, remote)
  if (text.startsWith('-') && !text.includes('/')) return inside
  return [...inside, text]
}

// paths in the middle of a word: name@/x, concat:/x|/y, {/x,y}, "/x"
function within(text: string, remote: boolean): string[] {
  const marks = remote
    ? /[=@,|{"'(<]["']?((?:\/(?!\/)|~\/|\.\.\/)[^,|{}"'()<>:]*)/g
    : /[=@,|{"'(<:]["'@]?((?:\/(?!\/)|~\/|\.\.\/)[^,|{}"'()<>:]*)/g
  const listed = remote ? null : /^((?:\/|~)[^:]*):/.exec(text)?.[1]
  return [...(listed ? [listed] : []), ...[...text.matchAll(marks)].slice(0, MAX_PARTS).map((match) => match[1]!)]
}
