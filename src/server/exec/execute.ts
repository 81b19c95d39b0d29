import { notStarted } from '../pool/index.ts'
import { type Approval, sharerOf, type Who } from '../../shared/schema/index.ts'
import type { RunKey } from '../store/index.ts'
import { asJudged } from './as-judged.ts'
import { ask } from './ask.ts'
import type { AnyRequest, Command } from './command.ts'
import type { JudgedCommand } from './judge.ts'
import { enforceSandbox, move } from './move.ts'
import type { ExecutorParts } from './executor-parts.ts'
import { begunRecord, record, recordFailure, type RunResult, spoken } from './record.ts'
import { type FinishedRun, Run } from './run.ts'
import { runInPool } from './run-in-pool.ts'
import { checkTerminal } from './terminal.ts'
import { toCommand } from './to-command.ts'

/** Opens a run: its command, its output, its line in history. Throws for a request that can become none, and nothing of it is kept. */
export function open(request: AnyRequest, id: string, key: RunKey | undefined, who: Who, parts: ExecutorParts): Run {
  const { history, spool } = parts.store
  const command = prepare(request, who, parts) // Request → Command: filled in, clamped, resolved
  const record = begunRecord(id, command, who)
  return new Run(id, key, who, command, spool(id, command.waitsForReader), record, history.begin(record, key))
}

/**
 * Carries an open run to its record. Every ending is a value: a denied, canceled or timed-out command has its record as any other. What is
 * thrown became no process: a full queue, a system that refuses to start one. A key is on the disk before anything runs: no crash can make
 * a retry run the command twice. Without one the begin line is written in the time that the shell takes to start.
 */
export async function execute(run: Run, parts: ExecutorParts): Promise<FinishedRun> {
  const { command, who } = run
  if (run.key) await run.begun
  run.to('queued')
  try {
    const judged = decide(command, who, parts) // Command → Decision: every guard speaks, the strictest wins
    run.decided(spoken(judged))
    const approval = judged.verdict === 'ask' ? await ask(command, judged, run, parts) : null // → a person's; silence is no
    const ran = await runAllowed(command, judged, approval, run, parts) // → Outcome: a slot, a process, its output, the end of its tree
    return await record({ command, approval, ...ran }, run, parts) // → Record: kept before it is answered, denials too
  } catch (error) {
    await recordFailure(run, error, parts) // what has begun ends, whatever comes in between
    throw error
  }
}

function prepare(request: AnyRequest, who: Who, parts: ExecutorParts): Command {
  const command = toCommand(request, parts.prepare)
  // what is accepted for the background is never refused later
  if (command.tty) checkTerminal(who, parts.terminals)
  else if (command.background) parts.backgroundPool.checkRoom(sharerOf(who))
  return command
}

/** Counted against the hourly limits here and nowhere else. */
function decide(command: Command, who: Who, parts: ExecutorParts): JudgedCommand {
  const { scripts, ...decision } = parts.judge.decide(command, { who })
  return { ...enforceSandbox(command, parts.judge.admit(command, decision, who.id), parts), scripts }
}

/**
 * How it ended, and the decision as it was then: what was withdrawn or denied is not started, and what was allowed is checked once more
 * when its turn has come.
 */
async function runAllowed(
  command: Command,
  judged: JudgedCommand,
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
        ? await move(command, transfer, run, parts)
        : notStarted('denied')
  return { decision, outcome }
}
