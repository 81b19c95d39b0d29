/** The paths inside one word: --flag=path, name=path, @path, file://path, host:path, a:b. */
import { literalWord, valuesOf, type Word } from '../shell/script.ts'
import type { PathWord } from './effect.ts'

/** A word that is a file, or may be one. */
export function pathOf(word: Word, certain: boolean): PathWord {
  return {
    values: valuesOf(word),
    prefix: word.prefix,
    glob: word.glob,
    splits: word.splits,
    source: word.source,
    certain,
  }
}

/** A path that is written out. */
export const plainPath = (path: string): PathWord => pathOf(literalWord(path), true)

/** The files that a word names; none where it cannot be one. */
export function pathsOf(word: Word, certain: boolean): PathWord[] {
  const values = valuesOf(word)
  if (values === null) return [{ ...pathOf(word, certain), prefix: word.prefix.replace(/^-[^=]*=/, '') }]
  const parts = values.flatMap(split)
  return parts.length > 0 ? [{ ...pathOf(word, certain), values: parts }] : []
}

const url = /^[a-z][a-z0-9+.-]*:\/\//i

function split(text: string): string[] {
  if (/^file:/i.test(text)) return [text.replace(/^file:(?:\/\/[^/]*)?/i, '') || '/']
  if (url.test(text) || text === '' || text === '-' || text === '--') return []
  const value = /^(?:-{1,2}[\w-]+|[A-Za-z_][\w.-]*)=(.*)$/s.exec(text)
  if (value) return split(value[1]!)
  const glued = /^-[A-Za-z]{1,2}((?:\/|~|\.\.(?:\/|$)).*)$/s.exec(text)
  if (glued) return split(glued[1]!)
  if (text.startsWith('-') && !text.includes('/')) return []
  if (/^[@<]./.test(text) && /[/.]/.test(text)) return [text.slice(1), text]
  const listed = /^((?:\/|~)[^:]*):(.*)$/s.exec(text)
  // a:b may be two paths, or one with what stands behind it
  return listed ? [listed[1]!, ...(listed[2]!.startsWith('/') ? split(listed[2]!) : [])] : [text]
}
