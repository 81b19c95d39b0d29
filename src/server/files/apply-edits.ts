import { firstCharacters, invalid, ShellphoneError } from '../../shared/schema/index.ts'
import type { Text } from './content.ts'

/** One replacement in a file. */
export interface Edit {
  old: string
  new: string
  replace_all?: boolean
}

/** A part of the old text, and the text that replaces it. */
interface Replacement {
  start: number
  end: number
  text: string
  /** the index of its edit */
  edit: number
}

/** An edited text, and where its changes are. */
interface EditedText {
  text: string
  /** the first and last line of each change in the new text, counted from 1 */
  changes: { first: number; last: number }[]
}

/** Maximum number of lines that an error lists. */
const MAX_LISTED = 10
/** Maximum number of replacements of one request. */
const MAX_REPLACEMENTS = 100_000

/**
 * Applies edits to a text. Each is matched exactly against the original text, so their order does not matter. Throws VALIDATION_ERROR for an
 * edit that can never apply, and CONFLICT if an edit matches no place or several, or if two edits overlap.
 */
export function applyEdits({ text, isCrlf }: Text, edits: Edit[]): EditedText {
  const found = edits.flatMap((edit, index) => replacementsOf(text, withLineFeeds(edit, isCrlf), index))
  if (found.length > MAX_REPLACEMENTS) {
    throw conflict('edits', `expected at most ${MAX_REPLACEMENTS} replacements, got ${found.length}`)
  }
  found.sort((a, b) => a.start - b.start || a.end - b.end)
  const overlap = found.findIndex(({ start }, at) => at > 0 && start < found[at - 1]!.end)
  if (overlap > 0) {
    const [a, b] = [found[overlap - 1]!, found[overlap]!]
    const line = lineAt(text, b.start)
    throw conflict(
      `edits.${b.edit}.old`,
      `overlaps with edits.${a.edit}.old at line ${line}; combine them into one edit`,
    )
  }
  return replace(text, found)
}

/** In a file whose lines all end with CR LF, both texts may have either ending. */
const withLineFeeds = (edit: Edit, isCrlf: boolean): Edit =>
  isCrlf ? { ...edit, old: edit.old.replaceAll('\r\n', '\n'), new: edit.new.replaceAll('\r\n', '\n') } : edit

function replacementsOf(
  text: string,
  { old, new: text2, replace_all: isAll = false }: Edit,
  edit: number,
): Replacement[] {
  const field = `edits.${edit}.old`
  if (old === '') throw invalid(`${field}: expected text, got nothing; file_write creates a file`, field)
  if (old === text2) throw invalid(`${field}: expected text that differs from new`, field)
  const starts: number[] = []
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + (isAll ? old.length : 1))) {
    if (starts.push(at) > MAX_REPLACEMENTS) break
  }
  if (starts.length === 0) throw conflict(field, `not found${hint(text, old)}`)
  if (starts.length > 1 && !isAll) {
    const lines = starts.slice(0, MAX_LISTED).map((start) => lineAt(text, start))
    const more = starts.length > MAX_LISTED ? ' …' : ''
    const found = `found ${starts.length} times, at lines ${lines.join(', ')}${more}`
    throw conflict(field, `expected one match, ${found}; add surrounding text, or set replace_all`)
  }
  return starts.map((start) => ({ start, end: start + old.length, text: text2, edit }))
}

/** Where a similar text is: the line that matches the first one of `old` apart from the space around it. */
function hint(text: string, old: string): string {
  const wanted = old
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
  if (wanted === undefined) return ''
  const at = text.split('\n').findIndex((line) => line.trim() === wanted)
  return at < 0 ? '' : `; a line with the same words is at line ${at + 1}: the space, or what follows, differs`
}

function replace(text: string, found: Replacement[]): EditedText {
  const pieces: string[] = []
  const changes: EditedText['changes'] = []
  let [at, line] = [0, 1]
  for (const { start, end, text: put } of found) {
    const before = text.slice(at, start)
    line += lineFeeds(before)
    const last = line + lineFeeds(put)
    changes.push({ first: line, last })
    pieces.push(before, put)
    line = last
    at = end
  }
  return { text: [...pieces, text.slice(at)].join(''), changes }
}

const lineFeeds = (text: string) => text.split('\n').length - 1
const lineAt = (text: string, offset: number) => lineFeeds(text.slice(0, offset)) + 1

const conflict = (field: string, message: string) => new ShellphoneError('CONFLICT', `${field}: ${message}`, { field })

/** Lines shown before and after a change. */
const AROUND = 4
/** Maximum number of lines and characters of a snippet. */
const MAX_SNIPPET_LINES = 200
const MAX_LINE_CHARACTERS = 500

/** The changed lines with those around them, as `cat -n` prints them; `…` stands for omitted lines. */
export function snippetOf({ text, changes }: EditedText): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const shown: string[] = []
  let next = 1
  for (const { first, last } of changes) {
    const from = Math.max(next, first - AROUND)
    const to = Math.min(lines.length, last + AROUND)
    if (from > next && shown.length > 0) shown.push('…')
    for (let at = from; at <= to; at++) {
      if (shown.length >= MAX_SNIPPET_LINES) return `${shown.join('\n')}\n…\n`
      shown.push(`${String(at).padStart(6)}\t${shortened(lines[at - 1]!)}`)
    }
    next = Math.max(next, to + 1)
  }
  return shown.map((line) => `${line}\n`).join('')
}

const shortened = (line: string) =>
  line.length <= MAX_LINE_CHARACTERS ? line : `${firstCharacters(line, MAX_LINE_CHARACTERS)}…`
