import { parsePatch } from 'diff'
import { invalid } from '../../shared/schema/index.ts'

/** Lines of a file that a patch replaces. */
export interface PatchHunk {
  /** lines before it that must occur once, one after the other, to find it */
  anchors: string[]
  /** where the patch expects the lines, counted from 0; null: it does not say */
  at: number | null
  before: string[]
  after: string[]
  /** whether its lines are the last ones of the file */
  isAtEnd: boolean
  /** whether the last line of the file has no line feed, before and after; null: the patch does not say */
  bareEnd: { before: boolean; after: boolean } | null
}

/** What a patch does to one file. */
export type FilePatch =
  | { action: 'add'; path: string; content: string }
  | { action: 'delete'; path: string; hunks: PatchHunk[] }
  | { action: 'update'; path: string; hunks: PatchHunk[]; moveTo: string | null }

/** Maximum number of files in a patch. */
const MAX_FILES = 100
const BEGIN = '*** Begin Patch'
const END = '*** End Patch'

/** Parses a unified diff, or a patch from `*** Begin Patch` to `*** End Patch`. Throws VALIDATION_ERROR. */
export function parseFilePatches(patch: string): FilePatch[] {
  const files = patch.trimStart().startsWith(BEGIN) ? parseEnvelope(patch) : parseUnified(patch)
  if (files.length === 0) throw wrong(`expected a unified diff, or ${BEGIN}, got neither`)
  if (files.length > MAX_FILES) throw wrong(`expected at most ${MAX_FILES} files, got ${files.length}`)
  return files
}

const wrong = (message: string) => invalid(`patch: ${message}`, 'patch')

function parseUnified(patch: string): FilePatch[] {
  const unsupported = /^(?:(?:rename|copy) (?:from|to) |GIT binary patch|Binary files )/m.exec(patch)
  if (unsupported) throw wrong(`expected changes of text, got ${JSON.stringify(unsupported[0].trim())}`)
  const parsed = (() => {
    try {
      return parsePatch(patch)
    } catch (error) {
      throw wrong((error as Error).message)
    }
  })()
  return parsed.filter(({ hunks }) => hunks.length > 0).map(toFilePatch)
}

type ParsedFile = ReturnType<typeof parsePatch>[number]

function toFilePatch({ oldFileName = '', newFileName = '', hunks }: ParsedFile): FilePatch {
  const [from, to] = withoutPrefixes(oldFileName, newFileName)
  const parts = hunks.map(toHunk)
  if (from === '/dev/null') return { action: 'add', path: to, content: contentOf(parts) }
  if (to === '/dev/null') return { action: 'delete', path: from, hunks: parts }
  if (from !== to) throw wrong(`expected one name, got ${JSON.stringify(from)} and ${JSON.stringify(to)}`)
  return { action: 'update', path: to, hunks: parts, moveTo: null }
}

/** Git writes a/ and b/ before the names. */
function withoutPrefixes(from: string, to: string): [string, string] {
  const isGit = (from === '/dev/null' || from.startsWith('a/')) && (to === '/dev/null' || to.startsWith('b/'))
  const bare = (name: string) => (isGit && name !== '/dev/null' ? name.slice(2) : name)
  return [bare(from), bare(to)]
}

function toHunk({ oldStart, lines }: ParsedFile['hunks'][number]): PatchHunk {
  const bareEnd = { before: false, after: false }
  for (const [index, line] of lines.entries()) {
    const last = lines[index - 1]?.[0]
    if (!line.startsWith('\\')) continue
    if (last !== '+') bareEnd.before = true
    if (last !== '-') bareEnd.after = true
  }
  // where there are no old lines, the parser has already added 1
  return { anchors: [], at: oldStart - 1, ...sides(lines), isAtEnd: bareEnd.before, bareEnd }
}

/** The lines before and after a change. */
const sides = (lines: string[]) => ({
  before: lines.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1)),
  after: lines.filter((line) => /^[ +]/.test(line)).map((line) => line.slice(1)),
})

function contentOf(hunks: PatchHunk[]): string {
  const text = hunks.flatMap(({ after }) => after).join('\n')
  return hunks.at(-1)?.bareEnd?.after ? text : `${text}\n`
}

const header = /^\*\*\* (?<action>Add|Update|Delete) File: (?<path>.+)$/

function parseEnvelope(patch: string): FilePatch[] {
  const lines = patch
    .trim()
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
  if (lines.at(-1) !== END)
    throw wrong(`expected ${END} as the last line, got ${JSON.stringify(lines.at(-1)!.slice(0, 60))}`)
  const body = lines.slice(1, -1)
  const files: FilePatch[] = []
  for (let at = 0; at < body.length;) {
    const { action, path } = header.exec(body[at]!)?.groups ?? {}
    if (!action || !path)
      throw wrong(
        `line ${at + 2}: expected a line such as *** Update File: PATH, got ${JSON.stringify(body[at]!.slice(0, 60))}`,
      )
    const next = body.findIndex((line, index) => index > at && header.test(line))
    const end = next < 0 ? body.length : next
    files.push(toEnvelopeFile(action, path.trim(), body.slice(at + 1, end), at + 3))
    at = end
  }
  return files
}

/** `first`: the number of the first of these lines in the patch. */
function toEnvelopeFile(action: string, path: string, lines: string[], first: number): FilePatch {
  if (action === 'Delete') {
    if (lines.some((line) => line !== '')) throw wrong(`line ${first}: expected nothing after *** Delete File`)
    return { action: 'delete', path, hunks: [] }
  }
  if (action === 'Add') {
    const other = lines.findIndex((line) => !line.startsWith('+'))
    if (other >= 0) throw wrong(`line ${first + other}: expected a line that starts with +`)
    return { action: 'add', path, content: lines.map((line) => `${line.slice(1)}\n`).join('') }
  }
  const [, moveTo = null] = /^\*\*\* Move to: (.+)$/.exec(lines[0] ?? '') ?? []
  const rest = moveTo === null ? lines : lines.slice(1)
  const hunks = envelopeHunks(rest, moveTo === null ? first : first + 1)
  if (hunks.length === 0 && moveTo === null) throw wrong(`line ${first}: expected changes of ${JSON.stringify(path)}`)
  return { action: 'update', path, hunks, moveTo: moveTo && moveTo.trim() }
}

function envelopeHunks(lines: string[], first: number): PatchHunk[] {
  const hunks: { anchors: string[]; lines: string[]; isAtEnd: boolean }[] = []
  let open: (typeof hunks)[number] | null = null
  const begin = () => {
    const begun = { anchors: [], lines: [], isAtEnd: false }
    hunks.push(begun)
    return begun
  }
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('@@')) {
      if (open === null || open.lines.length > 0) open = begin()
      const anchor = line.slice(2).trim()
      if (anchor !== '') open.anchors.push(anchor)
    } else if (line === '*** End of File') {
      if (open === null) throw wrong(`line ${first + index}: expected changes before *** End of File`)
      open.isAtEnd = true
      open = null
    } else {
      // an empty line is a context line whose space an editor has removed
      const text = line === '' ? ' ' : line
      if (!/^[ +-]/.test(text))
        throw wrong(
          `line ${first + index}: expected a line that starts with a space, + or -, got ${JSON.stringify(line.slice(0, 60))}`,
        )
      open ??= begin()
      open.lines.push(text)
    }
  }
  return hunks.map(({ anchors, lines, isAtEnd }) => ({ anchors, at: null, ...sides(lines), isAtEnd, bareEnd: null }))
}
