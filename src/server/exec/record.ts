import { canonicalText } from '../dialects/index.ts'
import { artifacts } from '../files/index.ts'
import type { Outcome } from '../pool/index.ts'
import {
  type Approval,
  type Decision,
  type ExecRecord,
  type Finding,
  isEnding,
  isWithin,
  newRecord,
  note,
  type Note,
  type RunSummary,
  ShellphoneError,
  type CollectedOutput,
  toIso,
  type Who,
} from '../../shared/schema/index.ts'
import type { EndedRun } from '../store/index.ts'
import type { ExecutorParts } from './executor-parts.ts'
import type { Command, CommandContext } from './command.ts'
import { type SessionResult, unfinished } from './in-session.ts'
import type { MoveOutcome } from './move.ts'
import type { FinishedRun, Run } from './run.ts'
import { shorten } from './shorten.ts'

/** Maximum bytes read from all artifacts of a run together. */
const MAX_ARTIFACT_BYTES = 1_073_741_824

/** Creates the record of a run that has just begun. */
export function begunRecord(id: string, command: Command, who: Who, via: string): ExecRecord {
  const parts = inSession(command)
  const { dialect, script, timeoutMs, maxLength, tty, dialectOptions } = command
  const request = {
    ...{ id, token: who.name, token_id: who.id, dialect, via, command: script },
    ...{ timeout_seconds: timeoutMs / 1000, max_length: maxLength },
  }
  return {
    ...newRecord({ ...request, ...parts }),
    ...parts,
    ...(tty && { tty }),
    ...(dialectOptions.scratchpad !== null && { scratchpad: dialectOptions.scratchpad }),
  }
}

/** The part of a new record that can depend on the state of a session. */
export const inSession = (command: Command) => ({
  working_directory: command.cwd,
  sandbox: command.sandbox.name,
  notes: [...command.notes],
  ...(command.session && { session: unfinished(command, command.session) }),
})

/** The results of all steps of a run. `approval` null: the command needed no approval. */
export interface RunResult {
  command: Command
  decision: Decision
  approval: Approval | null
  outcome: Outcome | MoveOutcome
  session: SessionResult | null
}

/** Stores the record. Runs before the reply, so that no record that a client has seen is lost. */
export async function record(
  result: RunResult,
  run: Run,
  { store, commandContext, judge }: ExecutorParts,
): Promise<FinishedRun> {
  const { command, decision, approval, outcome, session } = result
  const { ending, stdout, stderr } = outcome
  const summary = await run.output.finish()
  const why = ending === 'canceled' ? [(run.canceled.reason as Note | undefined) ?? note('SERVICE_STOPPING')] : []
  const isReported = command.artifactPaths.length > 0 && ending !== 'denied'
  const reported = isReported ? await artifactsOf(command, judge.reads(command, run.who), commandContext) : []
  const ended: RunSummary = {
    ...run.recordNow(),
    ...endOf(outcome),
    decision: storedDecision(decision),
    ...(approval && { approval }),
    ...(session && { session: session.record }),
    stdout_sha256: summary.stdout.sha256,
    stderr_sha256: summary.stderr.sha256,
    artifacts: 'moved' in outcome ? outcome.moved : reported,
    notes: [...command.notes, ...outcome.notes, ...(session?.notes ?? []), ...why, ...summary.notes],
  }
  const guards = ending === 'denied' ? decisive(decision) : []
  const shown = { encoding: command.encoding, stdout, stderr, guards }
  const record = withTexts(ended, shown)
  record.notes.push(...(await store.history.end(record, ending === 'denied' ? null : summary, shown)))
  run.end(record)
  return { record, shown }
}

/** Returns the outcome in the fields of a record. A stopped command may still exit with a code, but that code is not its result. */
function endOf(outcome: Outcome) {
  const { ending, exitCode, signal, stdout, stderr, queuedMs, durationMs, startedAt, endedAt, leftBehind } = outcome
  return {
    status: ending,
    exit_code: ending === 'completed' || ending === 'failed' ? (exitCode ?? -1) : -1,
    signal,
    timed_out: ending === 'timed_out',
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    queued_ms: Math.round(queuedMs),
    duration_ms: Math.round(durationMs),
    started_at: startedAt === null ? null : toIso(startedAt),
    ended_at: toIso(endedAt),
    left_behind: leftBehind,
  }
}

