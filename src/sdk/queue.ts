/** An ordered buffer for a single reader. Each item has a size in bytes. */
interface Queue<Item> {
  push(item: Item, bytes: number): void
  /** Ends the queue: `next` returns the remaining items, then returns null or throws `error`. */
  end(error?: Error): void
  next(): Promise<Item | null>
}

/** Calls `full` when the buffer exceeds `limitBytes`, then `drained` when it has shrunk to half of that. */
export function createQueue<Item>(limitBytes: number, listener: { full(): void; drained(): void }): Queue<Item> {
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
      listener.drained()
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
      listener.full()
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
