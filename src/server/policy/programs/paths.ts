/** Finds the paths inside one word: --flag=path, name=path, @path, file://path, host:path, a:b. */
import { literalWord, soleOf, unknownWord, valuesOf, type Word } from '../script/script.ts'
import type { FileFilter, DeleteEffect, Effect, PathWord } from './effect.ts'

/** Converts a word to a path. `certain`: it always names a file, not only if it looks like a path. */
export function pathOf(word: Word, certain = true): PathWord {
  const { source, literal, fields, prefix, glob, splits } = word
  return { source, literal, fields, prefix, glob, splits, values: valuesOf(word), certain }
}

/** Creates a path without expansions. */
export const plainPath = (path: string): PathWord => pathOf(literalWord(path))

export type Deletion = Omit<DeleteEffect, 'does' | 'path'>

/** The effects of deleting the files that these words name. */
export const deleted = (words: readonly Word[], more: Deletion): Effect[] =>
  words.map((word) => ({ does: 'deletes', path: pathOf(word), ...more }))

/** The effects of moving away the files that these words name, or of deleting them less destructively than rm does. */
export const moved = (words: readonly Word[]): Effect[] => deleted(words, { recursive: true, how: 'moves' })

/** Effects: writes these files. */
export const written = (words: readonly Word[]): Effect[] =>
  words.map((word) => ({ does: 'writes', path: pathOf(word) }))

/** Joins a path to a base directory. */
export function joinedWord(base: Word, path: Word): Word {
  if (path.prefix.startsWith('/') || base.literal === '.') return path
  const [from, to] = [soleOf(base), soleOf(path)]
  return from === null || to === null ? unknownWord(path.source) : literalWord(`${from}/${to}`)
}

/** The effects of reading everything below the directories that these words name. */
export const readWhole = (words: readonly Word[], below: FileFilter = {}, certain = true): Effect[] =>
  words.map((word) => ({ does: 'reads', path: pathOf(word, certain), recursive: true, below }))

/** Returns the words, or the current directory if there are no words. */
export const orHere = (words: readonly Word[]): readonly Word[] => (words.length > 0 ? words : [literalWord('.')])

/** Returns the files that a word may name. `remote`: host:path names a file on another machine. */
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

// paths inside a word: name@/x, concat:/x|/y, {/x,y}, "/x"
function within(text: string, remote: boolean): string[] {
  const marks = remote
    ? /[=@,|{"'(<]["']?((?:\/(?!\/)|~\/|\.\.\/)[^,|{}"'()<>:]*)/g
    : /[=@,|{"'(<:]["'@]?((?:\/(?!\/)|~\/|\.\.\/)[^,|{}"'()<>:]*)/g
  const listed = remote ? null : /^((?:\/|~)[^:]*):/.exec(text)?.[1]
  return [...(listed ? [listed] : []), ...[...text.matchAll(marks)].slice(0, MAX_PARTS).map((match) => match[1]!)]
}