/** Maximum number of rules in one record. */
const MAX_RULES = 20

/** Returns the decision in the form of a record, with every rule if more than one applies. */
export function storedDecision({ verdict, risk, rule, reason, guards }: Decision): ExecRecord['decision'] {
  const stored = { verdict, risk, rule, reason }
  const rules = new Map<string, Omit<Finding, 'command'>>()
  for (const one of guards) {
    if (one.rule === null) continue
    const { command: _, ...finding } = one
    rules.set(JSON.stringify(finding), finding)
  }
  return rules.size > 1 ? { ...stored, rules: [...rules.values()].slice(0, MAX_RULES) } : stored
}

/** Returns the first finding of each deciding guard, because dialects have their own wording for some of them. */
function decisive({ verdict, guards }: Decision): Finding[] {
  const first = new Map<string, Finding>()
  for (const finding of guards) {
    if (finding.verdict === verdict && !first.has(finding.guard)) first.set(finding.guard, finding)
  }
  return [...first.values()]
}

/** Stores the record of a run that failed with an error. Its waiting callers receive the error itself. */
export async function recordFailure(run: Run, error: unknown, { store }: ExecutorParts): Promise<void> {
  if (isEnding(run.status)) return
  const summary = await run.output.finish()
  const begun = run.recordNow()
  const message = error instanceof Error ? error.message : String(error)
  const { code, extra } = error instanceof ShellphoneError ? error : new ShellphoneError('EXECUTION_ERROR', message)
  const notes = [...begun.notes, note('FAILED', message)]
  const about = extra.about === undefined ? {} : { about: extra.about }
  const stored = { code, message, ...about }
  const record: ExecRecord = { ...begun, status: 'failed', notes, failure: stored, ended_at: toIso(Date.now()) }
  run.end(record)
  await store.history.end(record, summary)
}

/** Reads the artifacts, except files that the sandbox hides from the command or that its guards would not let it read. */
async function artifactsOf(
  { artifactPaths, cwd, sandbox }: Command,
  reads: (path: string) => boolean,
  { realpath }: CommandContext,
) {
  const hidden = sandbox.hidden.map((folder) => realpath(folder) ?? folder)
  const allowed = (path: string) => !hidden.some((root) => isWithin({ path, root })) && reads(path)
  return artifacts({ paths: artifactPaths, cwd, allowed, maxBytes: MAX_ARTIFACT_BYTES })
}

/** Adds the texts of a reply: both streams, shortened, and FEAT-029's text, which is always UTF-8. */
function withTexts(record: RunSummary, { encoding, stdout: out, stderr: err }: CollectedOutput): ExecRecord {
  const streams = { stdout: out, stderr: err }
  const { id, max_length } = record
  const where = (stream: string) => `all of it: GET /runs/${id}/output?stream=${stream}`
  const { stdout, stderr, truncated } = shorten(streams, max_length, 'utf8', where)
  const withStreams = { ...record, stdout, stderr, truncated }
  const output = canonicalText(withStreams)
  return encoding === 'utf8'
    ? { ...withStreams, output }
    : { ...withStreams, output, ...shorten(streams, max_length, 'base64', where) }
}

/** Converts a record from history, with the texts of its reply as far as its output is still stored. */
export function toReply({ record, shown, wasCutOff }: EndedRun): ExecRecord {
  if (wasCutOff) {
    return { ...record, stdout: '', stderr: '', output: `[Exit Code: -1]\n[stderr]\n${note('SERVICE_STOPPED').text}` }
  }
  if (shown) return withTexts(record, shown)
  if (record.failure) return { ...record, stdout: '', stderr: '', output: record.failure.message }
  const notes = [...record.notes, note('TEXT_NOT_KEPT')]
  return { ...record, notes, stdout: '', stderr: '', output: '' }
}
