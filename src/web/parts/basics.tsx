import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

type Children = { children?: ComponentChildren }

/** What a view opens with; the focus comes here when a view is gone to. `aside`: what stands beside it. */
export function Title({ children, aside }: Children & { aside?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []) // at once: who types already keeps the focus
  return (
    <div class="title">
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {aside}
    </div>
  )
}

/** A box for one thing. */
export const Card = ({ children, title, kind = '' }: Children & { title?: ComponentChildren; kind?: string }) => (
  <section class={`card ${kind}`}>
    {title && <h2>{title}</h2>}
    {children}
  </section>
)

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Children & { icon?: IconName; kind?: 'main' | 'plain' | 'danger' | 'quiet'; label?: string; class?: string }

/** `label`: what is said of one that shows its icon alone. */
export const Button = ({ icon, kind = 'plain', label, children, class: more = '', ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    class={`button ${kind} ${children === undefined ? 'bare' : ''} ${more}`}
    aria-label={label}
    title={label}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
)

type FieldProps = {
  label: string
  hint?: ComponentChildren
  /** what is wrong with it */
  trouble?: string
  /** the input; it is handed the attributes that tie it to its label */
  children: (tied: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren
}

/** An input under its name, with a hint or with what is wrong. */
export function Field({ label, hint, trouble = '', children }: FieldProps) {
  const id = useId()
  const told = `${id}-told`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': told, 'aria-invalid': trouble !== '' })}
      <p id={told} class={trouble === '' ? 'hint' : 'trouble'} role={trouble === '' ? undefined : 'alert'}>
        {trouble === '' ? hint : trouble}
      </p>
    </div>
  )
}

/** For what is meant as it is typed: no browser mends it, or fills it in. */
export const asTyped = { autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: false } as const

interface ChoiceProps {
  label: string
  names: Readonly<Record<string, string>>
  value: string
  set(value: string): void
  hint?: string
}

/** One of several values, each with its name. */
export const Choice = ({ label, names, value, set, hint }: ChoiceProps) => (
  <Field label={label} {...(hint && { hint })}>
    {(tied) => (
      <select {...tied} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {Object.entries(names).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** What went wrong; nothing where it is empty. */
export const ErrorText = ({ children }: { children: string }) =>
  children === '' ? null : (
    <p class="trouble" role="alert">
      {children}
    </p>
  )

/** Names and what they stand for, in two columns; those without a value are left out. */
export const Facts = ({ rows }: { rows: [name: string, value: ComponentChildren][] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** A word in a pill. */
export const Tag = ({ children, kind = '', icon }: Children & { kind?: string; icon?: IconName }) => (
  <span class={`tag ${kind}`}>
    {icon && <Icon name={icon} />}
    {children}
  </span>
)
