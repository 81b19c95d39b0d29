import { useEffect, useState } from 'preact/hooks'

/** The time, told anew every so many milliseconds; null: no more. */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
