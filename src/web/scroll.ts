/** More entries than a browser keeps. */
const MAX_ENTRIES = 100

/** How far each of the newest entries of the history was scrolled. */
const tops = new Map<number, number>()

/** The number of the current entry of the history, which its state holds. */
export function entryNumber(): number {
  if (history.state === null) history.replaceState(Date.now(), '')
  return history.state as number
}

/** Scrolls to where the current entry was left, a new one to its top, and records its position until the returned function is called. */
export function followScroll(): () => void {
  const entry = entryNumber()
  scrollTo(0, tops.get(entry) ?? 0)
  const record = () => {
    tops.set(entry, scrollY)
    if (tops.size > MAX_ENTRIES) tops.delete(tops.keys().next().value!)
  }
  addEventListener('scroll', record)
  return () => removeEventListener('scroll', record)
}
