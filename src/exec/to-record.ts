import { canonicalText } from '../dialects/index.ts'
import type { Outcome } from '../pool/index.ts'
import { type Approval, type Artifact, type ExecRecord, newRecord, type Shown, toIso } from '../schema/index.ts'
import { type EndedRun, INTERRUPTED_NOTE, type RunRecord } from '../store/index.ts'
import type { Command } from './to-command.ts'
import { shorten } from './shorten.ts'

/** What the record tells beside the outcome of the pool. */
export interface Around {
  id: string
  command: Command
  decision: ExecRecord['decision']
  approval: Approval | null
  artifacts: Artifact[]
  sha256: { stdout: string | null; stderr: string | null }
  notes: string[]
}

/** Command + Decision + Outcome → the record that is answered and kept. Times in ms and ISO 8601, sizes in bytes. */
export function toRecord(outcome: Outcome, around: Around): ExecRecord {
  const { command, decision, approval } = around
  const record: RunRecord = {
    id: around.id,
    status: outcome.ending,
    exit_code: ranItsCourse(outcome) ? (outcome.exitCode ?? -1) : -1,
    signal: outcome.signal,
    timed_out: outcome.ending === 'timed_out',
    truncated: false,
    stdout_bytes: outcome.stdout.bytes,
    stderr_bytes: outcome.stderr.bytes,
    stdout_sha256: around.sha256.stdout,
    stderr_sha256: around.sha256.stderr,
    command: command.script,
    working_directory: command.cwd,
    timeout_seconds: command.timeoutMs / 1000,
    max_length: command.maxLength,
    sandbox: command.sandbox.name,
    decision,
    queued_ms: Math.round(outcome.queuedMs),
    duration_ms: Math.round(outcome.durationMs),
    started_at: outcome.startedAt === null ? null : toIso(outcome.startedAt),
    ended_at: toIso(outcome.endedAt),
    left_behind: outcome.leftBehind,
    artifacts: around.artifacts,
    notes: [...command.notes, ...outcome.notes, ...around.notes],
  }
  if (command.wish.scratchpad !== null) record.scratchpad = command.wish.scratchpad
  if (approval) record.approval = approval
  return withTexts(record, shownOf(outcome, command))
}

/** What the reply is made of, for the store to give back later. */
export const shownOf = ({ stdout, stderr }: Outcome, { encoding }: Command): Shown => ({ encoding, stdout, stderr })

/** The texts of a reply: both streams shortened, and FEAT-029's text of them, which is UTF-8 whatever the streams are sent as. */
function withTexts(record: RunRecord, { encoding, ...streams }: Shown): ExecRecord {
  const { id, max_length } = record
  const where = (stream: string) => `all of it: GET /runs/${id}/output?stream=${stream}`
  const { stdout, stderr, truncated } = shorten(streams, max_length, 'utf8', where)
  const told = { ...record, stdout, stderr, truncated }
  const output = canonicalText(told)
  return encoding === 'utf8'
    ? { ...told, output }
    : { ...told, output, ...shorten(streams, max_length, 'base64', where) }
}

/** A record that history gives back, with the texts that were answered as far as their output is still kept. */
export function toReply({ record, shown }: EndedRun): ExecRecord {
  if (record.notes.includes(INTERRUPTED_NOTE)) {
    return { ...record, stdout: '', stderr: '', output: `[Exit Code: -1]\n[stderr]\n${INTERRUPTED_NOTE}` }
  }
  if (shown) return withTexts(record, shown)
  const notes = [...record.notes, 'the text of the reply is no longer kept']
  return { ...record, notes, stdout: '', stderr: '', output: '' }
}

/** A command that was stopped may still exit with a code of its own; it is no answer to what was asked. */
const ranItsCourse = ({ ending }: Outcome) => ending === 'completed' || ending === 'failed'

/** What history shows of a run that has not ended. */
export function recordInProgress(id: string, command: Command): ExecRecord {
  const record = newRecord({
    id,
    command: command.script,
    working_directory: command.cwd,
    timeout_seconds: command.timeoutMs / 1000,
    max_length: command.maxLength,
    sandbox: command.sandbox.name,
    notes: command.notes,
  })
  if (command.wish.scratchpad !== null) record.scratchpad = command.wish.scratchpad
  return record
}
