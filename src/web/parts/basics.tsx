import { type ButtonHTMLAttributes, type ComponentChildren, Fragment } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { access } from '../access.ts'
import { route } from '../route.ts'
import { words } from '../words.ts'
import { Icon, type IconName } from './icon.tsx'

type Children = { children?: ComponentChildren }

/** The heading of a view, which gets the focus when the view opens; `aside` is shown next to it. */
export function Title({ children, aside }: Children & { aside?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // a layout effect runs before the user can type anywhere, so it never takes the focus from a field
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div class="title">
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {children}
        </h1>
        <ManualLink />
      </div>
      {aside}
    </div>
  )
}

/** A link to the part of the manual about the current view. `isText`: shows its name instead of an icon. */
export function ManualLink({ isText = false }: { isText?: boolean }) {
  const { view } = route.value
  if (access.value === null || view === 'more') return null
  const target = { href: `/docs#view-${view || 'run'}`, target: '_blank', rel: 'noopener' }
  if (isText) return <a {...target}>{words.manual}</a>
  return (
    <a {...target} class="button quiet bare" aria-label={words.manual} title={words.manual}>
      <Icon name="help" />
    </a>
  )
}

/** A section with a border and an optional heading. */
export const Card = ({ children, title, kind = '' }: Children & { title?: ComponentChildren; kind?: string }) => (
  <section class={`card ${kind}`}>
    {title && <h2>{title}</h2>}
    {children}
  </section>
)

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Children & { icon?: IconName; kind?: 'main' | 'plain' | 'danger' | 'quiet'; label?: string; class?: string }

/** `label` is the accessible name of a button that shows only an icon. */
export const Button = ({
  icon,
  kind = 'plain',
  label,
  title = label,
  children,
  class: more = '',
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    {...rest}
    class={`button ${kind} ${children === undefined ? 'bare' : ''} ${more}`}
    aria-label={label}
    title={title}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
)

type FieldProps = {
  label: string
  hint?: ComponentChildren
  /** what is wrong with the value; shown above the hint */
  error?: string
  /** renders the input with the attributes that connect it to its label and hint */
  children: (inputProps: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren
}

/** A labelled input with a hint or an error below it. */
export function Field({ label, hint, error = '', children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${errorId} ${hintId}`, 'aria-invalid': error !== '' })}
      {error !== '' && (
        <p id={errorId} class="error-text" role="alert">
          <WithCommands text={error} />
        </p>
      )}
      <p id={hintId} class="hint">
        {typeof hint === 'string' ? <WithCommands text={hint} /> : hint}
      </p>
    </div>
  )
}

/** A text with commands in backquotes. A line break can come between two words of a command, but not within a word. */
const WithCommands = ({ text }: { text: string }) => (
  <>
    {text.split('`').map((part, at) =>
      at % 2 === 0
        ? part
        : part.split(' ').map((word, index) => (
            <Fragment key={index}>
              {index > 0 && ' '}
              <code class="unbroken">{word}</code>
            </Fragment>
          )),
    )}
  </>
)

/** For input that must stay exactly as typed: the browser neither corrects nor completes it. */
export const literalInput = {
  autocomplete: 'off',
  autocapitalize: 'off',
  autocorrect: 'off',
  spellcheck: false,
} as const

/** An error message; renders nothing if the message is empty. */
export const ErrorText = ({ children }: { children: string }) =>
  children === '' ? null : (
    <p class="error-text" role="alert">
      {children}
    </p>
  )

/** Names and values in two columns; rows without a value are left out. */
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

/** A short label in a pill. */
export const Tag = ({ children, kind = '', icon }: Children & { kind?: string; icon?: IconName }) => (
  <span class={`tag ${kind}`}>
    {icon && <Icon name={icon} />}
    {children}
  </span>
)
