/** Android shows few of one app at once; further questions are answered elsewhere, or move up. */
const MAX_SHOWN = 16
const MAX_REMOVALS = 2

/** What may be on the phone's screen: also what a failed attempt may have left there. Bounded. */
interface NotificationScreen {
  ids(): string[]
  isShown(id: string): boolean
  hasRoom(id: string): boolean
  attempted(id: string): void
  shown(id: string): void
  /** What could not be removed twice is forgotten: its buttons lead nowhere any more. */
  removed(id: string, succeeded: boolean): void
}

/** An empty screen. */
export function createScreen(): NotificationScreen {
  const known = new Map<string, { isShown: boolean; removals: number }>()
  return {
    ids: () => [...known.keys()],
    isShown: (id) => known.get(id)?.isShown ?? false,
    hasRoom: (id) => known.has(id) || known.size < MAX_SHOWN,
    attempted: (id) => void known.set(id, { isShown: false, removals: 0 }),
    shown: (id) => void known.set(id, { isShown: true, removals: 0 }),
    removed(id, succeeded) {
      const one = known.get(id)
      if (one && (succeeded || ++one.removals >= MAX_REMOVALS)) known.delete(id)
    },
  }
}
