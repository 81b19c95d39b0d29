/**
 * Lists and events of one thing in one order. An event that came since a list was asked for is newer than the list, and of two lists the one
 * that was asked for later.
 */
export function createSnapshots() {
  const open = new Set<Set<string>>()
  let asked = 0
  let applied = 0
  return {
    /** An event about this one has come. */
    note(id: string): void {
      for (const changed of open) changed.add(id)
    },
    /** Asks for a list and applies it, unless a newer one was applied; `changed`: ids whose events are newer. Throws what `ask` throws. */
    async load<List>(
      ask: () => Promise<List>,
      apply: (list: List, changed: ReadonlySet<string>) => void,
    ): Promise<void> {
      const changed = new Set<string>()
      const own = ++asked
      open.add(changed)
      try {
        const list = await ask()
        if (own < applied) return
        applied = own
        apply(list, changed)
      } finally {
        open.delete(changed)
      }
    },
    /** No list that was asked for so far is applied any more. */
    forget(): void {
      applied = ++asked
    },
  }
}
