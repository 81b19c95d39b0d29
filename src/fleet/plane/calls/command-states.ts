/**
 * The states of one command for one phone, as far as the control plane knows. The Idempotency-Key makes it harmless to send the request again.
 *
 * - accepted: the phone sent a Run-Id
 * - refused: a second request would get the same response
 * - undelivered: the request was not sent to the phone
 * - unanswered: the request was sent, but no complete or final response arrived
 * - recorded: the record arrived
 * - cut: the first response ended before the record
 * - unfinished: the run has not ended
 * - forgotten: the phone has lost the run but still has the key
 * - left: the caller no longer waits
 */
export const commandTable = {
  starting: { accepted: 'listening', refused: 'refused', undelivered: 'offline', unanswered: 'doubtful' },
  doubtful: {
    accepted: 'listening',
    refused: 'refused',
    undelivered: 'doubtful',
    unanswered: 'doubtful',
    left: 'silent',
  },
  listening: { recorded: 'ended', cut: 'following', left: 'running' },
  following: {
    ...{ recorded: 'ended', unfinished: 'following', undelivered: 'following', unanswered: 'following' },
    ...{ forgotten: 'doubtful', refused: 'refused', left: 'running' },
  },
  ended: {},
  refused: {},
  offline: {},
  silent: {},
  running: {},
} as const

/**
 * The states of one control plane's delivery of one job to one phone. `carrying` runs the state machine of `commandTable`. In `passed`, the plane
 * retries later and continues with the next jobs. In `away`, it retries later, together with the next jobs.
 *
 * - barred: the job was never sent and will not be, because it has expired or the phone is revoked
 * - absent: the phone's home is not known yet
 * - lost: the job was sent to a home that no longer exists
 */
export const deliveryTable = {
  reading: { open: 'reaching', settled: 'settled', barred: 'passed', absent: 'away', lost: 'closing' },
  reaching: { reached: 'claiming', unreached: 'away' },
  claiming: { claimed: 'carrying', settled: 'settled', barred: 'passed' },
  carrying: { over: 'closing', open: 'away' },
  closing: { written: 'settled' },
  settled: {},
  passed: {},
  away: {},
} as const

/** The states of the cancellation of a run that this plane follows. The plane sends it at each contact with the phone until the phone confirms it. */
export const cancelTable = {
  idle: { want: 'wanted' },
  wanted: { contact: 'sending' },
  sending: { confirmed: 'confirmed', unconfirmed: 'wanted' },
  confirmed: {},
} as const
