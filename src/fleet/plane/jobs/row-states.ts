import { nextState } from '../calls/state-table.ts'

/**
 * The states of a job on one phone, as its row stores them; `queued` and `expired` are never stored. Any number of planes write the same row, late
 * and in any order, so they write only the transitions in this table.
 */
export const rowTable = {
  queued: { send: 'sent', cancel: 'withdrawn', expire: 'expired' },
  // expire: the broker accepted the row too late
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

/** The state of a job on one phone. */
export type JobState = keyof typeof rowTable
/** A state that is stored in a row. */
export type RowState = Exclude<JobState, 'queued' | 'expired'>
/** The events that planes write; each plane computes `expire` itself. */
export type RowEvent = 'send' | 'wait' | 'run' | 'cancel' | 'end' | 'refuse' | 'lose'

/** Whether the state is final. */
export const isSettled = (state: JobState): boolean => Object.keys(rowTable[state]).length === 0

/** The state to write; null: write nothing, because another plane was faster or the event is too late. */
export function rowAfter(state: JobState, event: RowEvent): RowState | null {
  const next = nextState(rowTable, state, event)
  return next === 'queued' || next === 'expired' ? null : next
}
