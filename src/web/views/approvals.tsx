import { useLayoutEffect } from 'preact/hooks'
import { AlertSwitches } from '../approvals/alert-switches.tsx'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { Title } from '../parts/basics.tsx'
import { Empty } from '../parts/states.tsx'
import { hrefOf } from '../route.ts'
import { approvals } from '../wire.ts'
import { words } from '../words.ts'

/**
 * The approvals, oldest first; new ones appear at the bottom. Those that are answered while the view is open keep their positions, so that no
 * card moves under a finger.
 */
export function Approvals() {
  useLayoutEffect(() => {
    approvals.removeEnded()
    return approvals.removeEnded
  }, [])
  const cards = approvals.cards.value
  return (
    <>
      <Title aside={<AlertSwitches />}>{words.views.approvals}</Title>
      {cards.length === 0 && <Empty icon="approvals">{words.approvals.none}</Empty>}
      {cards.map((card) => (
        <ApprovalCard key={card.approval.id} card={card} />
      ))}
      <p class="hint">
        <a href={hrefOf('rules')}>{words.approvals.rules}</a>
      </p>
    </>
  )
}
