/** Android limits the notifications of an app. Further requests are answered elsewhere, or appear when others are decided. */
const MAX_SHOWN = 16
const MAX_REMOVALS = 2

/** The notifications that may be on the phone's screen, including those of failed attempts. Their number is limited. */
interface NotificationScreen {
  ids(): string[]
  isShown(id: string): boolean
  hasCapacity(id: string): boolean
  attempted(id: string): void
  shown(id: string): void
  /** Records a removal. After two failed removals a notification is forgotten, because its buttons no longer work. */
  removed(id: string, succeeded: boolean): void
}

export function createScreen(): NotificationScreen {
  const known = new Map<string, { isShown: boolean; removals: number }>()
  return {
    ids: () => [...known.keys()],
    isShown: (id) => known.get(id)?.isShown ?? false,
    hasCapacity: (id) => known.has(id) || known.size < MAX_SHOWN,
    attempted: (id) => void known.set(id, { isShown: false, removals: 0 }),
    shown: (id) => void known.set(id, { isShown: true, removals: 0 }),
    removed(id, succeeded) {
      const one = known.get(id)
      if (one && (succeeded || ++one.removals >= MAX_REMOVALS)) known.delete(id)
    },
  }
}
