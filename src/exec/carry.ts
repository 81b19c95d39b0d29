import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job, Pool, Sink } from '../pool/index.ts'
import { type Decision, type ExecRecord, toIso } from '../schema/index.ts'
import { artifacts, type RunKey } from '../store/index.ts'
import { ask } from './ask.ts'
import type { DeskParts } from './desk.ts'
import type { Run } from './run.ts'
import { type Ended, notRun, shownOf, toRecord } from './to-record.ts'

/** artifact_paths are at most 64 (schema); of all together so much is read. */
const ARTIFACT_LIMITS = { maxCount: 64, maxBytes: 1_073_741_824 }

/** A Command's way to its Record: decide, ask, run, record. */
export async function carry(run: Run, parts: DeskParts, key?: RunKey): Promise<ExecRecord> {
  await parts.store.history.begin(run.record, key)
  run.decision = parts.judge.admit(run.command, parts.judge.judge(run.command))
  run.record.decision = spoken(run.decision)
  return record(run, await end(run, parts), parts)
}

/** Runs what is allowed, or what a person approved; while it waits for one it holds no slot. */
async function end(run: Run, parts: DeskParts): Promise<Ended> {
  if (run.decision.verdict === 'deny') return notRun('denied')
  if (run.decision.verdict === 'allow') return runInPool(run, parts)
  run.approval = await ask(run, parts)
  if (run.canceled.aborted) return notRun('canceled')
  if (run.approval.outcome !== 'approved') return notRun('denied')
  if (isReplaced(run.command, parts)) {
    run.decision = { ...run.decision, verdict: 'deny', ...replaced }
    return notRun('denied')
  }
  run.decision = { ...run.decision, verdict: 'allow' }
  return runInPool(run, parts)
}

/** Whoever was asked saw a directory; what has its name now must be that one. */
const replaced = {
  rule: 'directory-replaced',
  reason: 'The working directory was replaced while a person was asked, so that the answer does not cover it.',
}
const isReplaced = ({ cwd }: Run['command'], { prepare }: DeskParts): boolean => prepare.realpath(cwd) !== cwd

/** Throws POOL_FULL or EXECUTION_ERROR; the run ends as failed, with the reason in its notes, for those who watch it. */
async function runInPool(run: Run, parts: DeskParts): Promise<Ended> {
  const temporary = makeTemporary(run, parts)
  try {
    run.outcome = await poolOf(run, parts).run(toJob(run, parts, temporary), toSink(run))
    return run.outcome
  } catch (error) {
    const summary = await run.output.finish()
    run.record.notes.push((error as Error).message)
    run.lifecycle.to('failed')
    await parts.store.history.end(run.record, summary)
    throw error
  } finally {
    run.child = null
    if (temporary) await rm(temporary, { recursive: true, force: true }).catch(() => {}) // the next start empties it
  }
}

/** A command that may write in its workspace alone gets a temporary folder of its own, for as long as it runs. */
function makeTemporary({ id, command }: Run, { temporaryFolder }: DeskParts): string | null {
  if (command.box.name !== 'workspace-write') return null
  const folder = join(temporaryFolder, id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

const poolOf = ({ command }: Run, { pool, backgroundPool }: DeskParts): Pool =>
  command.background ? backgroundPool : pool

function toJob({ command, canceled }: Run, { shell, markPrefix }: DeskParts, temporary: string | null): Job {
  const mark = `${markPrefix}.${randomWord()}`
  const { killGraceMs, output } = command.wish
  // a character of UTF-8 has at most 4 bytes
  const keptBytes = command.maxLength * 4
  return {
    spawn: {
      script: command.script,
      shell,
      cwd: command.cwd,
      env: temporary ? { ...command.env, TMPDIR: temporary } : command.env,
      mark,
      stdin: command.stdin === null ? 'null' : 'pipe',
      box: temporary ? { ...command.box, writable: [...command.box.writable, temporary] } : command.box,
      limits: command.limits,
    },
    timeoutMs: command.timeoutMs,
    killGraceMs,
    headBytes: output.keep === 'head' ? Math.max(keptBytes, output.maxBytes) : keptBytes,
    tailBytes: keptBytes,
    stdinData: Buffer.isBuffer(command.stdin) ? command.stdin : null,
    stdinOpen: command.stdin === 'open',
    signal: canceled,
  }
}

const MARK_BYTES = 16
let pool = Buffer.alloc(0)

/** 128 random bits in hex, drawn from the system 256 words at a time. */
function randomWord(): string {
  if (pool.length === 0) pool = randomBytes(MARK_BYTES * 256)
  const word = pool.toString('hex', 0, MARK_BYTES)
  pool = pool.subarray(MARK_BYTES)
  return word
}

function toSink(run: Run): Sink {
  return {
    onStatus(status, child) {
      run.child = child ?? null
      if (status === 'running') run.record.started_at = toIso(Date.now())
      run.lifecycle.to(status)
    },
    onOutput(stream, chunk) {
      run.output.append(stream, chunk)
      return run.output.blocked() ?? undefined
    },
  }
}

/** Written before it is answered: no record is lost that a client has seen. */
async function record(run: Run, ended: Ended, parts: DeskParts): Promise<ExecRecord> {
  const summary = await run.output.finish()
  const { stdout, stderr } = summary
  const why = ended.ending === 'canceled' ? [String(run.canceled.reason ?? 'the service is stopping')] : []
  const record = toRecord(ended, {
    id: run.id,
    command: run.command,
    decision: spoken(run.decision),
    approval: run.approval,
    artifacts: await reportArtifacts(run, ended),
    sha256: { stdout: stdout.sha256, stderr: stderr.sha256 },
    notes: [...why, ...summary.notes],
  })
  await parts.store.history.end(record, ended.ending === 'denied' ? null : summary, shownOf(ended, run.command))
  run.lifecycle.to(ended.ending)
  return record
}

/** What a record tells of a decision; every finding is at POST /policy/check. */
function spoken({ verdict, risk, rule, reason }: Decision): ExecRecord['decision'] {
  return { verdict, risk, rule, reason }
}

async function reportArtifacts({ command }: Run, { ending }: Ended): Promise<ExecRecord['artifacts']> {
  const { artifactPaths: paths, cwd } = command
  if (paths.length === 0 || ending === 'denied') return []
  return artifacts({ paths, cwd, allowed: () => true, limits: ARTIFACT_LIMITS })
}
