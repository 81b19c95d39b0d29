/** Items on their way to one reader, in order, with a weight each. */
interface Queue<Item> {
  push(item: Item, bytes: number): void
  /** what was pushed is still handed out, then `next` says null, or throws `error` */
  end(error?: Error): void
  next(): Promise<Item | null>
}

/** Above `limitBytes` it says `full`, once; `room` when it is down to half of that. */
export function createQueue<Item>(limitBytes: number, told: { full(): void; room(): void }): Queue<Item> {
  const items: { item: Item; bytes: number }[] = []
  let held = 0
  let isFull = false
  let ending: { error: Error | undefined } | null = null
  let wake = () => {}

  const take = (): Item => {
    const { item, bytes } = items.shift()!
    held -= bytes
    if (isFull && held <= limitBytes / 2) {
      isFull = false
      told.room()
    }
    return item
  }
  return {
    push(item, bytes) {
      items.push({ item, bytes })
      held += bytes
      wake()
      if (isFull || held <= limitBytes) return
      isFull = true
      told.full()
    },
    end(error) {
      ending ??= { error }
      wake()
    },
    async next() {
      while (items.length === 0 && !ending) await new Promise<void>((resolve) => (wake = resolve))
      if (items.length > 0) return take()
      if (ending?.error) throw ending.error
      return null
    },
  }
}
