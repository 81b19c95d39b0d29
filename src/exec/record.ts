import { canonicalText } from '../dialects/index.ts'
import { artifacts } from '../files/index.ts'
import { countNewlines, type Outcome } from '../pool/index.ts'
import {
  type Collected,
  type Decision,
  type ExecRecord,
  type Finding,
  isEnding,
  isWithin,
  type Shown,
  toIso,
  type RunSummary,
} from '../schema/index.ts'
import { type EndedRun, INTERRUPTED_NOTE } from '../store/index.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'
import type { Command, CommandSettings } from './command.ts'

/** Of all artifacts of a run together so much is read. */
const MAX_ARTIFACT_BYTES = 1_073_741_824

/** Written before it is answered: no record is lost that a client has seen. */
export async function record(run: Run, { store, prepare, judge }: ExecutorParts): Promise<ExecRecord> {
  const { command, approval, outcome, canceled } = run
  const { ending, stdout, stderr } = outcome
  const summary = await run.output.finish()
  const why = ending === 'canceled' ? [String(canceled.reason ?? 'the service is stopping')] : []
  const reportsFiles = command.artifactPaths.length > 0 && ending !== 'denied'
  const told: RunSummary = {
    ...run.record,
    ...endOf(outcome),
    decision: spoken(run.decision),
    ...(approval && { approval }),
    stdout_sha256: summary.stdout.sha256,
    stderr_sha256: summary.stderr.sha256,
    artifacts: run.moved ?? (reportsFiles ? await artifactsOf(command, judge.reads(command, run.who), prepare) : []),
    notes: [...command.notes, ...outcome.notes, ...why, ...summary.notes],
  }
  const shown = { encoding: command.encoding, stdout, stderr }
  const record = withTexts(told, shown)
  record.notes.push(...(await store.history.end(record, ending === 'denied' ? null : summary, shown)))
  run.to(ending)
  return record
}

/** Times in ms and ISO 8601, sizes in bytes. A command that was stopped may still exit with a code of its own; it is no answer to what was asked. */
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

/** Rules of one record. */
const MAX_RULES = 20

/** What a record tells of a decision: where several rules spoke, each of them. */
export function spoken({ verdict, risk, rule, reason, guards }: Decision): ExecRecord['decision'] {
  const told = { verdict, risk, rule, reason }
  const rules = new Map<string, Omit<Finding, 'command'>>()
  for (const { command: _, ...finding } of guards) {
    if (finding.rule !== null) rules.set(JSON.stringify(finding), finding)
  }
  return rules.size > 1 ? { ...told, rules: [...rules.values()].slice(0, MAX_RULES) } : told
}

/** The record of a run that could not be carried to its end; whoever waits for it hears the error itself. */
export async function recordFailure(run: Run, error: unknown, { store }: ExecutorParts): Promise<void> {
  if (isEnding(run.status)) return
  const summary = await run.output.finish()
  run.record.notes.push(error instanceof Error ? error.message : String(error))
  run.record.ended_at = toIso(Date.now())
  run.to('failed')
  await store.history.end(run.record, summary)
}

/** What the sandbox hides from the command, or its guards would not let it read, the service does not read for it either. */
async function artifactsOf(
  { artifactPaths, cwd, sandbox }: Command,
  reads: (path: string) => boolean,
  { realpath }: CommandSettings,
) {
  const hidden = sandbox.hidden.map((folder) => realpath(folder) ?? folder)
  const allowed = (path: string) => !hidden.some((root) => isWithin({ path, root })) && reads(path)
  return artifacts({ paths: artifactPaths, cwd, allowed, maxBytes: MAX_ARTIFACT_BYTES })
}

