import type { RefObject } from 'preact'
import { Button, Field, literalInput } from '../parts/basics.tsx'
import { useAnswer } from '../parts/states.tsx'
import { words } from '../words.ts'
import { change, draft, emptyDraft } from './draft.ts'

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

/** Options that few commands need; `details` opens and closes them. */
export function Options({ details }: { details: RefObject<HTMLDetailsElement | null> }) {
  const { directory, timeout, sandbox, session, isOpen } = draft.value
  const health = useAnswer((phone) => phone.health())
  const { directory: dir, timeout: time, sandbox: sandboxTexts, session: sessionTexts, open } = words.run.options
  return (
    <details ref={details} class="options">
      <summary>{words.run.more}</summary>
      <div class="columns">
        <Field label={dir.label} hint={dir.hint}>
          {(inputProps) => (
            <input
              {...inputProps}
              class="mono"
              value={directory}
              placeholder="~"
              onInput={({ currentTarget }) => change({ directory: currentTarget.value })}
              {...literalInput}
            />
          )}
        </Field>
        <Field label={time.label} hint={time.hint}>
          {(inputProps) => (
            <input
              {...inputProps}
              type="number"
              min="1"
              inputMode="numeric"
              value={timeout}
              onInput={({ currentTarget }) => change({ timeout: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={sessionTexts.label} hint={sessionTexts.hint}>
          {(inputProps) => (
            <input
              {...inputProps}
              class="mono"
              value={session}
              onInput={({ currentTarget }) => change({ session: currentTarget.value })}
              {...literalInput}
            />
          )}
        </Field>
        <Field label={sandboxTexts.label} hint={health.value?.sandbox?.reason ?? sandboxTexts.hint}>
          {(inputProps) => (
            <select
              {...inputProps}
              value={sandbox}
              onChange={({ currentTarget }) => change({ sandbox: currentTarget.value })}
            >
              <option value="">{sandboxTexts.setting}</option>
              {(health.value?.sandbox?.available ?? []).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={isOpen}
          onChange={({ currentTarget }) => change({ isOpen: currentTarget.checked })}
        />
        {open}
      </label>
    </details>
  )
}
