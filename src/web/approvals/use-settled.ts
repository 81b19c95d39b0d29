import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { questions } from '../wire.ts'

/** What just appeared, or just moved, takes no answer: the finger was on its way to something else. */
const SETTLE_MS = 600

/** Whether what is in `place` has been in sight for 600 ms, without another question coming or going. */
export function useSettled(place: RefObject<HTMLElement | null>): boolean {
  const [isSettled, setSettled] = useState(false)
  const [isSeen, setSeen] = useState(false)
  const cards = questions.cards.value
  useEffect(() => {
    const look = (isIntersecting: boolean) => setSeen(isIntersecting && document.visibilityState === 'visible')
    const seen = new IntersectionObserver((entries) => look(entries.at(-1)!.isIntersecting), { threshold: 0.5 })
    const again = () => {
      seen.disconnect()
      setSeen(false)
      if (place.current) seen.observe(place.current)
    }
    again()
    document.addEventListener('visibilitychange', again)
    return () => {
      seen.disconnect()
      document.removeEventListener('visibilitychange', again)
    }
  }, [])
  useEffect(() => {
    setSettled(false)
    if (!isSeen) return
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isSeen, cards])
  return isSettled
}
