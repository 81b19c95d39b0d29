/**
 * One command for one phone, as far as the plane knows. The phone's Idempotency-Key makes a repeated request harmless.
 *
 * accepted: a Run-Id came. refused: an answer that would be the same again. unheard: nobody listened, it was not sent. unanswered: it was
 * sent, and no whole answer came, or one that may be another next time. recorded: its record came. cut: the first answer ended before
 * that. unfinished: it has not ended. forgotten: the phone has lost the run, and holds its key. left: the caller no longer waits.
 */
export const commandTable = {
  starting: { accepted: 'listening', refused: 'refused', unheard: 'offline', unanswered: 'doubtful' },
  doubtful: { accepted: 'listening', refused: 'refused', unheard: 'doubtful', unanswered: 'doubtful', left: 'silent' },
  listening: { recorded: 'ended', cut: 'following', left: 'running' },
  following: {
    ...{ recorded: 'ended', unfinished: 'following', unheard: 'following', unanswered: 'following' },
    ...{ forgotten: 'doubtful', refused: 'refused', left: 'running' },
  },
  ended: {},
  refused: {},
  offline: {},
  silent: {},
  running: {},
} as const

/**
 * What one plane does for one row; `carrying` is the machine above. passed: the jobs behind it go on. away: none does. Both are tried
 * again later.
 *
 * barred: it was not sent, and is not sent now: its time is over, or the phone is revoked. absent: the phone has not said which home it
 * has. lost: it was sent to a home that is there no more.
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

/** The cancel of a job whose run is followed: sent at each contact with the phone, until the phone has confirmed it. */
export const cancelTable = {
  idle: { want: 'wanted' },
  wanted: { contact: 'asking' },
  asking: { confirmed: 'confirmed', unconfirmed: 'wanted' },
  confirmed: {},
} as const
