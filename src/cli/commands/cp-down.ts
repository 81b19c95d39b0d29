import { createHash } from 'node:crypto'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { furthest, unpackInto } from '../../server/files/index.ts'
import { ask, checkBusy, filesPath, leftOut, runIdIn, textOf, untilWhole } from './cp-ask.ts'
import type { Progress } from './cp-progress.ts'
import { copyTarget, withTemporary } from './cp-target.ts'
import { ClientError } from './connect-service.ts'
import type { Target } from '../../shared/transport/index.ts'

/** A file that others write to is fetched so often. */
const MAX_FETCHES = 4

/**
 * Fetches a file; what a lost connection cut goes on where it was. It has its name only when it is whole, and as it was at one time. Returns
 * what is to be said of it. Throws ClientError.
 */
export async function download(target: Target, from: string, to: string, progress: Progress): Promise<string[]> {
  const { folder, fill } = await copyTarget(to)
  return withTemporary(folder, async (temporary) => {
    const handle = await open(temporary, 'wx').catch((error) =>
      Promise.reject(new ClientError(`${to}: ${error.message}`)),
    )
    try {
      progress.begin(basename(to), null)
      const { mode, notes } = await fetchWhole(target, from, handle, progress)
      await handle.chmod(mode)
      await handle.sync()
      await fill(temporary)
      return notes
    } finally {
      await handle.close()
    }
  })
}

/** Fetches it until it did not change meanwhile. */
async function fetchWhole(target: Target, from: string, handle: FileHandle, progress: Progress) {
  for (let fetches = 0; fetches < MAX_FETCHES; fetches++) {
    const { etag, mode, digest } = await receive(target, from, handle, progress)
    const found = await compare(target, from, etag, digest)
    if (found !== 'changed') return { mode, notes: found === 'same' ? [] : [found.note] }
  }
  throw new ClientError(
    `${from}: it was changed while it was copied, ${MAX_FETCHES} times: try again when nothing writes to it`,
  )
}

/** What has come so far. */
interface Arrived {
  etag: string
  mode: number
  bytes: number
  total: number
  hash: ReturnType<typeof createHash>
}

async function receive(target: Target, from: string, handle: FileHandle, progress: Progress) {
  const arrived: Arrived = { etag: '', mode: 0o644, bytes: 0, total: 0, hash: createHash('sha256') }
  const path = filesPath({ path: from })
  await untilWhole(
    target,
    async () => {
      const goesOn = { range: `bytes=${arrived.bytes}-`, 'if-range': arrived.etag }
      const headers: Record<string, string> = arrived.bytes > 0 ? goesOn : {}
      if (arrived.bytes > 0 && arrived.bytes === arrived.total) return
      const answer = await ask(target, { method: 'GET', path, headers })
      if (answer.statusCode! >= 400) return void (await textOf(answer))
      await begin(arrived, answer, handle)
      progress.begin(basename(from), arrived.total)
      await take(arrived, answer, handle, progress)
    },
    () => arrived.bytes,
  )
  return { ...arrived, digest: arrived.hash.digest('base64') }
}

/** A file that is another one by now comes from its start. */
async function begin(arrived: Arrived, { statusCode, headers }: IncomingMessage, handle: FileHandle): Promise<void> {
  const [, start = '0', total = headers['content-length']] =
    /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  if (statusCode === 206 && Number(start) !== arrived.bytes) {
    throw new ClientError(`expected bytes from ${arrived.bytes} on, got them from ${start} on`)
  }
  arrived.total = Number(total)
  if (statusCode === 206) return
  await handle.truncate(0)
  arrived.bytes = 0
  arrived.hash = createHash('sha256')
  arrived.etag = String(headers.etag)
  arrived.mode = Number.parseInt(String(headers['file-mode'] ?? '644'), 8) & 0o777
}

async function take(arrived: Arrived, answer: IncomingMessage, handle: FileHandle, progress: Progress): Promise<void> {
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const writing = handle.write(chunk, 0, chunk.length, arrived.bytes)
    arrived.hash.update(chunk)
    await writing
    arrived.bytes += chunk.length
    progress.at(arrived.bytes)
  }
}

/** Of what changed meanwhile, or has gone, any part may be another's. */
const changedStatuses = new Set([404, 412])

/** The service reads it once more, unless it has read it just now. Throws ClientError where the very same file has other bytes. */
async function compare(
  target: Target,
  path: string,
  etag: string,
  digest: string,
): Promise<'same' | 'changed' | { note: string }> {
  const { statusCode, headers } = await untilWhole(
    target,
    async () => {
      const asked = { method: 'HEAD', path: filesPath({ path }), headers: { 'if-match': etag } }
      const answer = (await ask(target, asked)).resume()
      checkBusy(answer)
      return answer
    },
    () => 0,
  )
  if (changedStatuses.has(statusCode!)) return 'changed'
  if (statusCode !== 200) {
    const why = statusCode === 403 ? 'its sha256 was denied' : `the service answered with HTTP ${statusCode}`
    return { note: `${path}: not compared with the original: ${why}` }
  }
  if (headers['repr-digest'] === `sha-256=:${digest}:`) return 'same'
  throw new ClientError(`${path}: what arrived is not what was sent`)
}

/** Fetches a directory as one archive; what a lost connection cut goes on behind the last name that is whole. Returns what is to be said of it. Throws ClientError. */
export async function downloadFolder(target: Target, from: string, to: string, progress: Progress): Promise<string[]> {
  const parent = await realpath(dirname(to)).catch((error) =>
    Promise.reject(new ClientError(`${to}: ${error.message}`)),
  )
  const place = join(parent, basename(to))
  let [after, names] = ['', 0]
  const runIds: string[] = []
  progress.begin(basename(from), null)
  const onEntry = (name: string) => {
    after = furthest(after, name)
    names++
  }
  await withTemporary(place, (temporary) =>
    untilWhole(
      target,
      async () => {
        const path = filesPath({ path: from, ...(after === '' ? {} : { after }) })
        const answer = await ask(target, { method: 'GET', path, headers: { accept: 'application/x-tar' } })
        if (answer.statusCode! >= 400) await textOf(answer)
        runIds.push(runIdIn(answer))
        const bytes = counted(answer, progress)
        await unpackInto(place, { bytes, temporary, maxBytes: null, hides: () => false, onEntry })
      },
      () => names,
    ),
  )
  return leftOut(target, runIds)
}

async function* counted(answer: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    progress.at(bytes)
    yield chunk
  }
}
