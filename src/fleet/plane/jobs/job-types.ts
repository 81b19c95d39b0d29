import type { Ending } from '../../../shared/schema/index.ts'
import { isSettled, type JobState, type RowState } from './row-states.ts'
import type { StoredMessage } from '../broker/job-streams.ts'

/** A job as it is stored in its stream; written once. */
export interface JobMessage {
  id: string
  by: string
  /** the body of POST /exec */
  request: object
  phones: string[]
  ttl_seconds: number
}

/** A job with its times, in epoch milliseconds by the broker's clock. */
export interface Job extends JobMessage {
  submittedMs: number
  /** the first send must be before this */
  deadlineMs: number
}

export const toJob = (message: JobMessage, submittedMs: number): Job => ({
  ...message,
  submittedMs,
  deadlineMs: submittedMs + message.ttl_seconds * 1000,
})

/** A row: the stored state of one job on one phone. */
export interface JobRow {
  state: RowState
  /** the id of the home that it was sent to */
  home?: string
  run_id?: string
  status?: Ending
  exit_code?: number
  output?: string
  /** the output is longer; the phone has all of it */
  truncated?: boolean
  reason?: string
  /** the job was canceled */
  cancel?: true
}

/** The first write of a row counts if the broker accepted it within this time after the deadline. After a later one nothing is sent. */
const LATEST_MS = 15_000
/** This long after the deadline no row that counts can appear any more, even though planes read the broker's clock slightly differently. */
const GRACE_MS = 30_000

/** The state in the row; `expired` if its first write came too late. A row with a cancel always counts: planes write a cancel only to a row that counts. */
export function writtenState({ deadlineMs }: Job, row: StoredMessage<JobRow> | null): JobState {
  if (row === null) return 'queued'
  const { value, atMs } = row
  const isFirst = value.state === 'withdrawn' || (value.state === 'sent' && !value.cancel)
  return isFirst && atMs > deadlineMs + LATEST_MS ? 'expired' : value.state
}

/** The state now, by the broker's clock. */
export function stateOf(job: Job, row: StoredMessage<JobRow> | null, nowMs: number): JobState {
  const state = writtenState(job, row)
  return state === 'queued' && nowMs > job.deadlineMs + GRACE_MS ? 'expired' : state
}

/** Whether the state is final. */
export const isOver = (job: Job, row: StoredMessage<JobRow> | null, nowMs: number): boolean =>
  isSettled(stateOf(job, row, nowMs))

/** One phone of a job in GET /jobs/:id. */
type PhoneResult = Omit<JobRow, 'state' | 'home' | 'cancel'> & { state: JobState }

export function toResult(job: Job, row: StoredMessage<JobRow> | null, nowMs: number): PhoneResult {
  const { home: _home, cancel: _cancel, ...fields } = row?.value ?? {}
  return { ...fields, state: stateOf(job, row, nowMs) }
}
