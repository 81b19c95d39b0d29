import { useEffect, useRef } from 'preact/hooks'
import type { RunPhone } from '../../sdk/index.ts'
import { connection } from '../wire.ts'
import { type Loadable, useAnswer } from './states.tsx'

/** Asks now and again every `everyMs`, while the page can be seen and the service is there. */
export function usePolled<Value>(call: (phone: RunPhone) => Promise<Value>, everyMs: number): Loadable<Value> {
  const isThere = connection.value.state === 'connected'
  const asked = useAnswer(call, [isThere])
  const latest = useRef(asked)
  latest.current = asked
  useEffect(() => {
    if (!isThere) return
    const look = () => document.visibilityState === 'visible' && latest.current.again()
    const timer = setInterval(look, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isThere])
  return asked
}
