import type { Caller, TransferContext, TransferTarget } from '../exec/index.ts'
import {
  applyEdits,
  changeFiles,
  type ContentChange,
  contentHash,
  describeChange,
  type OldContent,
  readOld,
  snippetOf,
  toBytes,
  toText,
} from '../files/index.ts'
import {
  type FileEditRequest,
  type FileEditResult,
  type FileWriteResult,
  invalid,
  MAX_CONTENT_BYTES,
  type SandboxName,
  ShellphoneError,
} from '../../shared/schema/index.ts'
import { beginFileRun, type Done, type FileRun, type FileToolParts } from './file-run.ts'

/** The content for a file. `mode`: permissions; omitted: those of the replaced file. */
export interface WriteInput {
  path: string
  content: string | Buffer
  if_hash?: string | undefined
  mode?: number | undefined
  sandbox?: SandboxName | undefined
}

/** The changes that a call makes, and its result once they are made. */
interface ChangePlan<Result> extends Omit<Done<Result>, 'artifacts'> {
  changes: ContentChange[]
}

interface ChangeInput<Result> {
  targets: TransferTarget[]
  sandbox?: SandboxName | undefined
  heldBytes: number
  /** Reads the files and computes the changes; throws ShellphoneError if they cannot be made. */
  plan(context: TransferContext): Promise<ChangePlan<Result>>
}

/**
 * Begins a run that changes files. If a person must approve it, they see the changes as diffs; the run then makes exactly these changes, or
 * fails with PRECONDITION_FAILED if a file has changed in the meantime.
 */
export function beginChange<Result>(
  { plan, ...input }: ChangeInput<Result>,
  caller: Caller,
  { executor, uploads }: FileToolParts,
): Promise<FileRun<Result>> {
  let approved: ContentChange[] | null = null
  return beginFileRun(
    {
      ...input,
      async preview(context) {
        approved = (await plan(context)).changes
        return approved.map(({ path, before, after }) => describeChange(path, before, after))
      },
      async work(context) {
        const { changes, result, text } = await plan(context)
        if (approved) checkSame(approved, changes)
        await changeFiles(changes, uploads, {
          maxBytes: context.maxFileBytes,
          canceled: context.canceled,
        })
        const artifacts = changes.map(({ path, after }) => ({
          path,
          ...(after && { bytes: after.length }),
        }))
        return { result, text, artifacts }
      },
    },
    caller,
    executor,
  )
}

/** The files that a person saw must still be the same. */
function checkSame(approved: ContentChange[], changes: ContentChange[]): void {
  for (const [at, { path, before }] of changes.entries()) {
    const shown = approved[at]!.before?.hash ?? 'no file'
    const now = before?.hash ?? 'no file'
    if (shown === now) continue
    throw failed(`path: changed after the request for approval: expected ${shown}, got ${now}: ${path}`, 'path')
  }
}

const failed = (message: string, field: string) => new ShellphoneError('PRECONDITION_FAILED', message, { field })

/** Checks that a file is the one that the caller knows. */
function checkHash(wanted: string | undefined, before: OldContent | null): void {
  if (wanted === undefined || wanted === (before?.hash ?? 'none')) return
  const expected = wanted === 'none' ? 'no file' : `a file with the hash ${wanted}`
  const found = before === null ? 'no file' : `a file with the hash ${before.hash}`
  throw failed(`if_hash: expected ${expected}, got ${found}; read the file again`, 'if_hash')
}

/** Writes a whole file. */
export async function writeContent(
  { path: given, content, if_hash, mode, sandbox }: WriteInput,
  caller: Caller,
  parts: FileToolParts,
): Promise<FileRun<FileWriteResult>> {
  const after = typeof content === 'string' ? encoded(content, 'content') : content
  checkSize(after.length, 'content')
  const path = await parts.executor.resolvePath(given, true)
  return beginChange(
    {
      targets: [{ act: 'save', path }],
      sandbox,
      heldBytes: after.length,
      async plan({ canceled }) {
        const before = await readOld(path, canceled)
        checkHash(if_hash, before)
        const hash = contentHash(after)
        const created = before === null
        return {
          changes: [{ path, before, after, mode: mode ?? null }],
          result: { path, hash, created, bytes: after.length },
          text: `${created ? 'created' : 'replaced'} ${path}, ${after.length} bytes, hash ${hash}\n`,
        }
      },
    },
    caller,
    parts,
  )
}

/** Replaces text in a file. */
export async function editFile(
  { path: given, edits, if_hash, sandbox }: FileEditRequest,
  caller: Caller,
  parts: FileToolParts,
): Promise<FileRun<FileEditResult>> {
  const heldBytes = edits.reduce((sum, { old, new: put }, at) => {
    return sum + encoded(old, `edits.${at}.old`).length + encoded(put, `edits.${at}.new`).length
  }, 0)
  const path = await parts.executor.resolvePath(given, true)
  return beginChange(
    {
      targets: [{ act: 'edit', path }],
      sandbox,
      heldBytes,
      async plan({ canceled }) {
        const before = await readExisting(path, canceled)
        checkHash(if_hash, before)
        const text = toText(before.bytes, path)
        const edited = applyEdits(text, edits)
        const after = toBytes({ ...text, text: edited.text })
        checkSize(after.length, 'edits')
        const hash = contentHash(after)
        const snippet = snippetOf(edited)
        const replaced = edited.changes.length
        return {
          changes: [{ path, before, after, mode: null }],
          result: { path, hash, replaced, snippet },
          text: `${snippet}[${replaced === 1 ? '1 replacement' : `${replaced} replacements`}, hash ${hash}]\n`,
        }
      },
    },
    caller,
    parts,
  )
}

/** Reads a file that must exist and may be edited. Throws NOT_FOUND, TOO_LARGE. */
export async function readExisting(path: string, canceled: AbortSignal): Promise<OldContent & { bytes: Buffer }> {
  const before = await readOld(path, canceled)
  if (before === null) {
    throw new ShellphoneError('NOT_FOUND', `path: no such file or directory: ${path}`, {
      field: 'path',
    })
  }
  const { bytes, facts } = before
  if (bytes === null) throw tooBig('path', facts.bytes)
  return { ...before, bytes }
}

/** Throws TOO_LARGE if a file may not have this size. */
export function checkSize(bytes: number, field: string): void {
  if (bytes > MAX_CONTENT_BYTES) throw tooBig(field, bytes)
}

const tooBig = (field: string, bytes: number) =>
  new ShellphoneError('TOO_LARGE', `${field}: expected at most ${MAX_CONTENT_BYTES} bytes, got ${bytes}`, { field })

/** Converts text to UTF-8. Throws VALIDATION_ERROR for half of a surrogate pair, which has no UTF-8 form. */
export function encoded(text: string, field: string): Buffer {
  if (/\p{Surrogate}/u.test(text)) throw invalid(`${field}: expected text, got half of a surrogate pair`, field)
  return Buffer.from(text)
}
