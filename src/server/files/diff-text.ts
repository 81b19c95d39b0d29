import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { FileChange } from '../../shared/schema/index.ts'
import { contentHash, type OldContent, toText } from './content.ts'

/** Maximum length of a diff that people see. */
const MAX_DIFF_CHARACTERS = 50_000
/** Maximum number of added and removed lines; finding more takes too long. */
const MAX_EDIT_LINES = 2000

/** Describes a change for the person who has to approve it. `after` null: the file is removed. */
export function describeChange(path: string, before: OldContent | null, after: Buffer | null): FileChange {
  const hashes = { before: before?.hash ?? null, after: after && contentHash(after) }
  const [old, now] = [textOf(before === null ? null : before.bytes, path), textOf(after, path)]
  const isText = (before === null || old !== null) && (after === null || now !== null)
  const diff = isText ? diffOf(path, before && old, after && now) : undefined
  if (diff === undefined) {
    const sizes = [before?.facts.bytes, after?.length].map((size) => (size === undefined ? 'no file' : `${size} bytes`))
    return {
      path,
      ...hashes,
      diff: `${sizes.join(' → ')}; the difference is too large to show, or not text`,
      complete: false,
    }
  }
  const complete = diff.length <= MAX_DIFF_CHARACTERS
  return {
    path,
    ...hashes,
    diff: complete ? diff : `${diff.slice(0, MAX_DIFF_CHARACTERS)}…`,
    complete,
  }
}

/** The text with its own line endings and BOM; null: not text, or not read. */
function textOf(bytes: Buffer | null, path: string): string | null {
  try {
    return bytes && (toText(bytes, path), bytes.toString())
  } catch {
    return null
  }
}

function diffOf(path: string, old: string | null, now: string | null): string | undefined {
  const [from, to] = [old === null ? '/dev/null' : path, now === null ? '/dev/null' : path]
  const options = { context: 3, maxEditLength: MAX_EDIT_LINES, headerOptions: FILE_HEADERS_ONLY }
  return createTwoFilesPatch(from, to, old ?? '', now ?? '', undefined, undefined, options)
}
