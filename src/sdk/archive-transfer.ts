import { piecesOf } from './file-parts.ts'
import { type RetryPolicy, untilDone } from './retry-policy.ts'
import { ask, askJson, discardBody, newKey, errorIn, send, type ApiAddress } from './requests.ts'
import { FILES_PATH, sendStream } from './file-transfer.ts'
import type { RunRecord } from './types.ts'

const TAR = 'application/x-tar'
/** The maximum wait for the record of an interrupted transfer. */
const RECORD_SECONDS = 10

/** Unpacks the archive of a download, over several attempts. */
interface Unpacker {
  /** the last complete name, after which the next attempt resumes; '': start from the beginning */
  after(): string
  /** Unpacks the bytes; calls `gained` after each complete name. */
  unpack(bytes: AsyncIterable<Uint8Array>, gained: () => void): Promise<unknown>
}

/** Downloads a directory as tar. Each attempt resumes after the last complete name. Resolves with the ids of all runs, one per attempt. */
export async function downloadTar(
  api: ApiAddress,
  path: string,
  unpacker: Unpacker,
  retries: RetryPolicy,
): Promise<string[]> {
  const runIds: string[] = []
  await untilDone(retries, async (idle) => {
    const query = { path, after: unpacker.after() || undefined }
    const response = await idle.during(ask(api, FILES_PATH, { query, headers: { accept: TAR }, signal: idle.signal }))
    runIds.push(runIdIn(response))
    await unpacker.unpack(piecesOf(response, idle), retries.madeProgress)
  })
  return runIds
}

/**
 * Uploads a directory as tar; `pack` archives the entries that sort after a name ('': all). Each attempt resumes after the last name that is
 * complete on the phone. Resolves with the id of the run of the last attempt.
 */
export function uploadTar(
  api: ApiAddress,
  path: string,
  pack: (after: string) => AsyncIterable<Uint8Array>,
  retries: RetryPolicy,
): Promise<string> {
  const request = {
    method: 'PUT',
    query: { path },
    headers: { 'upload-key': newKey(), 'content-type': TAR },
  }
  let [after, isBegun] = ['', false]
  return untilDone(retries, async (idle) => {
    const before = after
    if (isBegun) after = (await idle.during(unpackedThrough(api, request, idle.signal))) ?? after
    if (after !== before) retries.madeProgress()
    isBegun = true
    const response = await sendStream(api, request, pack(after), idle)
    await discardBody(response)
    return runIdIn(response)
  })
}

/** The last complete name on the phone, or null. */
async function unpackedThrough(
  api: ApiAddress,
  request: { headers: Record<string, string> },
  signal: AbortSignal,
): Promise<string | null> {
  const headers = { ...request.headers, 'content-range': 'bytes */*' }
  const response = await send(api, FILES_PATH, { ...request, headers, signal })
  if (response.status !== 308) throw await errorIn(response)
  await discardBody(response)
  const through = response.headers.get('unpacked-through')
  return through === null ? null : decodeURIComponent(through)
}

/** The id of the run that records a transfer. */
const runIdIn = ({ headers }: Response): string => headers.get('run-id') ?? ''

/** The entries that these transfers skipped, one sentence each, from the notes of their records. */
export async function omissionsIn(api: ApiAddress, runIds: string[], retries: RetryPolicy): Promise<string[]> {
  const found: string[] = []
  for (const id of runIds) {
    const { notes } = await untilDone(retries, ({ signal, during }) =>
      during(askJson<RunRecord>(api, `/runs/${id}`, { query: { wait_seconds: RECORD_SECONDS }, signal })),
    )
    found.push(...notes.filter(({ code }) => code === 'LEFT_OUT').map(({ text }) => text))
  }
  return found
}
