/**
 * One command for one phone, as far as the plane knows. The Idempotency-Key makes it harmless to send the request again.
 *
 * accepted: the phone sent a Run-Id. refused: a second request would get the same response. undelivered: it was not sent to the phone.
 * unanswered: it was sent, and no complete response came, or one that may change. recorded: the record came. cut: the first response ended
 * before the record. unfinished: the run has not ended. forgotten: the phone has lost the run but still has the key. left: the caller no
 * longer waits.
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
 * What one plane does for one job on one phone. `carrying` runs the machine above. passed: retried later, and the jobs behind it continue.
 * away: retried later together with the jobs behind it.
 *
 * barred: it was not sent and will not be, because it has expired or the phone is revoked. absent: the phone's home is not known yet. lost:
 * it was sent to a home that no longer exists.
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

/** The cancel of a run that this plane follows. It is sent at each contact with the phone until the phone confirms it. */
export const cancelTable = {
  idle: { want: 'wanted' },
  wanted: { contact: 'sending' },
  sending: { confirmed: 'confirmed', unconfirmed: 'wanted' },
  confirmed: {},
} as const
