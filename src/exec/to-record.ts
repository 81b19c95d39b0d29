import { canonicalText } from '../dialects/index.ts'
import type { Outcome } from '../pool/index.ts'
import { type Approval, type Artifact, type ExecRecord, newRecord, toIso } from '../schema/index.ts'
import { approvalWord } from './ask.ts'
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
  const { id, command, decision } = around
  const where = (stream: string) => `all of it: GET /runs/${id}/output?stream=${stream}`
  const { stdout, stderr, truncated } = shorten(outcome, command.maxLength, 'utf8', where)
  const plain: Omit<ExecRecord, 'approval'> = {
    id,
    status: outcome.ending,
    exit_code: ranItsCourse(outcome) ? (outcome.exitCode ?? -1) : -1,
    signal: outcome.signal,
    timed_out: outcome.ending === 'timed_out',
    stdout,
    stderr,
    truncated,
    output: '',
    stdout_bytes: outcome.stdout.bytes,
    stderr_bytes: outcome.stderr.bytes,
    stdout_sha256: around.sha256.stdout,
    stderr_sha256: around.sha256.stderr,
    command: command.script,
    working_directory: command.cwd,
    timeout_seconds: command.timeoutMs / 1000,
    max_length: command.maxLength,
    sandbox: command.box.name,
    decision,
    queued_ms: Math.round(outcome.queuedMs),
    duration_ms: Math.round(outcome.durationMs),
    started_at: outcome.startedAt === null ? null : toIso(outcome.startedAt),
    ended_at: toIso(outcome.endedAt),
    left_behind: outcome.leftBehind,
    artifacts: around.artifacts,
    notes: [...command.notes, ...outcome.notes, ...around.notes],
  }
  if (command.wish.scratchpad !== null) plain.scratchpad = command.wish.scratchpad
  const { approval } = around
  plain.output = canonicalText(approval ? { ...plain, approval: approvalWord(approval) } : plain)
  const record: ExecRecord = approval ? { ...plain, approval } : plain
  return command.encoding === 'utf8' ? record : { ...record, ...shorten(outcome, command.maxLength, 'base64', where) }
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
    sandbox: command.box.name,
    notes: command.notes,
  })
  if (command.wish.scratchpad !== null) record.scratchpad = command.wish.scratchpad
  return record
}
