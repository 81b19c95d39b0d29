import { randomBytes } from 'node:crypto'
import type { Job, Outcome, Sink } from '../pool/index.ts'
import { type Decision, type ExecRecord, MARK_NAME } from '../schema/index.ts'
import type { DeskParts } from './desk.ts'
import type { Run } from './run.ts'
import { toRecord } from './to-record.ts'

const allowed: Decision = { verdict: 'allow', risk: 'low', opaque: false, rule: null, reason: null, guards: [] }

/** A Command's way to its Record: decide, ask, run, record. */
export async function carry(run: Run, parts: DeskParts): Promise<ExecRecord> {
  const decision = allowed
  const outcome = await runInPool(run, parts)
  return record(run, decision, outcome, parts)
}

/** Throws POOL_FULL or EXECUTION_ERROR; the run ends as failed for those who watch it. */
async function runInPool(run: Run, parts: DeskParts): Promise<Outcome> {
  try {
    return await parts.pool.run(toJob(run, parts), toSink(run))
  } catch (error) {
    await run.spool.finish()
    run.lifecycle.to('failed')
    throw error
  } finally {
    run.child = null
  }
}

function toJob({ command, canceled }: Run, { shell, limits, markPrefix }: DeskParts): Job {
  const mark = `${markPrefix}.${randomBytes(16).toString('hex')}`
  // a character of UTF-8 has at most 4 bytes
  const keptBytes = command.maxLength * 4
  return {
    spawn: {
      script: command.script,
      shell,
      cwd: command.cwd,
      env: { ...command.env, [MARK_NAME]: mark },
      mark,
      stdin: command.stdin === null ? 'null' : 'pipe',
      box: command.box,
      limits,
    },
    timeoutMs: command.timeoutMs,
    headBytes: keptBytes,
    tailBytes: keptBytes,
    stdinData: Buffer.isBuffer(command.stdin) ? command.stdin : null,
    stdinOpen: command.stdin === 'open',
    signal: canceled,
  }
}

function toSink(run: Run): Sink {
  return {
    onStatus(status, child) {
      run.child = child ?? null
      run.lifecycle.to(status)
    },
    onOutput(stream, chunk) {
      run.spool.append(stream, chunk)
      return run.spool.blocked() ?? undefined
    },
  }
}

async function record(run: Run, decision: Decision, outcome: Outcome, parts: DeskParts): Promise<ExecRecord> {
  const { stdout, stderr, notes } = await run.spool.finish()
  const record = toRecord(outcome, {
    id: run.id,
    command: run.command,
    decision,
    artifacts: [],
    sha256: { stdout: stdout.sha256, stderr: stderr.sha256 },
    notes: [
      ...(outcome.ending === 'canceled' ? [String(run.canceled.reason ?? 'the service is stopping')] : []),
      ...notes,
    ],
    toText: parts.toText,
  })
  run.lifecycle.to(outcome.ending)
  log(record, parts)
  return record
}

function log(record: ExecRecord, { log }: DeskParts): void {
  const { id, status, exit_code, signal, stdout_bytes, stderr_bytes, queued_ms, duration_ms, decision } = record
  log(
    {
      run: id,
      status,
      exit_code,
      signal,
      stdout_bytes,
      stderr_bytes,
      queued_ms,
      duration_ms,
      verdict: decision.verdict,
    },
    'ran',
  )
}
