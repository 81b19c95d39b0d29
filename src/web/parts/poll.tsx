import { useEffect } from 'preact/hooks'
import type { RunPhone } from '../../sdk/index.ts'
import { connection } from '../wire.ts'
import { type Loadable, useAnswer } from './states.tsx'

/** Like useAnswer, but repeats the call every `everyMs` milliseconds while the page is visible and connected, and when it becomes visible. */
export function usePolled<Value>(call: (phone: RunPhone) => Promise<Value>, everyMs: number): Loadable<Value> {
  const isThere = connection.value.state === 'connected'
  const answer = useAnswer(call, [isThere])
  useEffect(() => {
    if (!isThere) return
    const refresh = () => document.visibilityState === 'visible' && answer.again()
    const timer = setInterval(refresh, everyMs)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [everyMs, isThere])
  return answer
}
