import { PhoneError } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { ask } from '../wire.ts'
import { type Stream, streams } from './text-style.ts'

/** Offsets in both streams of a run, in bytes. */
export type BothOffsets = Record<Stream, number>

/** Where both streams stood when the byte at `offset` of this stream arrived; in a service of an older version, the other stream counts as later. Throws PhoneError. */
export function positionAt(id: string, stream: Stream, offset: number): Promise<BothOffsets> {
  const query = new URLSearchParams({ stream, offset: String(offset) })
  return ask(get<BothOffsets>(`/runs/${encodeURIComponent(id)}/position?${query}`)).catch((error) => {
    if (error instanceof PhoneError && error.type === 'not_found') return { stdout: 0, stderr: 0, [stream]: offset }
    throw error
  })
}

/** How many bytes of both streams arrived before. */
export const arrivedBefore = ({ stdout, stderr }: BothOffsets): number => stdout + stderr

/** From where to fetch, so that the first line break shows where the first line after these offsets starts: one byte earlier. */
export function withBreakBefore(start: BothOffsets, sizes: BothOffsets): BothOffsets {
  const from = (stream: Stream) => start[stream] - (start[stream] > 0 && start[stream] < sizes[stream] ? 1 : 0)
  return { stdout: from('stdout'), stderr: from('stderr') }
}

/**
 * Where the newest output starts, at most `mostBytes` of each stream, in the order of arrival, and from where to fetch it; of a hidden stream, only
 * what is new. Throws PhoneError.
 */
export async function startOfNewest(
  id: string,
  sizes: BothOffsets,
  only: Stream | null,
  mostBytes: number,
): Promise<{ start: BothOffsets; from: BothOffsets }> {
  const start = only ? startOfOne(sizes, only, mostBytes) : await startOfBoth(id, sizes, mostBytes)
  return { start, from: withBreakBefore(start, sizes) }
}

const startOfOne = (sizes: BothOffsets, only: Stream, mostBytes: number): BothOffsets => ({
  ...sizes,
  [only]: Math.max(0, sizes[only] - mostBytes),
})

async function startOfBoth(id: string, sizes: BothOffsets, mostBytes: number): Promise<BothOffsets> {
  const start = { stdout: Math.max(0, sizes.stdout - mostBytes), stderr: Math.max(0, sizes.stderr - mostBytes) }
  if (sizes.stdout === 0 || sizes.stderr === 0) return start
  const cut = streams.filter((stream) => start[stream] > 0)
  const places = await Promise.all(cut.map((stream) => positionAt(id, stream, start[stream])))
  return places.reduce((latest, one) => (arrivedBefore(one) > arrivedBefore(latest) ? one : latest))
}
