import type { Ending } from '../../../shared/schema/index.ts'
import { isSettled, type JobState, type RowState } from './row-states.ts'
import type { StoredMessage } from '../broker/job-streams.ts'

/** A job as its stream has it: written once. */
export interface JobMessage {
  id: string
  by: string
  /** POST /exec's */
  request: object
  phones: string[]
  ttl_seconds: number
}

/** The same, with its times by the broker's clock. */
export interface Job extends JobMessage {
  submittedMs: number
  /** it is not sent for the first time after this */
  deadlineMs: number
}

export const toJob = (message: JobMessage, submittedMs: number): Job => ({
  ...message,
  submittedMs,
  deadlineMs: submittedMs + message.ttl_seconds * 1000,
})

/** What is written of one phone and one job. */
export interface JobRow {
  state: RowState
  /** whose keys it was sent to */
  home?: string
  run_id?: string
  status?: Ending
  exit_code?: number
  output?: string
  /** output is longer: the phone has it whole */
  truncated?: boolean
  reason?: string
  /** a person or an agent wants it ended */
  cancel?: true
}

/** The first write of a row counts up to this after the deadline, by when the broker took it: with a later one nothing is sent. */
const LATEST_MS = 15_000
/** Then no row that counts can come any more, although planes' readings of the broker's clock differ. */
const GRACE_MS = 30_000

/** What the row says. A cancel is written only into a row that counts, and so it shows that the row does. */
export function writtenState({ deadlineMs }: Job, row: StoredMessage<JobRow> | null): JobState {
  if (row === null) return 'queued'
  const { value, atMs } = row
  const isFirst = value.state === 'withdrawn' || (value.state === 'sent' && !value.cancel)
  return isFirst && atMs > deadlineMs + LATEST_MS ? 'expired' : value.state
}

/** What can be said of it now, by the broker's clock. */
export function stateOf(job: Job, row: StoredMessage<JobRow> | null, nowMs: number): JobState {
  const state = writtenState(job, row)
  return state === 'queued' && nowMs > job.deadlineMs + GRACE_MS ? 'expired' : state
}

/** Nothing more will come of it, as far as can be said now. */
export const isOver = (job: Job, row: StoredMessage<JobRow> | null, nowMs: number): boolean =>
  isSettled(stateOf(job, row, nowMs))

/** One phone of a job, as GET /jobs/:id tells of it. */
type PhoneResult = Omit<JobRow, 'state' | 'home' | 'cancel'> & { state: JobState }

export function toResult(job: Job, row: StoredMessage<JobRow> | null, nowMs: number): PhoneResult {
  const { home: _home, cancel: _cancel, ...told } = row?.value ?? {}
  return { ...told, state: stateOf(job, row, nowMs) }
}
