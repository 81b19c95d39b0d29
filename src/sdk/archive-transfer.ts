import { piecesOf } from './file-parts.ts'
import { type Patience, untilDone } from './patience.ts'
import { ask, askJson, forget, newKey, refusalIn, send, type ApiAddress } from './requests.ts'
import { FILES_PATH, streamed } from './file-transfer.ts'
import type { RunRecord } from './types.ts'

const TAR = 'application/x-tar'
/** Seconds that the record of what was cut may take. */
const RECORD_SECONDS = 10

/** What takes an archive in. */
interface Unpacker {
  /** the name behind which it goes on; '': from the start */
  after(): string
  /** Unpacks what comes; says of each name that it is whole. */
  unpack(bytes: AsyncIterable<Uint8Array>, gained: () => void): Promise<unknown>
}

/** A directory as tar; each attempt goes on behind the last name that is whole. Resolves with the ids of the runs that it took. */
export async function receiveFolder(
  way: ApiAddress,
  path: string,
  unpacker: Unpacker,
  patience: Patience,
): Promise<string[]> {
  const runIds: string[] = []
  await untilDone(patience, async (silence) => {
    const query = { path, after: unpacker.after() || undefined }
    const answer = await silence.during(
      ask(way, FILES_PATH, { query, headers: { accept: TAR }, signal: silence.signal }),
    )
    runIds.push(runIdIn(answer))
    await unpacker.unpack(piecesOf(answer, silence), patience.gained)
  })
  return runIds
}

/**
 * Brings a directory there as tar; `pack` makes the archive of what sorts behind a name ('': all). Each attempt goes on behind the last name
 * that is whole there. Resolves with the id of the run that took the last of it.
 */
export function deliverFolder(
  way: ApiAddress,
  path: string,
  pack: (after: string) => AsyncIterable<Uint8Array>,
  patience: Patience,
): Promise<string> {
  const asked = {
    method: 'PUT',
    query: { path },
    headers: { 'upload-key': newKey(), 'content-type': TAR },
  }
  let [after, isBegun] = ['', false]
  return untilDone(patience, async (silence) => {
    const before = after
    if (isBegun) after = (await silence.during(unpackedThrough(way, asked, silence.signal))) ?? after
    if (after !== before) patience.gained()
    isBegun = true
    const answer = await streamed(way, asked, pack(after), silence)
    await forget(answer)
    return runIdIn(answer)
  })
}

async function unpackedThrough(
  way: ApiAddress,
  asked: { headers: Record<string, string> },
  signal: AbortSignal,
): Promise<string | null> {
  const headers = { ...asked.headers, 'content-range': 'bytes */*' }
  const answer = await send(way, FILES_PATH, { ...asked, headers, signal })
  if (answer.status !== 308) throw await refusalIn(answer)
  await forget(answer)
  const through = answer.headers.get('unpacked-through')
  return through === null ? null : decodeURIComponent(through)
}

/** The id of a transfer's record. */
const runIdIn = ({ headers }: Response): string => headers.get('run-id') ?? ''

/** What these transfers left out, which their records know. */
export async function leftOut(way: ApiAddress, runIds: string[], patience: Patience): Promise<string[]> {
  const found: string[] = []
  for (const id of runIds) {
    const { notes } = await untilDone(patience, ({ signal, during }) =>
      during(askJson<RunRecord>(way, `/runs/${id}`, { query: { wait_seconds: RECORD_SECONDS }, signal })),
    )
    found.push(...notes.filter(({ code }) => code === 'LEFT_OUT').map(({ text }) => text))
  }
  return found
}
