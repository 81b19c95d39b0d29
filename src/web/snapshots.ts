/**
 * Puts lists and events in order. An event that arrives after a list was requested is newer than the list. Of two lists, the one that was
 * requested later is newer.
 */
export function createSnapshots() {
  const openRequests = new Set<Set<string>>()
  let requested = 0
  let applied = 0
  return {
    /** Call when an event about this id has arrived. */
    note(id: string): void {
      for (const changed of openRequests) changed.add(id)
    },
    /** Requests a list and applies it, unless a newer list has been applied. `changed` contains the ids with newer events. Throws what `ask` throws. */
    async load<List>(
      ask: () => Promise<List>,
      apply: (list: List, changed: ReadonlySet<string>) => void,
    ): Promise<void> {
      const changed = new Set<string>()
      const number = ++requested
      openRequests.add(changed)
      try {
        const list = await ask()
        if (number < applied) return
        applied = number
        apply(list, changed)
      } finally {
        openRequests.delete(changed)
      }
    },
    /** Discards the lists that have been requested so far. */
    discard(): void {
      applied = ++requested
    },
  }
}
