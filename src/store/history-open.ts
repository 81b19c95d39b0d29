import type { ExecRecord } from '../schema/index.ts'
import { type Kept, type LineHead, type RunRecord, scanLines, unsealed } from './history-line.ts'
import type { KeyRow } from './keys.ts'
import type { Place, Segments } from './segments.ts'

/** What the record of a run says that the service did not live to end. */
export const INTERRUPTED_NOTE = 'the service stopped while this ran'

/** Where the end line of a run is: in a segment, or (the disk refused it) in memory. */
export interface Entry extends Place {
  status: string
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
}

export interface OpenHistoryOptions {
  now(): number
  /** what lies in the run's files */
  spoolBytes(id: string): { stdout: number; stderr: number }
}

/** One line after the other: who began, who ended, which key stands for whom. */
const createTally = () => {
  const entries = new Map<string, Entry>()
  const begun = new Map<string, Place & { length: number }>()
  const keys = new Map<string, KeyRow>()
  const take = (segment: number, { kind, id, status, files, key, offset, length }: LineHead): void => {
    if (key) keys.set(id, { ...key, runId: id, segment })
    if (kind === 'b') begun.set(id, { segment, offset, length })
    if (kind === 'f') keys.delete(id)
    if (kind !== 'e') return
    begun.delete(id)
    entries.set(id, { status, segment, offset, length, files })
  }
  return { entries, begun, keys, take }
}

const readOrNothing = (segments: Segments, segment: number): Buffer => {
  try {
    return segments.read(segment)
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

const toInterrupted = (line: string | null, { now, spoolBytes }: OpenHistoryOptions): Interrupted[] => {
  if (line === null) return []
  const { record } = JSON.parse(line)
  return [endedByCrash(record, spoolBytes(record.id), now())]
}

/** Reads every segment, one after the other, by the first bytes of its lines. */
export const openHistory = (segments: Segments | null, options: OpenHistoryOptions): OpenedHistory => {
  const { entries, begun, keys, take } = createTally()
  for (const segment of segments?.numbers() ?? []) {
    for (const head of scanLines(readOrNothing(segments!, segment))) take(segment, head)
  }
  const lines = [...begun.values()].map((place) => unsealed(segments!.readAt(place, place.length)))
  return { entries, interrupted: lines.flatMap((line) => toInterrupted(line, options)), keys: [...keys.values()] }
}
