import { type Dirent, statSync } from 'node:fs'
import { type FileHandle, lstat, open, opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileFacts, Note } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { type Folder, openFolder, openWithin } from './folder.ts'
import { piecesOf, READ_FLAGS } from './open-file.ts'
import { END, headerOf, padding, type TarEntry } from './tar-format.ts'
import { conflict, SkippedNames, withFileErrors } from './file-errors.ts'
import { isTemporary } from './uploads.ts'

/** Limits on the names in one directory, which are sorted in memory, and on the depth, because each level is held open. */
const MAX_NAMES = 200_000
const MAX_DEPTH = 128
/** How many files to open in advance; small files are also read in advance. */
const AHEAD = 16
const SMALL_BYTES = 65_536
const PIECE_BYTES = 131_072

interface PackOptions {
  /** resume after the entry with this path; '': start at the beginning */
  after: string
  /** whether to skip an absolute path and everything below it */
  hides(path: string): boolean
}

/** The progress so far. */
interface PackProgress {
  entries: number
  bytes: number
  /** which names were skipped */
  readonly notes: Note[]
}

/** Packs a directory as a tar archive, sorted by name. Stores links as links, and skips everything else except files and directories. */
export function packFolder(path: string, { after, hides }: PackOptions) {
  const skipped = new SkippedNames()
  const packed: PackProgress = {
    entries: 0,
    bytes: 0,
    get notes() {
      return skipped.notes()
    },
  }
  async function* all() {
    const folder = await withFileErrors(path, () => openFolder(path))
    const from = after === '' ? [] : after.split('/')
    yield headerOf(folderEntry('.', statSync(folder.at('.')).mode))
    yield* walk(folder, '', from, { packed, skipped, hides: (one) => hides(one) || isTemporary(one) }, 0)
    yield END
  }
  return { packed, pieces: inPieces(all()) }
}

interface PackWalk {
  packed: PackProgress
  skipped: SkippedNames
  hides(path: string): boolean
}

/** Packs the content of a folder, then closes the folder. `from`: the parts of the path to resume after. */
async function* walk(
  folder: Folder,
  prefix: string,
  from: string[],
  state: PackWalk,
  depth: number,
): AsyncGenerator<Buffer> {
  try {
    const [first = '', ...rest] = from
    const isNext = (entry: Dirent) => entry.name > first || (entry.name === first && entry.isDirectory())
    const names = (await namesOf(folder)).filter(isNext)
    const isShown = ({ name }: Dirent) => !state.hides(join(folder.path, name))
    const shown = names.filter(isShown)
    for (let at = 0; at < shown.length; at += AHEAD) {
      const loaded = await Promise.all(shown.slice(at, at + AHEAD).map((entry) => load(folder, entry)))
      try {
        for (const one of loaded) {
          const path = prefix + one.name
          if (one.type === 'other') state.skipped.push(`${path} (${one.why})`)
          else if (one.type !== 'directory') yield* emit(path, one, state)
          else yield* sendFolder(folder, path, one, one.name === first ? rest : null, state, depth)
        }
      } finally {
        for (const one of loaded) if (one.type === 'file') await one.handle?.close()
      }
    }
  } finally {
    folder.close()
  }
}

/** Packs a directory and its content. Repeats the directory's entry when resuming inside it, because its mode is set when it is complete. `from` null: packs all. */
async function* sendFolder(
  folder: Folder,
  path: string,
  one: SendableEntry,
  from: string[] | null,
  state: PackWalk,
  depth: number,
) {
  if (depth >= MAX_DEPTH) throw conflict(`expected at most ${MAX_DEPTH} nested directories, got more: ${path}`)
  const inner = openOrNull(folder, one.name)
  if (inner === null) return void state.skipped.push(`${path} (not permitted or removed)`)
  yield* emit(path, one, state)
  yield* walk(inner, `${path}/`, from ?? [], state, depth + 1)
}

function openOrNull(folder: Folder, name: string): Folder | null {
  try {
    return openWithin(folder, name)
  } catch {
    return null
  }
}

type LoadedEntry =
  | { name: string; type: 'directory'; mode: number }
  | { name: string; type: 'symlink'; target: string }
  | { name: string; type: 'file'; facts: FileFacts; content: Buffer | null; handle: FileHandle | null }
  | { name: string; type: 'other'; why: string }

type SendableEntry = Exclude<LoadedEntry, { type: 'other' }>

async function load(folder: Folder, entry: Dirent): Promise<LoadedEntry> {
  const { name } = entry
  try {
    if (entry.isDirectory()) return { name, type: 'directory', mode: (await lstat(folder.at(name))).mode }
    if (entry.isSymbolicLink()) return { name, type: 'symlink', target: await readlink(folder.at(name)) }
    return entry.isFile() ? await loadFile(folder, name) : { name, type: 'other', why: 'not a file' }
  } catch (error) {
    return { name, type: 'other', why: (error as NodeJS.ErrnoException).code ?? String(error) }
  }
}

async function loadFile(folder: Folder, name: string): Promise<LoadedEntry> {
  const handle = await open(folder.at(name), READ_FLAGS)
  const facts = factsOf(await handle.stat({ bigint: true }))
  if (facts.type === 'file' && facts.bytes > SMALL_BYTES) return { name, type: 'file', facts, content: null, handle }
  try {
    if (facts.type !== 'file') return { name, type: 'other', why: facts.type }
    const content = Buffer.allocUnsafe(facts.bytes)
    const { bytesRead } = facts.bytes === 0 ? { bytesRead: 0 } : await handle.read(content, 0, facts.bytes, 0)
    return {
      name,
      type: 'file',
      facts: { ...facts, bytes: bytesRead },
      content: content.subarray(0, bytesRead),
      handle: null,
    }
  } finally {
    await handle.close()
  }
}

const folderEntry = (path: string, mode: number): TarEntry => ({
  ...{ path, type: 'directory', mode: mode & 0o777 },
  ...{ bytes: 0, modifiedSeconds: 0, target: '' },
})

async function* emit(path: string, one: SendableEntry, { packed }: PackWalk): AsyncGenerator<Buffer> {
  const facts = one.type === 'file' ? one.facts : null
  const entry: TarEntry =
    one.type === 'directory'
      ? folderEntry(path, one.mode)
      : {
          path,
          type: one.type,
          bytes: facts?.bytes ?? 0,
          mode: facts ? Number.parseInt(facts.mode, 8) & 0o777 : 0o777,
          modifiedSeconds: facts ? Math.floor(Date.parse(facts.modified_at) / 1000) : 0,
          target: one.type === 'symlink' ? one.target : '',
        }
  yield headerOf(entry)
  if (one.type === 'file') yield* contentOf(path, one)
  yield padding(entry.bytes)
  packed.entries++
  packed.bytes += entry.bytes
}

/** Yields exactly as many bytes as the header promises. */
async function* contentOf(
  path: string,
  { facts, content, handle }: LoadedEntry & { type: 'file' },
): AsyncGenerator<Buffer> {
  if (content) return yield content
  yield* piecesOf(handle!, 0, facts.bytes, path)
}

async function namesOf(folder: Folder): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder.at('.'))) {
    if (entries.push(entry) > MAX_NAMES) {
      throw conflict(`expected at most ${MAX_NAMES} names in one directory, got more: ${folder.path}`)
    }
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Joins small buffers, because each needs a write. */
async function* inPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  for await (const piece of source) {
    held.push(piece)
    bytes += piece.length
    if (bytes < PIECE_BYTES) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(held)
}
