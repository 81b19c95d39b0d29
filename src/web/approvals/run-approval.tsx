import { pendingOf } from '../wire.ts'
import { words } from '../words.ts'
import { ApprovalCard } from './approval-card.tsx'

/** The pending approval of a run, to be answered here; a notice if this browser cannot see it. */
export function RunApproval({ id }: { id: string }) {
  const card = pendingOf(id)
  return card ? <ApprovalCard card={card} /> : <p class="notice">{words.run.waits}</p>
}
