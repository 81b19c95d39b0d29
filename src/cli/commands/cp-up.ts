import { createHash, randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { packFolder } from '../../server/files/index.ts'
import { ask, filesPath, leftOut, runIdIn, textOf, untilWhole } from './cp-ask.ts'
import type { Progress } from './cp-progress.ts'
import { ClientError } from './connect-service.ts'
import type { Target } from '../../shared/transport/index.ts'

const PIECE_BYTES = 262_144
const TAR = { 'content-type': 'application/x-tar' }

/** Sends a file; what a lost connection, or an earlier copy that was ended, has brought is not sent again. Throws ClientError. */
export async function upload(target: Target, from: string, to: string, progress: Progress): Promise<string[]> {
  const handle = await open(from, 'r').catch((error) => Promise.reject(new ClientError(`${from}: ${error.message}`)))
  try {
    const stat = await handle.stat({ bigint: true })
    const [size, mode] = [Number(stat.size), Number(stat.mode)]
    progress.begin(basename(from), size)
    const path = filesPath({ path: to, mode: (mode & 0o777).toString(8).padStart(3, '0') })
    await send(target, { handle, path, size, key: { 'upload-key': keyOf(await realpath(from), stat) }, progress })
    return []
  } finally {
    await handle.close()
  }
}

/** The same for the same file as long as it is not changed: who was interrupted goes on. */
const keyOf = (path: string, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  createHash('sha256').update([hostname(), path, dev, ino, size, mtimeNs, ctimeNs].join('\0')).digest('hex')

interface Sending {
  handle: FileHandle
  path: string
  size: number
  key: { 'upload-key': string }
  progress: Progress
}

async function send(target: Target, sending: Sending): Promise<void> {
  const { path, size, key } = sending
  const read = createReader(sending)
  let there = 0
  await untilWhole(
    target,
    async (attempt) => {
      if (attempt > 0 || size > PIECE_BYTES) there = await bytesThere(target, sending)
      const range: Record<string, string> = size > 0 ? { 'content-range': `bytes ${there}-${size - 1}/${size}` } : {}
      const headers = { ...key, ...range, 'content-length': String(size - there) }
      const answer = await ask(target, { method: 'PUT', path, headers, body: read.from(there) })
      await textOf(answer)
      const [, theirs] = /sha-256=:([^:]*):/.exec(String(answer.headers['repr-digest'])) ?? []
      const ours = await read.digest()
      if (theirs !== ours) {
        throw new ClientError(`${path}: what arrived is not what was sent: was the file changed meanwhile?`)
      }
    },
    () => there,
  )
}

async function bytesThere(target: Target, { path, size, key }: Sending): Promise<number> {
  if (size === 0) return 0
  const headers = { ...key, 'content-range': `bytes */${size}`, 'content-length': '0' }
  const answer = await ask(target, { method: 'PUT', path, headers })
  await textOf(answer)
  const [, last] = /^bytes=0-(\d+)$/.exec(answer.headers.range ?? '') ?? []
  return last === undefined ? 0 : Number(last) + 1
}

/** Reads the file from any byte on, and takes the sha256 of all of it: each byte once, also of what is not sent. */
function createReader({ handle, size, progress }: Sending) {
  const hash = createHash('sha256')
  let hashed = 0
  async function* from(start: number): AsyncGenerator<Buffer> {
    for (let at = Math.min(start, hashed); at < size;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) {
        throw new ClientError(`it became shorter while it was sent: expected ${size} bytes, got ${at}`)
      }
      const read = piece.subarray(0, bytesRead)
      if (at + bytesRead > hashed) hash.update(read.subarray(Math.max(0, hashed - at)))
      const unsent = read.subarray(Math.max(0, start - at))
      at += bytesRead
      hashed = Math.max(hashed, at)
      if (unsent.length > 0) yield unsent
      progress.at(at)
    }
  }
  return { from, digest: async () => hash.digest('base64') }
}

/** Sends a directory as one archive; what a lost connection cut goes on behind the last name that is whole. Returns what is to be said of it. Throws ClientError. */
export async function uploadFolder(target: Target, from: string, to: string, progress: Progress): Promise<string[]> {
  const key = { 'upload-key': randomUUID() }
  const path = filesPath({ path: to })
  let [after, gained] = ['', 0]
  const attempts: Pick<ReturnType<typeof packFolder>['packed'], 'notes'>[] = []
  progress.begin(basename(from), null)
  const runId = await untilWhole(
    target,
    async (attempt) => {
      if (attempt > 0) after = (await unpackedThrough(target, path, key)) ?? after
      if (after !== '') gained++
      const { packed, pieces } = packFolder(from, { after, hides: () => false })
      attempts.push(packed)
      const answer = await ask(target, {
        method: 'PUT',
        path,
        headers: { ...key, ...TAR },
        body: counted(pieces, progress),
      })
      await textOf(answer)
      return runIdIn(answer)
    },
    () => gained,
  )
  return [...attempts.flatMap(({ notes }) => notes.map(({ text }) => text)), ...(await leftOut(target, [runId]))]
}

async function unpackedThrough(target: Target, path: string, key: Record<string, string>): Promise<string | null> {
  const headers = { ...key, ...TAR, 'content-range': 'bytes */*', 'content-length': '0' }
  const answer = await ask(target, { method: 'PUT', path, headers })
  await textOf(answer)
  const through = answer.headers['unpacked-through']
  return typeof through === 'string' ? decodeURIComponent(through) : null
}

async function* counted(pieces: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of pieces) {
    yield piece
    bytes += piece.length
    progress.at(bytes)
  }
}
