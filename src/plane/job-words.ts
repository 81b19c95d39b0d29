import type { Ending } from '../schema/index.ts'

/** What a phone has to do with a job: each is said only when it is true. */
export type JobState =
  | 'queued'
  | 'sent'
  | 'accepted'
  | 'running'
  | 'ended'
  | 'refused'
  | 'expired'
  | 'unknown'
  | 'withdrawn'

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
export interface Row {
  state: Exclude<JobState, 'queued' | 'expired'>
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

const settled = new Set<JobState>(['ended', 'refused', 'unknown', 'withdrawn', 'expired'])
/** Nothing more will come of it. */
export const isSettled = ({ state }: { state: JobState }): boolean => settled.has(state)

/** Planes whose clocks were measured may differ by so much, and a write be so late, at most. */
const GRACE_MS = 30_000

/** What can be said of it now, by the broker's clock. */
export function stateOf(job: Job, row: Row | null, nowMs: number): JobState {
  if (row !== null) return row.state
  return nowMs > job.deadlineMs + GRACE_MS ? 'expired' : 'queued'
}

/** One phone of a job, as GET /jobs/:id tells of it. */
type PhoneResult = Omit<Row, 'state' | 'home' | 'cancel'> & { state: JobState }

export function toResult(job: Job, row: Row | null, nowMs: number): PhoneResult {
  const { home: _home, cancel: _cancel, ...told } = row ?? {}
  return { ...told, state: stateOf(job, row, nowMs) }
}
