import { notStarted, type Outcome } from '../pool/index.ts'
import { type Decision, isWithin } from '../schema/index.ts'
import { hiddenBy } from './lookups.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'
import { acts, type Transfer } from './transfer.ts'

/** A process would meet the walls of its sandbox; a transfer meets them here. */
export function fence(run: Run, transfer: Transfer, parts: ExecutorParts): Decision {
  const reason = refusal(run, transfer, parts)
  if (reason === null || run.decision.verdict === 'deny') return run.decision
  return { ...run.decision, verdict: 'deny', risk: 'high', rule: 'sandbox', reason }
}

function refusal({ command }: Run, { act, path }: Transfer, parts: ExecutorParts): string | null {
  const { name, writable } = command.sandbox
  if (hiddenBy(parts.prepare.hidden)(path)) {
    return 'What the service itself keeps, and /proc, is hidden from transfers of files.'
  }
  if (!acts[act].writes || name === 'none') return null
  const roots = writable.map((folder) => parts.prepare.realpath(folder) ?? folder)
  if (roots.some((root) => isWithin({ path, root }))) return null
  const where = roots.length === 0 ? '' : ` outside of ${roots.join(', ')}`
  return `The sandbox ${name} lets nothing be written${where}.`
}

/** Does what was allowed. Throws what `work` throws. */
export async function move(run: Run, { work }: Transfer, { prepare }: ExecutorParts): Promise<Outcome> {
  const startedAt = Date.now()
  const began = performance.now()
  run.onStatus('starting')
  run.onStatus('running')
  const { ending, artifacts, notes } = await work({
    id: run.id,
    canceled: run.canceled,
    maxFileBytes: run.command.limits.fileSizeBytes,
    hides: hiddenBy(prepare.hidden),
  })
  run.moved = artifacts
  const exitCode = ending === 'completed' ? 0 : null
  const durationMs = performance.now() - began
  return { ...notStarted('canceled', 0, notes), ending, exitCode, startedAt, durationMs }
}
