import { dirname } from 'node:path'
import type { Caller, TransferTarget, Transfers } from '../exec/index.ts'
import {
  applyHunks,
  type ContentChange,
  contentHash,
  type FilePatch,
  modeOf,
  parseFilePatches,
  type PatchHunk,
  readOld,
  toBytes,
  toText,
} from '../files/index.ts'
import {
  type FilePatchRequest,
  type FilePatchResult,
  invalid,
  MAX_CONTENT_BYTES,
  ShellphoneError,
} from '../../shared/schema/index.ts'
import { beginChange, encoded, readExisting } from './change-tools.ts'
import type { FileRun, FileToolParts } from './file-run.ts'

/** Maximum size of all files of a patch before it, which are in memory together. */
const MAX_OLD_BYTES = 16_777_216

type PatchedFile = FilePatchResult['files'][number]

/** A patch of one file with its real paths. */
interface ResolvedPatch {
  patch: FilePatch
  path: string
  /** null: the file keeps its name */
  moveTo: string | null
}

/** Applies a patch to several files: all changes, or none. */
export async function patchFiles(
  { patch, directory, sandbox }: FilePatchRequest,
  caller: Caller,
  parts: FileToolParts,
): Promise<FileRun<FilePatchResult>> {
  const heldBytes = encoded(patch, 'patch').length
  const resolved: ResolvedPatch[] = []
  for (const one of parseFilePatches(patch)) resolved.push(await resolve(one, directory, parts.executor))
  checkDifferent(resolved)
  return beginChange(
    {
      targets: resolved.flatMap(targetsOf),
      sandbox,
      heldBytes,
      async plan({ canceled }) {
        const changes: ContentChange[] = []
        const files: PatchedFile[] = []
        let oldBytes = 0
        for (const one of resolved) {
          const made = await changesOf(one, canceled)
          changes.push(...made.changes)
          files.push(made.file)
          oldBytes += made.changes.reduce((sum, { before }) => sum + (before?.bytes?.length ?? 0), 0)
          if (oldBytes > MAX_OLD_BYTES) {
            throw new ShellphoneError('TOO_LARGE', `patch: expected files of at most ${MAX_OLD_BYTES} bytes together`, {
              field: 'patch',
            })
          }
        }
        const text = files.map(
          ({ action, path, hash }) => `${action} ${path}${hash === null ? '' : `, hash ${hash}`}\n`,
        )
        return { changes, result: { status: 'completed', files, text: text.join('') }, text: text.join('') }
      },
    },
    caller,
    parts,
  )
}

async function resolve(patch: FilePatch, directory: string | undefined, executor: Transfers): Promise<ResolvedPatch> {
  const isMoved = patch.action === 'update' && patch.moveTo !== null
  // a link is removed itself, and only its target is updated
  const follows = patch.action !== 'delete' && !isMoved
  const path = await executor.resolvePath(within(directory, patch.path), follows)
  const moveTo = isMoved ? await executor.resolvePath(within(directory, patch.moveTo!), true) : null
  return { patch, path, moveTo }
}

function within(directory: string | undefined, path: string): string {
  if (path.startsWith('/') || path.startsWith('~/')) return path
  if (directory === undefined) {
    throw invalid(`directory: expected the directory of ${JSON.stringify(path.slice(0, 60))}, got nothing`, 'directory')
  }
  return `${directory}/${path}`
}

function checkDifferent(resolved: ResolvedPatch[]): void {
  const paths = resolved.flatMap(({ path, moveTo }) => (moveTo === null ? [path] : [path, moveTo]))
  const twice = paths.find((path, at) => paths.indexOf(path) < at)
  if (twice !== undefined) throw invalid(`patch: expected each file once, got ${twice} twice`, 'patch')
  const inside = paths.find((path) => paths.includes(dirname(path)))
  if (inside !== undefined) throw invalid(`patch: ${inside} is below another file of the patch`, 'patch')
}

function targetsOf({ patch, path, moveTo }: ResolvedPatch): TransferTarget[] {
  if (patch.action === 'add') return [{ act: 'save', path }]
  if (patch.action === 'delete') return [{ act: 'remove', path }]
  return moveTo === null
    ? [{ act: 'edit', path }]
    : [
        { act: 'save', path: moveTo },
        { act: 'remove', path },
      ]
}

async function changesOf(
  { patch, path, moveTo }: ResolvedPatch,
  canceled: AbortSignal,
): Promise<{ changes: ContentChange[]; file: PatchedFile }> {
  if (patch.action === 'add') {
    await checkMissing(path, canceled)
    const after = Buffer.from(patch.content)
    return {
      changes: [{ path, before: null, after, mode: null }],
      file: { path, action: 'added', hash: contentHash(after) },
    }
  }
  const before = await readExisting(path, canceled)
  const text = toText(before.bytes, path)
  const hunks = text.isCrlf ? patch.hunks.map(withLineFeeds) : patch.hunks
  const after = toBytes({ ...text, text: applyHunks(text.text, hunks, path) })
  if (after.length > MAX_CONTENT_BYTES) {
    throw new ShellphoneError('TOO_LARGE', `patch: expected at most ${MAX_CONTENT_BYTES} bytes in ${path}`, {
      field: 'patch',
    })
  }
  if (patch.action === 'delete') {
    if (patch.hunks.length > 0 && after.length > 0) {
      throw new ShellphoneError('CONFLICT', `patch: expected ${path} to be empty after its changes`, { field: 'patch' })
    }
    return { changes: [{ path, before, after: null, mode: null }], file: { path, action: 'deleted', hash: null } }
  }
  const hash = contentHash(after)
  if (moveTo === null) {
    return { changes: [{ path, before, after, mode: null }], file: { path, action: 'updated', hash } }
  }
  await checkMissing(moveTo, canceled)
  const mode = modeOf(before.facts)
  return {
    changes: [
      { path: moveTo, before: null, after, mode },
      { path, before, after: null, mode: null },
    ],
    file: { path: moveTo, action: 'moved', hash },
  }
}

async function checkMissing(path: string, canceled: AbortSignal): Promise<void> {
  if ((await readOld(path, canceled)) === null) return
  throw new ShellphoneError('CONFLICT', `patch: already exists: ${path}`, { field: 'patch' })
}

/** In a file whose lines all end with CR LF, the lines of a patch may end with either. */
const withLineFeeds = (hunk: PatchHunk): PatchHunk => ({
  ...hunk,
  before: hunk.before.map(withoutReturn),
  after: hunk.after.map(withoutReturn),
})

const withoutReturn = (line: string) => line.replace(/\r$/, '')
