import { Field, literalInput } from '../parts/basics.tsx'
import { useAnswer } from '../parts/states.tsx'
import { optionWords } from '../words/option-words.ts'
import { change, draft } from './draft.ts'

/** The fields of the options. */
export function OptionFields() {
  const { directory, timeout, sandbox, session, isOpen } = draft.value
  const health = useAnswer((phone) => phone.health())
  const { directory: dir, timeout: time, sandbox: sandboxTexts, session: sessionTexts, open } = optionWords
  return (
    <>
      <div class="columns">
        <NameField texts={dir} value={directory} placeholder="~" changed={(text) => change({ directory: text })} />
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
        <NameField texts={sessionTexts} value={session} changed={(text) => change({ session: text })} />
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
    </>
  )
}

interface NameFieldProps {
  texts: { label: string; hint: string }
  value: string
  placeholder?: string
  changed(value: string): void
}

/** A field for a path or a name, which the browser must not correct. */
const NameField = ({ texts: { label, hint }, value, placeholder, changed }: NameFieldProps) => (
  <Field label={label} hint={hint}>
    {(inputProps) => (
      <input
        {...inputProps}
        class="mono"
        {...{ value, placeholder }}
        onInput={({ currentTarget }) => changed(currentTarget.value)}
        {...literalInput}
      />
    )}
  </Field>
)