/** The texts of a reply: both streams shortened, and FEAT-029's text of them, which is UTF-8 whatever the streams are sent as. */
function withTexts(record: RunSummary, { encoding, ...streams }: Shown): ExecRecord {
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

/** Both streams as the reply shows them. `maxLength` counts characters (UTF-16 units; bytes for base64), both together. */
export function shorten(
  streams: { stdout: Collected; stderr: Collected },
  maxLength: number,
  encoding: 'utf8' | 'base64',
  whereAll: (stream: 'stdout' | 'stderr') => string,
): { stdout: string; stderr: string; truncated: boolean } {
  const { stdout, stderr } = streams
  const count = encoding === 'utf8' ? charactersOf : (kept: Collected) => kept.bytes
  const bytes = stdout.bytes + stderr.bytes // never fewer than the characters
  if (bytes <= maxLength || count(stdout) + count(stderr) <= maxLength) {
    return { stdout: whole(stdout).toString(encoding), stderr: whole(stderr).toString(encoding), truncated: false }
  }
  const [outLength, errLength] = [count(stdout), count(stderr)]
  const half = Math.floor(maxLength / 2)
  const forStdout = Math.min(outLength, Math.max(maxLength - half, maxLength - errLength))
  const forStderr = Math.min(errLength, maxLength - forStdout)
  return {
    stdout: cut(stdout, outLength, forStdout, encoding, whereAll('stdout')),
    stderr: cut(stderr, errLength, forStderr, encoding, whereAll('stderr')),
    truncated: true,
  }
}

const isWhole = (kept: Collected) => kept.bytes === kept.head.length + kept.tail.length
const whole = (kept: Collected) => (kept.tail.length === 0 ? kept.head : Buffer.concat([kept.head, kept.tail]))

/** A stream of which something was dropped is longer than any limit: what is kept holds 4 bytes a character. */
function charactersOf(kept: Collected): number {
  return isWhole(kept) ? whole(kept).toString('utf8').length : Number.POSITIVE_INFINITY
}

function cut(kept: Collected, length: number, budget: number, encoding: 'utf8' | 'base64', where: string): string {
  if (length <= budget) return whole(kept).toString(encoding)
  const all = isWhole(kept) ? whole(kept) : null
  const headBudget = Math.ceil(budget / 2)
  const head = cutHead(all ?? kept.head, headBudget, encoding)
  const tail = cutTail(all ? all.subarray(head.length) : kept.tail, budget - headBudget, encoding)
  const marker = leftOut(kept, head, tail, where)
  return encoding === 'base64'
    ? Buffer.concat([head, Buffer.from(marker), tail]).toString('base64')
    : head.toString() + marker + tail.toString()
}

/** The one line between: how many lines and bytes are left out, and where the whole output is. */
function leftOut(kept: Collected, head: Buffer, tail: Buffer, where: string): string {
  const bytes = kept.bytes - head.length - tail.length
  const lines = kept.lines - countNewlines(head) - countNewlines(tail)
  const before = head.length > 0 && head[head.length - 1] !== 10 ? '\n' : ''
  return `${before}[... ${lines} lines, ${bytes} bytes left out; ${where} ...]\n`
}

/** At most `budget` characters from the start, back to the last line's end; inside a line only where one line alone is too long. */
function cutHead(bytes: Buffer, budget: number, encoding: 'utf8' | 'base64'): Buffer {
  if (encoding === 'base64') return bytes.subarray(0, budget)
  const part = bytes.subarray(0, bytesOfCharacters(bytes, budget))
  const end = part.lastIndexOf(10)
  return end === -1 ? part : part.subarray(0, end + 1)
}

/** At most `budget` characters from the end, on to the next line's start. */
function cutTail(bytes: Buffer, budget: number, encoding: 'utf8' | 'base64'): Buffer {
  if (encoding === 'base64') return bytes.subarray(Math.max(0, bytes.length - budget))
  const start = bytes.length - bytesOfLastCharacters(bytes, budget)
  const next = bytes.indexOf(10, Math.max(0, start - 1))
  return next === -1 || next >= bytes.length - 1 ? bytes.subarray(start) : bytes.subarray(next + 1)
}

const continues = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80
/** A character of four bytes is two UTF-16 units. */
const units = (lead: number) => (lead >= 0xf0 ? 2 : 1)

function bytesOfCharacters(bytes: Buffer, budget: number): number {
  let at = 0
  for (let left = budget; at < bytes.length;) {
    left -= units(bytes[at]!)
    if (left < 0) break
    at++
    while (continues(bytes[at])) at++
  }
  return at
}

function bytesOfLastCharacters(bytes: Buffer, budget: number): number {
  let at = bytes.length
  for (let left = budget; at > 0;) {
    let start = at - 1
    while (start > 0 && at - start < 4 && continues(bytes[start])) start--
    left -= units(bytes[start]!)
    if (left < 0) break
    at = start
  }
  return bytes.length - at
}
