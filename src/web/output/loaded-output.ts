import type { ReadonlySignal } from '@preact/signals'
import type { BothOffsets } from './both-positions.ts'
import type { Stream } from './text-style.ts'

/** What of a run's output the page shows and has fetched, which one needs to know to read another part of it. */
export interface LoadedOutput {
  /** the only stream that is shown; null: both */
  only: Stream | null
  /** the streams that have output */
  used: ReadonlySignal<readonly Stream[]>
  /** where the fetched output starts in each stream */
  start: ReadonlySignal<BothOffsets>
  /** bytes that the service no longer stores */
  missing: ReadonlySignal<number>
  /** The only stream that is shown or has output; null: both. */
  single(): Stream | null
}
