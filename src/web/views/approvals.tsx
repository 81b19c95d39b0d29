import { useEffect } from 'preact/hooks'
import { AlertSwitches } from '../approvals/alert-switches.tsx'
import { QuestionCard } from '../approvals/question-card.tsx'
import { Title } from '../parts/basics.tsx'
import { Empty } from '../parts/states.tsx'
import { hrefOf } from '../route.ts'
import { questions } from '../wire.ts'
import { words } from '../words.ts'

/** What waits for a person, the oldest first; new ones come below. */
export function Approvals() {
  useEffect(() => questions.sweep, [])
  const cards = questions.cards.value
  return (
    <>
      <Title aside={<AlertSwitches />}>{words.views.approvals}</Title>
      {cards.length === 0 && <Empty icon="approvals">{words.approvals.none}</Empty>}
      {cards.map((card) => (
        <QuestionCard key={card.question.id} card={card} />
      ))}
      <p class="hint">
        <a href={hrefOf('rules')}>{words.approvals.rules}</a>
      </p>
    </>
  )
}
