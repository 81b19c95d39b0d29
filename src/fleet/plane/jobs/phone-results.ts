import { type Static, Type } from '@sinclair/typebox'
import { type ExecRecord, oneWordOf } from '../../../shared/schema/index.ts'
import { count, text } from '../described.ts'
import { type JobState, type RowState, rowTable } from './row-states.ts'

/** What is known about a command on one phone, apart from its state. */
const resultFields = {
  run_id: Type.Optional(text('The id of the run on that phone, for /phones/NAME/runs/ID')),
  status: Type.Optional(text('How the run ended, as in ExecRecord of a phone')),
  exit_code: Type.Optional(Type.Integer({ description: 'The exit code, or -1 as in ExecRecord of a phone' })),
  signal: Type.Optional(text('The signal that killed the command, such as SIGKILL; absent: none')),
  duration_ms: Type.Optional(count('How long the command ran, in milliseconds; absent: it did not run')),
  output: Type.Optional(text('The formatted output')),
  truncated: Type.Optional(
    Type.Boolean({
      description: 'Whether this is only a part of the output; the phone stores all of it',
    }),
  ),
  reason: Type.Optional(text('Why the command did not run, or why its state is unknown')),
}

const fanStates = ['ended', 'running', 'refused', 'offline', 'silent', 'conflict'] as const
/** The result of a command on one phone so far. */
export const FanResult = Type.Object(
  {
    state: oneWordOf(fanStates, {
      description:
        'ended: see status; running: not ended within wait_seconds; refused: by the phone; offline: nothing was sent; silent: no response; conflict: two devices use the name',
    }),
    ...resultFields,
    stdout: Type.Optional(text('The output on stdout alone, as in ExecRecord of a phone')),
    stderr: Type.Optional(text('The output on stderr alone, as in ExecRecord of a phone')),
  },
  { $id: 'FanResult', description: 'The result of a command on one phone' },
)
export type FanResult = Static<typeof FanResult>

const jobStates = Object.keys(rowTable) as JobState[]
/** The state of a job on one phone, in GET /jobs/:id. */
export const JobResult = Type.Object(
  {
    state: oneWordOf(jobStates, {
      description:
        'queued: not sent yet; sent: no response yet; accepted: waits on the phone; unknown: the phone has lost the run; withdrawn: canceled before it was sent; expired: the phone was offline for too long',
    }),
    ...resultFields,
  },
  { $id: 'JobResult', description: 'The state of a job on one phone' },
)
export type JobResult = Static<typeof JobResult>

/** A row: the stored state of one job on one phone. */
export interface JobRow extends Omit<JobResult, 'state'> {
  state: RowState
  /** the id of the home to which it was sent */
  home?: string
  /** the job was canceled */
  cancel?: true
}

/** How a run ended, as a result of its phone, and why it was denied. */
export const endOf = ({ status, exit_code, signal, started_at, duration_ms, decision }: ExecRecord) => ({
  status,
  exit_code,
  ...(signal !== null && { signal }),
  ...(started_at && { duration_ms }),
  ...(status === 'denied' && decision.reason && { reason: decision.reason }),
})
