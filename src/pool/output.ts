import type { Child, Stream } from '../schema/index.ts'
import { type Collector, createCollector } from './collect.ts'
import type { Job, Sink } from './job.ts'

/** The output of one run on its way from the spawner to the collectors and the sink. */
export interface Output {
  onOutput(stream: Stream, chunk: Buffer): void
  /** from now on flow control reaches this child */
  attach(child: Child): void
  /** performance.now() of the last chunk; 0 before the first */
  lastAt: number
  /** resolves when the sink takes more; null while it does */
  taken: Promise<void> | null
  collectors: Record<Stream, Collector>
}

export function createOutput({ headBytes, tailBytes }: Job, sink: Sink): Output {
  let child: Child | null = null
  let waiting = 0
  let resume: () => void = () => {}

  function hold(accepted: Promise<void>) {
    if (waiting++ === 0) {
      output.taken = new Promise((resolve) => {
        resume = resolve
      })
      child?.pause()
    }
    accepted.then(release, release)
  }
  function release() {
    if (--waiting > 0) return
    child?.resume()
    resume()
    output.taken = null
  }
  const output: Output = {
    onOutput: (stream, chunk) => {
      output.lastAt = performance.now()
      output.collectors[stream].add(chunk)
      const accepted = sink.onOutput(stream, chunk)
      if (accepted) hold(accepted)
    },
    attach: (started) => {
      child = started
      if (waiting > 0) child.pause()
    },
    lastAt: 0,
    taken: null,
    collectors: { stdout: createCollector(headBytes, tailBytes), stderr: createCollector(headBytes, tailBytes) },
  }
  return output
}
