import { countNewlines, notStarted, type Outcome } from '../pool/index.ts'
import { type Artifact, type Decision, isWithin, type Sandbox } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import { hiddenBy } from './lookups.ts'
import type { ExecutorParts } from './executor-parts.ts'
import type { Run } from './run.ts'
import { helpersOf } from './run-helper.ts'
import { acts, type Transfer, type TransferContext } from './transfer.ts'

/** The outcome of a transfer, and the files that it moved. */
export interface MoveOutcome extends Outcome {
  moved: Artifact[]
}

/** Enforces the sandbox on a transfer, because a transfer has no process that the kernel could confine. */
export function enforceSandbox({ sandbox, transfer }: Command, decision: Decision, parts: ExecutorParts): Decision {
  const reason = transfer && refusal(sandbox, transfer, parts)
  if (reason === null || decision.verdict === 'deny') return decision
  return { ...decision, verdict: 'deny', risk: 'high', rule: 'sandbox', reason }
}

function refusal({ name, writable }: Sandbox, { targets }: Transfer, parts: ExecutorParts): string | null {
  if (targets.some(({ path }) => hiddenBy(parts.commandContext.hidden)(path))) {
    return "The service's own files and /proc are hidden from file transfers."
  }
  const written = targets.filter(({ act }) => acts[act].writes)
  if (written.length === 0 || name === 'none') return null
  const roots = writable.map((folder) => parts.commandContext.realpath(folder) ?? folder)
  if (written.every(({ path }) => roots.some((root) => isWithin({ path, root })))) return null
  const where = roots.length === 0 ? '' : ` outside ${roots.join(', ')}`
  return `The sandbox ${name} does not allow writing${where}.`
}

/** The inputs of a transfer. */
export const contextOf = (run: Run, parts: ExecutorParts): TransferContext => ({
  id: run.id,
  canceled: run.canceled,
  maxFileBytes: run.command.limits.fileSizeBytes,
  hides: hiddenBy(parts.commandContext.hidden),
  runHelper: helpersOf(run, parts),
})

/** Performs the transfer. Throws whatever `work` throws. */
export async function move({ work }: Transfer, run: Run, parts: ExecutorParts): Promise<MoveOutcome> {
  const startedAt = Date.now()
  const began = performance.now()
  run.onStatus('starting')
  run.onStatus('running')
  const { ending, artifacts, notes, text = '' } = await work(contextOf(run, parts))
  const output = Buffer.from(text)
  if (output.length > 0) await run.output.append('stdout', output)
  const exitCode = ending === 'completed' ? 0 : null
  const durationMs = performance.now() - began
  const none = notStarted('canceled', 0, notes)
  const stdout = { ...none.stdout, bytes: output.length, lines: countNewlines(output), head: output }
  return { ...none, stdout, ending, exitCode, startedAt, durationMs, moved: artifacts }
}
