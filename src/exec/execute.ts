import { type ExecRecord, newRecord, sharerOf } from '../schema/index.ts'
import { ask } from './ask.ts'
import { Lease } from './lease.ts'
import { fence } from './move.ts'
import { OpenStdin } from './open-stdin.ts'
import type { ExecutorParts } from './parts.ts'
import { record, recordFailure, spoken } from './record.ts'
import type { Run } from './run.ts'
import { runInPool } from './run-in-pool.ts'
import { checkTerminal } from './terminal.ts'
import { toCommand } from './to-command.ts'
import { TRANSFER_NOTE } from './transfer.ts'

/**
 * Carries one request to its record. Every ending is a value: a denied, canceled or timed-out command has its record as any other. What
 * is thrown became no run: a bad request (nothing of it is kept), a full queue, a system that refuses to start a process.
 */
export async function execute(run: Run, parts: ExecutorParts): Promise<ExecRecord> {
  await (run.prepared = prepare(run, parts)) // Request → Command: filled in, clamped, and begun in history
  try {
    await decide(run, parts) // Command → Decision: every guard speaks, the strictest wins
    if (run.decision.verdict === 'ask') await ask(run, parts) // → Approval: a person's answer; silence is no
    await runInPool(run, parts) // → Outcome: a slot, a process, its output, the end of its tree
    return await record(run, parts) // → Record: kept before it is answered, denials too
  } catch (error) {
    await recordFailure(run, error, parts) // what has begun ends, whatever comes in between
    throw error
  }
}

/**
 * A key is on the disk before anything runs: no crash can make a retry run the command twice. Without one the begin line is written in
 * the time that the shell takes to start.
 */
async function prepare(run: Run, parts: ExecutorParts): Promise<void> {
  const { prepare, store } = parts
  const command = toCommand(run.request, prepare)
  run.command = command
  if (run.transfer) command.notes.push(TRANSFER_NOTE)
  // what is accepted for the background is never refused later
  if (command.tty) checkTerminal(run, parts)
  else if (command.background) parts.backgroundPool.checkRoom(sharerOf(run.who))
  run.output = store.spool(run.id, command.waitsForReader)
  if (command.stdin === 'open') run.stdin = new OpenStdin(run.id, () => run.started())
  if (command.leaseMs !== null) run.lease = leaseOf(run, command.leaseMs)
  run.record = newRecord({
    id: run.id,
    token: run.who.name,
    token_id: run.who.id,
    dialect: command.dialect,
    command: command.script,
    working_directory: command.cwd,
    timeout_seconds: command.timeoutMs / 1000,
    max_length: command.maxLength,
    sandbox: command.sandbox.name,
    notes: command.notes,
  })
  if (command.tty) run.record.tty = command.tty
  if (command.wish.scratchpad !== null) run.record.scratchpad = command.wish.scratchpad
  run.begun = store.history.begin(run.record, run.key)
  if (run.key) await run.begun
  run.to('queued')
}

const leaseOf = (run: Run, ms: number) =>
  new Lease(ms, () => run.cancel(`canceled: its client was not seen for ${ms / 1000} s`))

/** Counted against the hourly limits here and nowhere else. */
async function decide(run: Run, parts: ExecutorParts): Promise<void> {
  const { judge } = parts
  const { command, scripts, who } = run
  run.decision = judge.admit(command, judge.decide(command, { seen: scripts, who }), who.id)
  if (run.transfer) run.decision = fence(run, run.transfer, parts)
  run.record.decision = spoken(run.decision)
}
