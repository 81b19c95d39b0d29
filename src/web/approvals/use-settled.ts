import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { approvals } from '../wire.ts'

/** A card that has just appeared or moved accepts no answer, because the user may have aimed at something else. */
const SETTLE_MS = 600

/** Whether the main button in `element` has been visible for 600 ms while no approval appeared or disappeared. */
export function useSettled(element: RefObject<HTMLElement | null>): boolean {
  const [isSettled, setSettled] = useState(false)
  const [isVisible, setVisible] = useState(false)
  const cards = approvals.cards.value
  useEffect(() => {
    const update = (isInView: boolean) => setVisible(isInView && document.visibilityState === 'visible')
    const observer = new IntersectionObserver((entries) => update(entries.at(-1)!.isIntersecting), { threshold: 0.5 })
    const restart = () => {
      observer.disconnect()
      setVisible(false)
      const button = element.current?.querySelector('.main') // not the whole row, of which the end may be below the screen
      if (button) observer.observe(button)
    }
    restart()
    document.addEventListener('visibilitychange', restart)
    return () => {
      observer.disconnect()
      document.removeEventListener('visibilitychange', restart)
    }
  }, [])
  useEffect(() => {
    setSettled(false)
    if (!isVisible) return
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isVisible, cards])
  return isSettled
}
