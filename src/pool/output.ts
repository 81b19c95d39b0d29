import type { Child, Stream } from '../schema/index.ts'
import { type Collector, createCollector } from './collect.ts'
import type { Job, Sink } from './job.ts'

/** The output of one run on its way from the spawner to the collectors and the sink. */
export interface Output {
  onOutput(stream: Stream, chunk: Buffer): void
  /** from now on flow control reaches this child */
  attach(child: Child): void
  /** performance.now() of the last chunk; 0 before the first */
  lastAt(): number
  /** resolves when the sink takes more; null while it does */
  whenTaken(): Promise<void> | null
  collected(): Record<Stream, ReturnType<Collector['collected']>>
}

export function createOutput({ headBytes, tailBytes }: Job, sink: Sink): Output {
  const collectors = { stdout: createCollector(headBytes, tailBytes), stderr: createCollector(headBytes, tailBytes) }
  let child: Child | null = null
  let lastAt = 0
  let waiting = 0
  let taken: { promise: Promise<void>; resolve: () => void } | null = null

  function hold(accepted: Promise<void>) {
    if (waiting++ === 0) {
      taken = createGate()
      child?.pause()
    }
    accepted.then(release, release)
  }
  function release() {
    if (--waiting > 0) return
    child?.resume()
    taken?.resolve()
    taken = null
  }
  return {
    onOutput: (stream, chunk) => {
      lastAt = performance.now()
      collectors[stream].add(chunk)
      const accepted = sink.onOutput(stream, chunk)
      if (accepted) hold(accepted)
    },
    attach: (started) => {
      child = started
      if (waiting > 0) child.pause()
    },
    lastAt: () => lastAt,
    whenTaken: () => taken?.promise ?? null,
    collected: () => ({ stdout: collectors.stdout.collected(), stderr: collectors.stderr.collected() }),
  }
}

function createGate() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
