import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../parts/basics.tsx'
import { onDemand } from '../parts/on-demand.tsx'
import { words } from '../words.ts'
import { change, draft, emptyDraft } from './draft.ts'

const OptionFields = onDemand(() => import('./option-fields.tsx'))((module) => module.OptionFields)

/** The options that are set: they apply to every command until somebody changes or clears them. */
export function OptionsInForce() {
  const { command, directory, timeout, sandbox, session, isOpen } = draft.value
  const { inForce, clear, named } = words.run
  const set = [
    session.trim() && named.session(session.trim()),
    directory.trim(),
    sandbox && named.sandbox(sandbox),
    timeout && named.timeout(timeout),
    isOpen && named.open,
  ].filter(Boolean)
  if (set.length === 0) return null
  return (
    <p class="in-force">
      <span dir="auto">{inForce(set.join(' · '))}</span>
      <Button kind="quiet" icon="close" label={clear.label} onClick={() => change({ ...emptyDraft, command })}>
        {clear.text}
      </Button>
    </p>
  )
}

/** Options that few commands need; `details` opens and closes them. Their fields load when they are opened first. */
export function Options({ details }: { details: RefObject<HTMLDetailsElement | null> }) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details ref={details} class="options" onToggle={() => setOpened(true)}>
      <summary>{words.run.more}</summary>
      {wasOpened && <OptionFields />}
    </details>
  )
}
