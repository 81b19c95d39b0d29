import type { Stream } from '../schema/index.ts'

const MAX_SWITCHES = 65_536

export const streams = ['stdout', 'stderr'] as const

/** In which order the bytes of both streams came: lengths that alternate stdout, stderr, stdout … (the first may be 0). */
export interface OrderList {
  readonly lengths: number[]
  add(stream: Stream, length: number): void
  /** true: nothing is added any more; what the list does not cover is in no known order */
  sealed(): boolean
  seal(): void
}

export const streamAt = (index: number): Stream => streams[index % 2]!

/** Remembers the first 65 536 changes between the streams; a run that changes more often is in order up to there. */
export const createOrderList = (lengths: number[] = [], sealed = false): OrderList => {
  let isSealed = sealed
  const add = (stream: Stream, length: number): void => {
    if (isSealed || length === 0) return
    if (lengths.length === 0) lengths.push(0)
    if (streamAt(lengths.length - 1) === stream) lengths[lengths.length - 1]! += length
    else if (lengths.length < MAX_SWITCHES) lengths.push(length)
    else isSealed = true
  }
  return {
    lengths,
    add,
    sealed: () => isSealed,
    seal: () => {
      isSealed = true
    },
  }
}
