import { ShellphoneError } from '../../shared/schema/index.ts'
import type { PatchHunk } from './parse-patch.ts'

/** Limits on the work of one file: its lines, and its lines times the lines of its patch. */
const MAX_LINES = 50_000
const MAX_WORK = 10_000_000

/**
 * Applies the hunks of a patch to a text, in their order. Lines must match exactly. They are used where the patch expects them, or else at the
 * only place after the previous hunk where they occur. Throws CONFLICT if no place or several places match, and TOO_LARGE beyond the limits.
 */
export function applyHunks(text: string, hunks: PatchHunk[], path: string): string {
  let hasEnd = text === '' || text.endsWith('\n')
  const lines = text.split('\n')
  if (hasEnd) lines.pop()
  checkWork(lines.length, hunks, path)
  const result: string[] = []
  let cursor = 0
  let moved = 0 // how much later than expected the previous hunk was
  for (const [index, hunk] of hunks.entries()) {
    const at = placeOf(hunk, lines, { cursor, moved, hasEnd }, `${path}: change ${index + 1}`)
    if (hunk.at !== null) moved = at - hunk.at
    for (; cursor < at; cursor++) result.push(lines[cursor]!)
    for (const line of hunk.after) result.push(line)
    cursor += hunk.before.length
    if (hunk.bareEnd && cursor === lines.length && (hunk.bareEnd.before || hunk.bareEnd.after)) {
      hasEnd = !hunk.bareEnd.after
    }
  }
  for (; cursor < lines.length; cursor++) result.push(lines[cursor]!)
  return result.length === 0 ? '' : result.join('\n') + (hasEnd ? '\n' : '')
}

function checkWork(lines: number, hunks: PatchHunk[], path: string): void {
  const patchLines = hunks.reduce((sum, { anchors, before }) => sum + anchors.length + before.length + 1, 0)
  if (lines <= MAX_LINES && lines * patchLines <= MAX_WORK) return
  const limits = `at most ${MAX_LINES} lines, and ${MAX_WORK} times the lines of its patch`
  throw new ShellphoneError('TOO_LARGE', `patch: ${path}: expected ${limits}, got ${lines} and ${patchLines}`, {
    field: 'patch',
  })
}

interface Position {
  /** the first line that no earlier hunk has used */
  cursor: number
  moved: number
  /** whether the last line ends with a line feed */
  hasEnd: boolean
}

/** The index of the line where a hunk applies. */
function placeOf(hunk: PatchHunk, lines: string[], { cursor, moved, hasEnd }: Position, what: string): number {
  const { anchors, at, before, isAtEnd, bareEnd } = hunk
  let from = cursor
  for (const anchor of anchors) {
    const found = indexes(lines, from, (line) => line.trim() === anchor)
    from = single(found, `the line ${JSON.stringify(anchor.slice(0, 60))}`, what) + 1
  }
  if (before.length === 0 && at === null) return anchors.length > 0 ? from : lines.length
  const fits = (start: number) =>
    start >= from &&
    start + before.length <= lines.length &&
    (!isAtEnd || start + before.length === lines.length) &&
    (!bareEnd?.before || !hasEnd) &&
    before.every((line, index) => lines[start + index] === line)
  if (at !== null && fits(at + moved)) return at + moved
  if (before.length === 0) throw conflict(`${what}: expected line ${at}, got a file of ${lines.length} lines`)
  const found = indexes(lines, from, (_line, index) => fits(index))
  return single(found, `the line ${JSON.stringify(before[0]!.slice(0, 60))} and those after it`, what)
}

/** At most three, which is enough to report them. */
function indexes(lines: string[], from: number, isWanted: (line: string, index: number) => boolean): number[] {
  const found: number[] = []
  for (let index = from; index < lines.length && found.length < 3; index++) {
    if (isWanted(lines[index]!, index)) found.push(index)
  }
  return found
}

function single(found: number[], lines: string, what: string): number {
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw conflict(`${what}: no exact match for ${lines}, after the previous change`)
  const places = found.map((index) => index + 1).join(', ')
  throw conflict(`${what}: more than one match for ${lines}, at lines ${places}; add more lines around the change`)
}

const conflict = (message: string) => new ShellphoneError('CONFLICT', `patch: ${message}`, { field: 'patch' })
