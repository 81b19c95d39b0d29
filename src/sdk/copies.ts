import { createHash } from 'node:crypto'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { uploadTar, omissionsIn, downloadTar } from './archive-transfer.ts'
import { localSource, localTarget, withTemporary } from './local-file.ts'
import { type RetryPolicy, retryFor } from './retry-policy.ts'
import { PhoneError } from './phone-error.ts'
import type { Archives, CopyProgress, FileCopies } from './phone-client.ts'
import type { ApiAddress } from './requests.ts'
import { uploadBytes, readFacts, downloadBytes } from './file-transfer.ts'

/** How many times to fetch a file that changes during the copy. */
const MAX_FETCHES = 4
const noProgress: CopyProgress = { begin() {}, at() {} }

/** Copies between this machine's disk and the phone's, for Node. Retries interrupted transfers until `reconnectMs` have passed without data. */
export function copiesBy(api: ApiAddress, reconnectMs: number): FileCopies {
  const by = (progress = noProgress): CopyContext => ({ api, progress, retries: () => retryFor(reconnectMs) })
  return {
    download: (from, to, progress) => download(by(progress), from, to),
    downloadFolder: (from, to, archives, progress) => downloadFolder(by(progress), from, to, archives),
    upload: (from, to, progress) => upload(by(progress), from, to),
    uploadFolder: (from, to, archives, progress) => uploadFolder(by(progress), from, to, archives),
  }
}

interface CopyContext {
  api: ApiAddress
  progress: CopyProgress
  /** a new policy for each transfer */
  retries(): RetryPolicy
}

/** Throws the system's error with the path as a prefix. */
const withPath = (path: string) => (error: Error) =>
  Promise.reject(new Error(`${path}: ${error.message}`, { cause: error }))

async function download(copying: CopyContext, from: string, to: string): Promise<string[]> {
  const { folder, fill } = await localTarget(to)
  return withTemporary(folder, async (temporary) => {
    const handle = await open(temporary, 'wx').catch(withPath(to))
    try {
      copying.progress.begin(basename(to), null)
      const { mode, notes } = await fetchWhole(copying, from, { handle, name: to })
      await handle.chmod(mode)
      await handle.sync()
      await fill(temporary)
      return notes
    } finally {
      await handle.close()
    }
  })
}

/** The temporary file of a download. `name`: the path that the user has named, for errors. */
interface Receiver {
  handle: FileHandle
  name: string
}

/** Fetches the file again if it changed during the transfer. Throws PhoneError `precondition_failed` after MAX_FETCHES attempts. */
async function fetchWhole(copying: CopyContext, from: string, to: Receiver) {
  for (let fetches = 0; fetches < MAX_FETCHES; fetches++) {
    const received = await receiveInto(to, copying, from)
    const found = await compare(copying, from, received)
    if (found !== 'changed') return { mode: received.mode, notes: found === 'same' ? [] : [found.note] }
  }
  const why = `the file changed during each of ${MAX_FETCHES} attempts to copy it; try again when no program writes to it`
  throw new PhoneError('precondition_failed', `${from}: ${why}`)
}

interface Received {
  etag: string
  mode: number
  /** base64 */
  sha256: string
}

async function receiveInto({ handle, name }: Receiver, copying: CopyContext, from: string): Promise<Received> {
  const { api, progress, retries } = copying
  let [etag, mode, hash] = ['', 0o644, createHash('sha256')]
  for await (const { offset, bytes, total, facts } of downloadBytes(api, from, 0, retries())) {
    if (facts !== null) {
      await handle.truncate(0)
      hash = createHash('sha256')
      ;[etag, mode] = [facts.etag ?? '', Number.parseInt(facts.mode ?? '644', 8) & 0o777]
      progress.begin(basename(from), total)
    } else {
      const writing = handle.write(bytes, 0, bytes.length, offset).catch(withPath(name))
      hash.update(bytes)
      await writing
      progress.at(offset + bytes.length)
    }
  }
  return { etag, mode, sha256: hash.digest('base64') }
}

/** Errors that mean that the file was changed or removed, so that the received parts may be of another version. */
const changes = ['precondition_failed', 'not_found']

/** Compares the SHA-256 of the received bytes with the file's on the phone. Throws PhoneError `corrupted` if they differ although the file is unchanged. */
async function compare(
  { api, retries }: CopyContext,
  path: string,
  { etag, sha256 }: Received,
): Promise<'same' | 'changed' | { note: string }> {
  const there = await readFacts(api, path, retries(), etag).catch((error) => error as Error)
  if (!(there instanceof Error)) {
    if (there.sha256 === sha256) return 'same'
    throw new PhoneError('corrupted', `${path}: the received data differs from what was sent`)
  }
  if (!(there instanceof PhoneError) || there.status === null) throw there
  if (changes.includes(there.type)) return 'changed'
  const why =
    there.status === 403 ? 'the request for its sha256 was denied' : `the service responded with HTTP ${there.status}`
  return { note: `${path}: not compared with the original: ${why}` }
}

async function upload({ api, progress, retries }: CopyContext, from: string, to: string): Promise<void> {
  // opening a FIFO would wait for its writer
  if (!(await stat(from).catch(withPath(from))).isFile()) throw new Error(`${from}: expected a file`)
  const handle = await open(from, 'r').catch(withPath(from))
  try {
    const source = await localSource(from, handle, progress)
    const mode = ((await handle.stat()).mode & 0o777).toString(8).padStart(3, '0')
    if (source.size === 0 && (await handle.read(Buffer.alloc(1), 0, 1, 0)).bytesRead > 0)
      throw new Error(`${from}: expected a file of a known size, got one with data and the size 0`)
    progress.begin(basename(from), source.size)
    const request = { method: 'PUT', query: { path: to, mode }, headers: { 'upload-key': source.key! } }
    await uploadBytes(api, request, source, retries())
  } finally {
    await handle.close()
  }
}

async function downloadFolder(
  { api, progress, retries }: CopyContext,
  from: string,
  to: string,
  { unpack, furthest }: Archives,
): Promise<string[]> {
  const target = join(await realpath(dirname(to)).catch(withPath(to)), basename(to))
  let after = ''
  progress.begin(basename(from), null)
  const runIds = await withTemporary(target, (temporary) => {
    const unpacker = {
      after: () => after,
      unpack(bytes: AsyncIterable<Uint8Array>, gained: () => void) {
        const onEntry = (name: string) => {
          after = furthest(after, name)
          gained()
        }
        return unpack(target, { bytes: countBytes(bytes, progress), temporary, onEntry })
      },
    }
    return downloadTar(api, from, unpacker, retries())
  })
  return omissionsIn(api, runIds, retries())
}

async function uploadFolder(
  { api, progress, retries }: CopyContext,
  from: string,
  to: string,
  { pack }: Archives,
): Promise<string[]> {
  const source = await realpath(from).catch(withPath(from)) // a sender of archives accepts no links in its path
  progress.begin(basename(from), null)
  const attempts: ReturnType<Archives['pack']>[] = []
  const packAfter = (after: string) => {
    const attempt = pack(source, after)
    attempts.push(attempt)
    return countBytes(attempt.pieces, progress)
  }
  const runId = await uploadTar(api, to, packAfter, retries())
  return [...attempts.flatMap(({ notes }) => notes()), ...(await omissionsIn(api, [runId], retries()))]
}

async function* countBytes(pieces: AsyncIterable<Uint8Array>, progress: CopyProgress): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    progress.at(bytes)
    yield piece
  }
}
