import { type Offsets, type OutputEvent, type Phone, PhoneError, type RunRecord } from '../../sdk/index.ts'

/** The first request of a stream; it usually covers the lines. */
const FIRST_BYTES = 65_536
const PIECE_BYTES = 262_144
/** A line can have any length, so at most this many bytes of each stream are read. */
const MAX_BYTES = 8_388_608
const NEWLINE = 0x0a

/** Reads bytes of one stream. Resolves with null if the service does not store the byte at `offset`. */
type ReadPiece = (offset: number, limit: number) => Promise<Buffer | null>

/** The offset where the lines start, or a later one with the reason. */
interface TailStart {
  offset: number
  cut?: 'long' | 'missing'
}

/** Finds the offsets of the last `lines` lines of each stream. It reads backwards from the end, and calls `print` if it cannot reach a start. Rejects with PhoneError. */
export async function tailOffsets(
  phone: Pick<Phone, 'request'>,
  { id, stdout_bytes, stderr_bytes }: Pick<RunRecord, 'id' | 'stdout_bytes' | 'stderr_bytes'>,
  lines: number,
  print: (line: string) => void,
): Promise<Offsets> {
  const find = async (stream: OutputEvent['stream'], total: number): Promise<number> => {
    const { offset, cut } = await startOfTail(readerOf(phone, id, stream), total, lines)
    if (cut === 'long') print(`${stream}: the last lines are longer than 8 MiB; printing only the last 8 MiB`)
    if (cut === 'missing') print(`${stream}: not all of the last lines are stored; printing from byte ${offset}`)
    return offset
  }
  return { stdout: await find('stdout', stdout_bytes), stderr: await find('stderr', stderr_bytes) }
}

async function startOfTail(read: ReadPiece, total: number, lines: number): Promise<TailStart> {
  let [start, end, left] = [total, total, lines]
  while (left > 0 && start > 0) {
    if (end - start >= MAX_BYTES) return { offset: start, cut: 'long' }
    const isLast = start === end
    const size = Math.min(isLast ? FIRST_BYTES : PIECE_BYTES, start, MAX_BYTES - (end - start))
    const piece = await read(start - size, size)
    if (piece !== null) {
      start -= size
      let at = piece.length - (isLast ? 1 : 0) // a newline at the end starts no line
      while (at > 0 && (at = piece.lastIndexOf(NEWLINE, at - 1)) >= 0)
        if (--left === 0) return { offset: start + at + 1 }
    } else if (isLast) start = end = await storedBytes(read, end)
    else return { offset: start, cut: 'missing' }
  }
  return { offset: start }
}

/** The number of bytes at the start of the stream that the service stores, if it stores no later ones below `total`. */
async function storedBytes(read: ReadPiece, total: number): Promise<number> {
  let [low, high] = [0, total - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await read(middle, 1)) === null) high = middle
    else low = middle + 1
  }
  return low
}

function readerOf(phone: Pick<Phone, 'request'>, id: string, stream: OutputEvent['stream']): ReadPiece {
  return async (offset, limit) => {
    try {
      const query = { stream, offset, limit }
      const response = await phone.request(`/runs/${encodeURIComponent(id)}/output`, { query })
      return Buffer.from(await response.arrayBuffer())
    } catch (error) {
      if (error instanceof PhoneError && error.type === 'expired') return null
      throw error
    }
  }
}
