import { Field } from './basics.tsx'

interface ChoiceProps {
  label: string
  names: Readonly<Record<string, string>>
  value: string
  set(value: string): void
  hint?: string
}

/** A labelled list of options. */
export const Choice = ({ label, names, value, set, hint }: ChoiceProps) => (
  <Field label={label} {...(hint && { hint })}>
    {(inputProps) => (
      <select {...inputProps} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {Object.entries(names).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)
