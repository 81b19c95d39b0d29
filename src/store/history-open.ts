import type { ExecRecord } from '../schema/index.ts'
import { type Kept, type LineHead, scanLines } from './history-line.ts'
import type { Segments } from './segments.ts'

/** What the record of a run says that the service did not live to end. */
export const INTERRUPTED_NOTE = 'the service stopped while this ran'

export interface Interrupted {
  record: ExecRecord
  kept: Kept
}

export interface OpenedHistory {
  /** the lines of the newest two segments */
  heads: { segment: number; head: LineHead }[]
  /** runs that began and did not end, as they are to be recorded now */
  interrupted: Interrupted[]
}

export interface OpenHistoryOptions {
  now(): number
  /** what lies in the run's files */
  spoolBytes(id: string): { stdout: number; stderr: number }
}

const readLines = (segments: Segments) => {
  const bytes = new Map<number, Buffer>()
  const heads: OpenedHistory['heads'] = []
  for (const segment of segments.numbers().slice(-2)) {
    const content = readOrNothing(segments, segment)
    bytes.set(segment, content)
    for (const head of scanLines(content)) heads.push({ segment, head })
  }
  return { bytes, heads }
}

const readOrNothing = (segments: Segments, segment: number): Buffer => {
  try {
    return segments.readSync(segment)
  } catch {
    return Buffer.alloc(0)
  }
}

const toInterrupted = (line: string, { now, spoolBytes }: OpenHistoryOptions): Interrupted | null => {
  try {
    const { record } = JSON.parse(line)
    return endedByCrash(record, spoolBytes(record.id), now())
  } catch {
    return null
  }
}

const endedByCrash = (
  begun: ExecRecord,
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
    output: `[Exit Code: -1]\n[stderr]\n${INTERRUPTED_NOTE}`,
    ended_at: new Date(nowMs).toISOString(),
    notes: [...begun.notes, INTERRUPTED_NOTE],
  }
  const summary = (bytes: number) => ({ bytes, keptBytes: bytes, sha256: null })
  const where = stdout + stderr > 0 ? 'file' : 'line'
  return { record, kept: { where, stdout: summary(stdout), stderr: summary(stderr) } }
}

/** Reads the newest two segments: a new one begins with every run that is still going, so they hold all that did not end. */
export const openHistory = (segments: Segments | null, options: OpenHistoryOptions): OpenedHistory => {
  if (segments === null) return { heads: [], interrupted: [] }
  const { bytes, heads } = readLines(segments)
  const begun = new Map<string, { segment: number; head: LineHead }>()
  for (const found of heads) if (found.head.kind === 'begin') begun.set(found.head.id, found)
  for (const { head } of heads) if (head.kind === 'end') begun.delete(head.id)
  const interrupted = [...begun.values()].flatMap(({ segment, head: { offset, length } }) => {
    const line = bytes.get(segment)!.toString('utf8', offset, offset + length)
    return toInterrupted(line, options) ?? []
  })
  return { heads, interrupted }
}
