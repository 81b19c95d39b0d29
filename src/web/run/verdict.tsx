import { useEffect, useState } from 'preact/hooks'
import type { PolicyCheck } from '../../sdk/index.ts'
import { Icon } from '../parts/icon.tsx'
import { verdictStyles } from '../parts/verdict-tag.tsx'
import { ask } from '../wire.ts'
import { words } from '../words.ts'
import { type Draft, optionsOf } from './draft.ts'

const DEBOUNCE_MS = 300

/** The policy's verdict on a draft, 300 ms after the last change; null until it is known. */
export function useVerdict(draft: Draft): PolicyCheck | null {
  const [checked, setChecked] = useState<PolicyCheck | null>(null)
  useEffect(() => {
    let isOver = false
    setChecked(null)
    if (draft.command.trim() === '') return
    const check = () =>
      ask((phone) => phone.check(draft.command, undefined, optionsOf(draft)))
        .then((answer) => !isOver && setChecked(answer))
        .catch(() => {}) // running the command reports the error
    const timer = setTimeout(() => void check(), DEBOUNCE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [draft])
  return checked
}

export function Verdict({ checked }: { checked: PolicyCheck | null }) {
  if (!checked) return <p class="verdict" />
  const error = checked.verdict === 'deny' ? null : checked.syntax_error
  const [kind, icon] = verdictStyles[error === null ? checked.verdict : 'ask']
  const reason =
    error ?? checked.guards.find(({ verdict }) => verdict === checked.verdict && verdict !== 'allow')?.reason
  return (
    <p class={`verdict ${kind}`}>
      <Icon name={icon} />
      <span>
        <strong>{error === null ? words.run.verdict[checked.verdict] : words.run.syntaxError}</strong>
        {reason && `: ${reason}`}
      </span>
    </p>
  )
}
