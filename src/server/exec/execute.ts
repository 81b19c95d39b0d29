import { notStarted } from '../pool/index.ts'
import { type Approval, sharerOf, type Who } from '../../shared/schema/index.ts'
import type { RunKey } from '../store/index.ts'
import { asJudged } from './as-judged.ts'
import { ask } from './ask.ts'
import type { AnyRequest, Caller, Command } from './command.ts'
import type { DecisionWithScripts } from './judge.ts'
import { keepState } from './in-session.ts'
import { enforceSandbox, move } from './move.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { begunRecord, record, recordFailure, type RunResult, storedDecision } from './record.ts'
import { type FinishedRun, Run } from './run.ts'
import { runInPool } from './run-in-pool.ts'
import { checkTerminal } from './terminal.ts'
import { takeTurn } from './take-turn.ts'
import { toCommand } from './to-command.ts'

/** Opens a run: its command, its output and its line in history. Throws, and stores nothing, if the request cannot become a run. */
export function open(
  request: AnyRequest,
  id: string,
  key: RunKey | undefined,
  { who, via }: Pick<Caller, 'who' | 'via'>,
  parts: ExecutorParts,
): Run {
  const { history, spool } = parts.store
  const command = prepare(request, who, parts) // Request → Command: defaults filled in, values clamped, paths resolved
  const begun = begunRecord(id, command, who, via)
  const { waitsForReader, dialectOptions } = command
  const output = spool(id, { waitsForReader, isLossless: dialectOptions.isLossless })
  return new Run(id, key, who, command, output, begun, history.begin(begun, key))
}

/**
 * Takes an open run through all its steps to its record. Denied, canceled and timed-out commands get a record like any other. Throws only
 * if no process was started, because the queue was full or the system refused. A key is on disk before anything runs, so that a retry
 * after a crash cannot run the command twice. Without a key, the begin line is written in the next tick.
 */
export async function execute(run: Run, parts: ExecutorParts): Promise<FinishedRun> {
  if (run.key) await run.begun
  run.to('queued')
  try {
    await takeTurn(run, parts) // → Command: with the state of its session, after the commands before it
    const { command, who } = run
    const judged = decide(command, who, parts) // Command → Decision: every guard judges, the strictest verdict wins
    run.decided(storedDecision(judged))
    const approval = judged.verdict === 'ask' ? await ask(command, judged, run, parts) : null // → Approval: no answer means deny
    const ran = await runAllowed(command, judged, approval, run, parts) // → Outcome: slot, process, output, end of the process tree
    const session = command.session && keepState(command, command.session, ran, run.id, parts) // → the state of the next command
    return await record({ command, approval, session, ...ran }, run, parts) // → Record: stored before the reply, even for denials
  } catch (error) {
    await recordFailure(run, error, parts) // a run that has begun always gets an end in history
    throw error
  }
}

function prepare(request: AnyRequest, who: Who, parts: ExecutorParts): Command {
  const command = toCommand(request, parts.commandContext)
  // refuse a background command now, because an accepted one is never refused later
  if (command.tty) checkTerminal(who, parts.terminals)
  else if (command.background) parts.backgroundPool.checkRoom(sharerOf(who))
  return command
}

/** Judges a command, counts it against the hourly limits, and enforces the sandbox of a file transfer. No other code counts. */
function decide(command: Command, who: Who, parts: ExecutorParts): DecisionWithScripts {
  const { scripts, ...decision } = parts.judge.decide(command, { who })
  return { ...enforceSandbox(command, parts.judge.admit(command, decision, who.id), parts), scripts }
}

/**
 * Runs an allowed command and returns its outcome, with the decision at that time: `allow` for an approved command, with the rule that
 * required approval. A denied or withdrawn command does not start. An allowed command is checked again when it gets its slot.
 */
async function runAllowed(
  command: Command,
  judged: DecisionWithScripts,
  approval: Approval | null,
  run: Run,
  parts: ExecutorParts,
): Promise<Pick<RunResult, 'decision' | 'outcome'>> {
  if (approval?.outcome === 'withdrawn') return { decision: judged, outcome: notStarted('canceled') }
  let decision = approval?.outcome === 'approved' ? { ...judged, verdict: 'allow' as const } : judged
  if (decision.verdict !== 'allow') return { decision, outcome: notStarted('denied') }
  const mayStart = () => (decision = asJudged(command, decision, approval, run.who, parts)).verdict === 'allow'
  const { transfer } = command
  const outcome =
    transfer === null
      ? await runInPool(command, mayStart, run, parts)
      : mayStart()
        ? await move(transfer, run, parts)
        : notStarted('denied')
  return { decision, outcome }
}
