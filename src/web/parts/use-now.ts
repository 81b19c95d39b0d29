import { useEffect, useState } from 'preact/hooks'
import { connection, isStale } from '../wire.ts'

/**
 * The current time in epoch milliseconds, updated every `everyMs`; null stops the updates. While the service does not respond, it is the time
 * of the last message, because what the page shows is from then.
 */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(Date.now)
  const isLost = isStale.value
  useEffect(() => {
    if (everyMs === null || isLost) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isLost])
  return (isLost && connection.value.since) || now
}
