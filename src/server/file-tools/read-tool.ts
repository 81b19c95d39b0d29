import type { Caller } from '../exec/index.ts'
import { factsAt, listFolder, readLines } from '../files/index.ts'
import { type FileReadRequest, type FileReadResult, type SandboxName, visible } from '../../shared/schema/index.ts'
import { beginFileRun, type Done, type FileRun, type FileToolParts } from './file-run.ts'

const DEFAULT_LINES = 2000
/** Maximum number of names of a directory. */
const MAX_NAMES = 1000

/** Reads lines of a text file, or the names in a directory. */
export async function readFile(
  { path: given, offset = 1, limit = DEFAULT_LINES, sandbox }: FileReadRequest & { sandbox?: SandboxName },
  caller: Caller,
  { executor }: FileToolParts,
): Promise<FileRun<FileReadResult>> {
  const path = await executor.resolvePath(given, true)
  const { type } = await factsAt(path)
  const isDirectory = type === 'directory'
  return beginFileRun(
    {
      targets: [{ act: isDirectory ? 'list' : 'read', path }],
      sandbox,
      work: ({ canceled, hides }) =>
        isDirectory ? names(path, hides) : lines(path, { first: offset, count: limit }, canceled),
    },
    caller,
    executor,
  )
}

async function lines(
  path: string,
  range: { first: number; count: number },
  canceled: AbortSignal,
): Promise<Done<FileReadResult>> {
  const { text, last, lines: total, hash, bytes, eol, truncated } = await readLines(path, range, canceled)
  const isRest = total === null || last < total
  const next = last > 0 && isRest ? last + 1 : null
  const shown = last === 0 ? 'no lines' : `lines ${range.first} to ${last}`
  const facts = [
    `${shown} of ${total ?? `a file of ${bytes} bytes`}`,
    ...(eol === null ? [] : [eol]),
    ...(hash === null ? [] : [`hash ${hash}`]),
  ]
  const more = next === null ? '' : `; continue with offset ${next}`
  return {
    result: { path, text, hash, lines: total, next, truncated, eol },
    text: `${text}[${facts.join(', ')}${more}]\n`,
    artifacts: [{ path, bytes }],
  }
}

async function names(path: string, hides: (path: string) => boolean): Promise<Done<FileReadResult>> {
  const { entries, next } = await listFolder(path, { limit: MAX_NAMES, after: '' }, hides)
  const text = entries.map(({ name, type }) => `${visible(name)}${type === 'directory' ? '/' : ''}\n`).join('')
  const truncated = next !== null
  const result = { path, text, hash: null, lines: null, next: null, truncated, eol: null }
  const end = truncated ? `the first ${MAX_NAMES} names; exec with ls shows all` : `${entries.length} names`
  return { result, text: `${text}[directory, ${end}]\n`, artifacts: [] }
}
