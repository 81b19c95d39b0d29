import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunPhone } from '../../sdk/index.ts'
import { ask, connection, isUnreachable, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { Button } from './basics.tsx'
import { Icon, type IconName } from './icon.tsx'
import { useReconnect } from './use-reconnect.ts'

/** A message instead of an empty list. */
export const Empty = ({ icon, children }: { icon: IconName; children: ComponentChildren }) => (
  <div class="state">
    <Icon name={icon} />
    <p>{children}</p>
  </div>
)

/** A loading indicator, or a message that nothing is loaded without a connection. CSS shows it after a delay, so that it does not flash when the response is fast. */
export function Loading() {
  const isLost = connection.value.state === 'lost'
  return (
    <div class="state loading" role="status">
      {!isLost && <span class="spinner" />}
      <p>{isLost ? words.frame.notYet : words.loading}</p>
    </div>
  )
}

/** An error message, with a button to try again. */
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

/** The state of a call. A call that got no response keeps its earlier value and is made again when the connection is back. */
export interface Loadable<Value> {
  value: Value | null
  /** empty unless the call failed */
  error: string
  again(): void
}

/** Makes a call now and whenever `dependencies` change; drops responses that are out of date. */
export function useAnswer<Value>(
  call: (phone: RunPhone) => Promise<Value>,
  dependencies: unknown[] = [],
): Loadable<Value> {
  const [state, setState] = useState<{ value: Value | null; error: string }>({ value: null, error: '' })
  const [round, setRound] = useState(0)
  const isMissed = useRef(false)
  useEffect(() => {
    let isOver = false
    isMissed.current = false
    ask(call).then(
      (value) => !isOver && setState({ value, error: '' }),
      (error) => {
        if (isOver) return
        isMissed.current = isUnreachable(error)
        setState(({ value }) => ({
          value: isMissed.current ? value : null,
          error: messageOf(error),
        }))
      },
    )
    return () => void (isOver = true)
  }, [...dependencies, round])
  const again = () => setRound((before) => before + 1)
  useReconnect(() => {
    if (isMissed.current) again()
  })
  return { ...state, again }
}

/** Renders the result of a call, a loading indicator, or an error; without a connection, only what was loaded before. */
export function Loaded<Value>({
  from,
  children,
}: {
  from: Loadable<Value>
  children: (value: Value) => ComponentChildren
}) {
  if (from.error !== '' && connection.value.state !== 'lost') return <Failed message={from.error} again={from.again} />
  if (from.value === null) return <Loading />
  return <>{children(from.value)}</>
}
