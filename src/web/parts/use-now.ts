import { useEffect, useState } from 'preact/hooks'
import { isStale } from '../wire.ts'

/** The current time in epoch milliseconds, updated every `everyMs`; null stops the updates. It stands still while the service does not respond. */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(Date.now)
  const isLost = isStale.value
  useEffect(() => {
    if (everyMs === null || isLost) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isLost])
  return now
}
