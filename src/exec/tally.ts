import type { ExecRecord } from '../schema/index.ts'

/** Labels of one count; what comes beyond is `other`. */
const MAX_LABELS = 128
/** Upper ends of the histogram of durations, in seconds; the last one has none. */
export const DURATION_BUCKETS = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3600]

/** What has ended since the start, as metrics want it. */
export interface Tally {
  /** how many runs ended how */
  endings: Map<string, number>
  /** processes were ended for: timed_out, canceled */
  kills: Map<string, number>
  /** denied, by the rule that spoke */
  denials: Map<string, number>
  /** questions by what became of them: approved, denied, timeout … */
  approvals: Map<string, number>
  outputBytes: number
  /** processes that could not be ended */
  survivors: number
  /** runs of each bucket alone, those that are longer than all in the last one */
  durations: number[]
  durationSeconds: number
}

export const newTally = (): Tally => ({
  endings: new Map(),
  kills: new Map(),
  denials: new Map(),
  approvals: new Map(),
  outputBytes: 0,
  survivors: 0,
  durations: Array(DURATION_BUCKETS.length + 1).fill(0),
  durationSeconds: 0,
})

/** One more run has ended. */
export function count(tally: Tally, record: ExecRecord): void {
  const { status, decision, approval, started_at } = record
  add(tally.endings, status)
  if (status === 'denied') add(tally.denials, decision.rule ?? 'other')
  if (approval) add(tally.approvals, approval.outcome)
  tally.outputBytes += record.stdout_bytes + record.stderr_bytes
  tally.survivors += record.left_behind.survivors.length
  if (started_at === null) return
  if (status === 'timed_out' || status === 'canceled') add(tally.kills, status)
  const seconds = record.duration_ms / 1000
  let bucket = 0
  while (bucket < DURATION_BUCKETS.length && seconds > DURATION_BUCKETS[bucket]!) bucket++
  tally.durations[bucket]!++
  tally.durationSeconds += seconds
}

function add(counts: Map<string, number>, label: string): void {
  const key = counts.has(label) || counts.size < MAX_LABELS ? label : 'other'
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
