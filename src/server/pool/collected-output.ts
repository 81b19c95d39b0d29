import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Child, Collected, Stream } from '../../shared/schema/index.ts'
import { type Clock, type Deadline, within } from '../../shared/async/index.ts'
import type { Job, Sink } from './job.ts'

/** Passes the output of one run from the spawner to the collectors and the sink. */
export interface OutputCollector {
  onOutput(stream: Stream, chunk: Buffer): void
  /** the process that flow control pauses; null before it starts */
  child: Child | null
  /** the clock's now() at the last chunk; 0 before the first */
  lastAt: number
  /** resolves when the sink accepts more output; null while it accepts output */
  taken: Promise<void> | null
  readonly stdout: Collector
  readonly stderr: Collector
}

export function createOutput({ headBytes, tailBytes }: Job, sink: Sink, clock: Clock): OutputCollector {
  let waiting = 0
  let resume: () => void = () => {}

  function hold(accepted: Promise<void>) {
    if (waiting++ === 0) {
      output.taken = new Promise((resolve) => {
        resume = resolve
      })
      output.child?.pause()
    }
    accepted.then(release, release)
  }
  function release() {
    if (--waiting > 0) return
    output.child?.resume()
    resume()
    output.taken = null
  }
  const output: OutputCollector = {
    onOutput: (stream, chunk) => {
      output.lastAt = clock.now()
      output[stream].add(chunk)
      const accepted = sink.output.append(stream, chunk)
      if (accepted) hold(accepted)
    },
    child: null,
    lastAt: 0,
    taken: null,
    stdout: createCollector(headBytes, tailBytes),
    stderr: createCollector(headBytes, tailBytes),
  }
  return output
}

/** Output counts as ended when nothing has arrived for this long. */
const QUIET_MS = 30

/**
 * Reads the pipes after the shell has exited. Resolves with true when both are closed, and with false when nothing has arrived for 30 ms or
 * after `drainMs`. Time during which the sink blocks reading does not count, up to `deadline` or until `giveUp` settles.
 */
export async function drain(
  child: Child,
  output: OutputCollector,
  { drainMs, clock }: { drainMs: number; clock: Clock },
  deadline: Deadline,
  giveUp: Promise<unknown>,
): Promise<boolean> {
  let end = clock.now() + drainMs
  for (let now = clock.now(), quietSince = now; ; now = clock.now()) {
    const taken = output.taken
    if (taken) {
      if (!(await deadline.allows(Promise.race([taken, child.closed, giveUp])))) return false
      if (output.taken === taken) return hasClosed(child)
      end += clock.now() - now
      quietSince = clock.now()
      continue
    }
    quietSince = Math.max(quietSince, output.lastAt)
    if (await within(child.closed, Math.min(quietSince + QUIET_MS, end) - now, clock)) return true
    // if this thread was busy, the timer fires before the pipes are read, so wait until they have been read once
    await nextTurn()
    await nextTurn()
    if (output.taken === null && (output.lastAt <= quietSince || clock.now() >= end)) {
      return hasClosed(child)
    }
  }
}

/** Resolves with whether both pipes are closed by the next turn of the event loop. */
const hasClosed = ({ closed }: Child): Promise<boolean> => within(closed, 0)

interface Collector {
  add(chunk: Buffer): void
  /** returns the output so far */
  collected(): Collected
}

const EMPTY: Buffer = Buffer.alloc(0)
const FIRST_BYTES = 4096

/** Collects one stream in at most `headBytes` + `tailBytes` bytes of memory, allocated as needed; bytes in between are only counted. */
export function createCollector(headBytes: number, tailBytes: number): Collector {
  let head = EMPTY
  let [inHead, bytes, lines] = [0, 0, 0]
  let tail: ReturnType<typeof createTail> | null = null
  return {
    add(chunk) {
      bytes += chunk.length
      lines += countNewlines(chunk)
      const forHead = Math.min(chunk.length, headBytes - inHead)
      head = grow(head, inHead + forHead, headBytes)
      chunk.copy(head, inHead, 0, forHead)
      inHead += forHead
      if (forHead === chunk.length || tailBytes === 0) return
      tail ??= createTail(tailBytes)
      tail.add(chunk.subarray(forHead))
    },
    collected: () => ({ bytes, lines, head: head.subarray(0, inHead), tail: tail?.bytes() ?? EMPTY }),
  }
}

/** Keeps the last `maxBytes`. The buffer doubles up to that size and then becomes a ring. */
function createTail(maxBytes: number) {
  let ring = EMPTY
  let [length, next] = [0, 0]
  return {
    add(chunk: Buffer) {
      const last = chunk.subarray(Math.max(0, chunk.length - maxBytes))
      length = Math.min(maxBytes, length + last.length)
      ring = grow(ring, length, maxBytes)
      const beforeWrap = last.copy(ring, next)
      last.copy(ring, 0, beforeWrap)
      next = (next + last.length) % maxBytes
    },
    bytes: () =>
      length < maxBytes ? ring.subarray(0, length) : Buffer.concat([ring.subarray(next), ring.subarray(0, next)]),
  }
}

/** Returns a buffer with the same content and at least `wanted` bytes. The size doubles, up to `maxBytes`. */
function grow(buffer: Buffer, wanted: number, maxBytes: number): Buffer {
  if (wanted <= buffer.length) return buffer
  const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(wanted, buffer.length * 2, FIRST_BYTES)))
  buffer.copy(larger)
  return larger
}

export function countNewlines(chunk: Buffer): number {
  let count = 0
  for (let at = 0; at < chunk.length; at++) if (chunk[at] === 10) count++
  return count
}
