import type { Stream } from './text-style.ts'

const KEY = 'shellphone.arrivals'
/** Limits: runs, pieces of a stream, and pieces that a reload keeps. Later pieces have no time when they are read again. */
const MAX_RUNS = 20
const MAX_PIECES = 10_000
const MAX_STORED = 20_000
/** Pieces that arrive within this time count as one. */
const SAME_MS = 10

/** When the pieces of a stream arrived: where each starts, its time, and where the last one ends. */
interface Arrivals {
  offsets: number[]
  times: number[]
  end: number
}

type ArrivalsOfRun = Record<Stream, Arrivals>

/** A piece of a stream, and when the page received it in epoch milliseconds; null: unknown. */
export interface TimedPiece {
  bytes: Uint8Array
  offset: number
  receivedMs: number | null
}

const none = (): Arrivals => ({ offsets: [], times: [], end: 0 })

/** The times at which this browser tab received output, by run. The service stores none. */
const runs = new Map<string, ArrivalsOfRun>(load())

function load(): [string, ArrivalsOfRun][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, ArrivalsOfRun][]
  } catch {
    return [] // another version wrote it
  }
}

function store(): void {
  let left = MAX_STORED
  const kept = [...runs].reverse().filter(([, { stdout, stderr }]) => {
    left -= stdout.offsets.length + stderr.offsets.length
    return left >= 0
  })
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept.reverse()))
  } catch {
    sessionStorage.removeItem(KEY) // no space: the times are not kept
  }
}
addEventListener('pagehide', store)

/** Records that output of a run arrived now, unless this page has received it before. */
export function noteArrival(id: string, stream: Stream, offset: number, length: number, nowMs: number): void {
  const known = runs.get(id) ?? { stdout: none(), stderr: none() }
  runs.set(id, known)
  if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value!)
  const arrivals = known[stream]
  const end = offset + length
  if (end <= arrivals.end || arrivals.offsets.length >= MAX_PIECES) return
  const start = Math.max(offset, arrivals.end)
  const isSame = start === arrivals.end && nowMs - (arrivals.times.at(-1) ?? -Infinity) < SAME_MS
  if (!isSame) {
    // a part in between that did not arrive here has no time
    if (start > arrivals.end) add(arrivals, arrivals.end, NaN)
    add(arrivals, start, nowMs)
  }
  arrivals.end = end
}

function add({ offsets, times }: Arrivals, offset: number, ms: number): void {
  offsets.push(offset)
  times.push(ms)
}

/** Splits bytes of a stream where the times of their arrival differ. */
export function withTimes(id: string, stream: Stream, bytes: Uint8Array, offset: number): TimedPiece[] {
  const arrivals = runs.get(id)?.[stream] ?? none()
  const pieces: TimedPiece[] = []
  const stop = offset + bytes.length
  let index = arrivals.offsets.findLastIndex((start) => start <= offset)
  for (let at = offset; at < stop; index++) {
    const next = Math.min(stop, Math.max(at, arrivals.offsets[index + 1] ?? (at < arrivals.end ? arrivals.end : stop)))
    const ms = at < arrivals.end ? arrivals.times[index] : undefined
    const piece = bytes.subarray(at - offset, next - offset)
    if (piece.length > 0) pieces.push({ bytes: piece, offset: at, receivedMs: ms || null })
    at = next
  }
  return pieces
}
