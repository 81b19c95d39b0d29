import type { JobResult, JobRow } from './phone-results.ts'
import { isSettled, type JobState } from './row-states.ts'
import type { StoredMessage } from '../broker/job-streams.ts'

/** A job in its stream. It is written once. */
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
  /** the time limit for the first send */
  deadlineMs: number
}

export const toJob = (message: JobMessage, submittedMs: number): Job => ({
  ...message,
  submittedMs,
  deadlineMs: submittedMs + message.ttl_seconds * 1000,
})

/** The first write of a row counts if the broker accepted it within this time after the deadline. After a later write, planes do not send the job. */
const LATEST_MS = 15_000
/** After this time, no first write can count any more, even if the planes' readings of the broker's clock differ slightly. */
const GRACE_MS = 30_000

/** The state in the row; `expired` if its first write was too late. A row with a cancellation always counts, because planes write a cancellation only to a row that counts. */
export function writtenState({ deadlineMs }: Job, row: StoredMessage<JobRow> | null): JobState {
  if (row === null) return 'queued'
  const { value, atMs } = row
  const isFirst = value.state === 'withdrawn' || (value.state === 'sent' && !value.cancel)
  return isFirst && atMs > deadlineMs + LATEST_MS ? 'expired' : value.state
}

/** The current state; `nowMs`: by the broker's clock. */
export function stateOf(job: Job, row: StoredMessage<JobRow> | null, nowMs: number): JobState {
  const state = writtenState(job, row)
  return state === 'queued' && nowMs > job.deadlineMs + GRACE_MS ? 'expired' : state
}

/** Whether the state is final. */
export const isOver = (job: Job, row: StoredMessage<JobRow> | null, nowMs: number): boolean =>
  isSettled(stateOf(job, row, nowMs))

export function toResult(job: Job, row: StoredMessage<JobRow> | null, nowMs: number): JobResult {
  const { home: _home, cancel: _cancel, ...fields } = row?.value ?? {}
  return { ...fields, state: stateOf(job, row, nowMs) }
}
