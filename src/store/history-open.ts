import type { ExecRecord } from '../schema/index.ts'
import type { AgeClock } from './age-clock.ts'
import { type Kept, type LineHead, parseSealed, type RunRecord, scanLines } from './history-line.ts'
import { runIdMs } from './ids.ts'
import type { KeyRow } from './keys.ts'
import { createLosses, type Lost } from './losses.ts'
import type { SegmentKind } from './segment-files.ts'
import type { Place, Segments } from './segments.ts'

/** What the record of a run says that the service did not live to end. */
export const INTERRUPTED_NOTE = 'the service stopped while this ran'

/** Where the end line of a run is: in a segment, or (the disk refused it) in memory. */
export interface Entry extends Place {
  status: string
  /** when it ended, by the age clock */
  ageMs: number
  length: number
  /** is there anything in runs/ for it? */
  files: boolean
  line?: string
}

export interface Interrupted {
  record: ExecRecord
  kept: Kept
}

/** All that the segments say. */
export interface OpenedHistory {
  /** ended runs, in the order in which they ended */
  entries: Map<string, Entry>
  /** runs that began and did not end, as they are to be recorded now */
  interrupted: Interrupted[]
  keys: KeyRow[]
  /** what was written once and is not there any more */
  lost: Lost
}

export interface OpenHistoryOptions {
  now(): number
  clock: AgeClock
  /** what lies in the run's files */
  spoolBytes(id: string): { stdout: number; stderr: number }
}

/** One line after the other: who began, who ended, which key stands for whom. */
const createTally = () => {
  const entries = new Map<string, Entry>()
  const begun = new Map<string, Place & { length: number }>()
  const keys = new Map<string, KeyRow>()
  const freed: string[] = []
  const take = (segment: number, { kind, id, status, files, key, offset, length }: LineHead, ageMs: number): void => {
    if (key) keys.set(id, { ...key, runId: id, segment, ageMs })
    if (kind === 'f') freed.push(id)
    if (kind === 's' && entries.has(id)) entries.get(id)!.files = false
    // a begin line that had to wait comes after its end
    if (kind === 'b' && !entries.has(id)) begun.set(id, { segment, offset, length })
    if (kind !== 'e') return
    begun.delete(id)
    entries.set(id, { status, segment, offset, length, files, ageMs })
  }
  const free = (): void => {
    for (const id of freed) keys.delete(id)
  }
  return { entries, begun, keys, take, free }
}

const readOrNothing = (segments: Segments, segment: number, kind: SegmentKind): Buffer => {
  try {
    return segments.read(segment, kind)
  } catch {
    return Buffer.alloc(0)
  }
}

const endedByCrash = (
  begun: RunRecord,
  { stdout, stderr }: { stdout: number; stderr: number },
  nowMs: number,
): Interrupted => {
  const record: ExecRecord = {
    ...begun,
    status: 'failed',
    exit_code: -1,
    stdout: '',
    stderr: '',
    stdout_bytes: stdout,
    stderr_bytes: stderr,
    truncated: stdout + stderr > 0,
    output: '',
    ended_at: new Date(nowMs).toISOString(),
    notes: [...begun.notes, INTERRUPTED_NOTE],
  }
  const summary = (bytes: number) => ({ bytes, keptBytes: bytes, sha256: null })
  const where = stdout + stderr > 0 ? 'file' : 'line'
  return { record, kept: { where, encoding: 'utf8', stdout: summary(stdout), stderr: summary(stderr) } }
}

const toInterrupted = (line: Buffer, { now, spoolBytes }: OpenHistoryOptions): Interrupted[] => {
  const begun = parseSealed<{ record: RunRecord }>(line)?.record
  return begun ? [endedByCrash(begun, spoolBytes(begun.id), now())] : []
}

/** Reads every segment, one after the other, by the first bytes of its lines. */
export const openHistory = (segments: Segments | null, options: OpenHistoryOptions): OpenedHistory => {
  const { entries, begun, keys, take, free } = createTally()
  const losses = createLosses(segments?.remembered() ?? null)
  const read = (segment: number, kind: SegmentKind) => scanLines(readOrNothing(segments!, segment, kind))
  const present = new Set(segments?.numbers())
  const all = [...new Set([...(segments?.keyNumbers() ?? []), ...present])].sort((a, b) => a - b)
  let ageMs = 0
  const pass = ({ id }: LineHead): void => {
    if (id !== '') ageMs = options.clock.pass(runIdMs(id))
  }
  for (const segment of all) {
    for (const head of read(segment, 'keys')) {
      // what lies in the segment itself is passed there
      if (!present.has(segment)) pass(head)
      losses.keyLine(head)
      take(segment, head, ageMs)
    }
    if (!present.has(segment)) continue
    losses.segment(segment)
    for (const head of read(segment, 'jsonl')) {
      pass(head)
      losses.line(head)
      take(segment, head, ageMs)
    }
  }
  free()
  const lost = losses.end()
  segments?.countFrom(lost.count)
  const interrupted = [...begun.values()].flatMap((place) =>
    toInterrupted(segments!.readAt(place, place.length), options),
  )
  return { entries, interrupted, keys: [...keys.values()], lost }
}
