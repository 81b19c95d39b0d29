import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunPhone } from '../../sdk/index.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { Button } from './basics.tsx'
import { Icon, type IconName } from './icon.tsx'

/** There is nothing, said plainly. */
export const Empty = ({ icon, children }: { icon: IconName; children: ComponentChildren }) => (
  <div class="state">
    <Icon name={icon} />
    <p>{children}</p>
  </div>
)

/** It is on its way; what is quick shows nothing of it. */
export const Loading = () => (
  <div class="state loading" role="status">
    <span class="spinner" />
    <p>{words.loading}</p>
  </div>
)

/** It went wrong, and can be tried again. */
export const Failed = ({ message, again }: { message: string; again?: () => void }) => (
  <div class="state failed" role="alert">
    <Icon name="warn" />
    <p>{message}</p>
    {again && (
      <Button icon="again" onClick={again}>
        {words.again}
      </Button>
    )}
  </div>
)

/** What a call answered so far. */
export interface Loadable<Value> {
  value: Value | null
  /** empty while nothing went wrong */
  error: string
  again(): void
}

/** Asks now, and whenever one of `about` changes; an answer that comes too late is dropped. */
export function useAnswer<Value>(call: (phone: RunPhone) => Promise<Value>, about: unknown[] = []): Loadable<Value> {
  const [state, setState] = useState<{ value: Value | null; error: string }>({ value: null, error: '' })
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isOver = false
    const tell = (news: { value: Value | null; error: string }) => !isOver && setState(news)
    ask(call).then(
      (value) => tell({ value, error: '' }),
      (error) => tell({ value: null, error: messageOf(error) }),
    )
    return () => void (isOver = true)
  }, [...about, round])
  return { ...state, again: () => setRound(round + 1) }
}

/** What a call answers, or that it loads, or what went wrong. */
export function Loaded<Value>({
  from,
  children,
}: {
  from: Loadable<Value>
  children: (value: Value) => ComponentChildren
}) {
  if (from.error !== '') return <Failed message={from.error} again={from.again} />
  if (from.value === null) return <Loading />
  return <>{children(from.value)}</>
}
