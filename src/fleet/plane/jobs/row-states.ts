import { nextState } from '../calls/state-table.ts'

/**
 * What becomes of a job on one phone, as its row says; `queued` and `expired` have no row. Any number of planes write one row, late and
 * in any order: only what this table has is written.
 */
export const rowTable = {
  queued: { send: 'sent', cancel: 'withdrawn', expire: 'expired' },
  // expire: the broker took the row too late for it to count
  sent: {
    ...{ wait: 'accepted', run: 'running', cancel: 'sent' },
    ...{ end: 'ended', refuse: 'refused', lose: 'unknown', expire: 'expired' },
  },
  accepted: { run: 'running', cancel: 'accepted', end: 'ended', refuse: 'refused', lose: 'unknown' },
  running: { cancel: 'running', end: 'ended', refuse: 'refused', lose: 'unknown' },
  ended: {},
  refused: {},
  unknown: {},
  withdrawn: {},
  expired: {},
} as const

/** What a phone has to do with a job: each is said only when it is true. */
export type JobState = keyof typeof rowTable
/** A state that is written down. */
export type RowState = Exclude<JobState, 'queued' | 'expired'>
/** What planes write; `expire` is computed by each of them. */
export type RowEvent = 'send' | 'wait' | 'run' | 'cancel' | 'end' | 'refuse' | 'lose'

/** Nothing more will come of it. */
export const isSettled = (state: JobState): boolean => Object.keys(rowTable[state]).length === 0

/** The state to write; null: nothing, another plane was faster, or it is too late. */
export function rowAfter(state: JobState, event: RowEvent): RowState | null {
  const next = nextState(rowTable, state, event)
  return next === 'queued' || next === 'expired' ? null : next
}
