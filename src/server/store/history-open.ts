import type { Entries } from './ended-entry.ts'
import { type LineHead, scanLines } from './history-line.ts'
import { runIdMs } from '../../shared/schema/index.ts'
import type { AgeClock } from './ids.ts'
import type { KeyRow } from './keys.ts'
import { type ReadSegment, reportLosses, toRead } from './losses.ts'
import type { LineAddress, SegmentKind, Segments } from './segments.ts'
import type { Warnings } from './warnings.ts'

/** Replays the lines of all segments: runs that began, runs that ended, and the run of each key. */
export class OpenedHistory {
  /** ended runs, in the order in which they ended */
  readonly entries: Entries = new Map()
  /** runs that began but did not end */
  readonly begun = new Map<string, LineAddress & { length: number }>()
  /** by the id of their run */
  readonly keys = new Map<string, KeyRow>()
  readonly #freed: string[] = []
  #ageMs = 0

  constructor(private readonly clock: AgeClock) {}

  /** Reads the first bytes of every line of every segment and reports losses. `withFiles`: the runs that have files. */
  read(segments: Segments, withFiles: Set<string>, warnings: Warnings): void {
    const numbers = new Set(segments.numbers)
    const read: ReadSegment[] = []
    const keys: ReadSegment[] = []
    for (const segment of [...new Set([...segments.keyNumbers(), ...numbers])].sort((a, b) => a - b)) {
      const keyLines = linesOf(segments, segment, 'keys')
      keys.push(toRead(segment, keyLines))
      // the lines of the segment itself advance the clock; its keys must not
      for (const head of keyLines) this.#take(segment, head, !numbers.has(segment))
      if (!numbers.has(segment)) continue
      const heads = linesOf(segments, segment, 'jsonl')
      for (const head of heads) this.#take(segment, head, true)
      read.push(toRead(segment, heads))
    }
    for (const id of this.#freed) this.keys.delete(id)
    segments.lines = reportLosses(read, keys, segments.remembered, warnings)
    for (const [id, { files }] of this.entries) {
      if (files && !withFiles.has(id)) warnings.count('MISSING_OUTPUTS', 1, id)
    }
  }

  #take(segment: number, { kind, id, status, files, key, offset, length }: LineHead, isNextInTime: boolean): void {
    if (isNextInTime && id !== '') this.#ageMs = this.clock.pass(runIdMs(id))
    const ageMs = this.#ageMs
    if (key) this.keys.set(id, { ...key, runId: id, segment, ageMs })
    if (kind === 'f') this.#freed.push(id)
    const ended = kind === 'e' ? undefined : this.entries.get(id)
    if (kind === 's' && ended) this.entries.set(id, { ...ended, files: false })
    // a delayed begin line comes after the end line of its run
    if (kind === 'b' && !ended) this.begun.set(id, { segment, offset, length })
    if (kind !== 'e') return
    this.begun.delete(id)
    this.entries.set(id, { status, segment, offset, length, files, ageMs })
  }
}

function linesOf(segments: Segments, segment: number, kind: SegmentKind): LineHead[] {
  try {
    return [...scanLines(segments.read(segment, kind))]
  } catch {
    return [] // the segment counts as missing
  }
}
