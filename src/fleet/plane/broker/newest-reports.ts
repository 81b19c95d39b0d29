/** Drops outdated reports of a key. Live reports come in order; reports that are read back may be older than a live one. */
interface NewestReports<Value> {
  /** Passes on a live report. */
  live(key: string, value: Value): void
  /** Call this before reading back. The returned function passes on a report unless a live one of its key came in the meantime. */
  startReading(): (key: string, value: Value) => void
}

export function createNewestReports<Value>(onValue: (key: string, value: Value) => void): NewestReports<Value> {
  const liveAt = new Map<string, number>()
  let count = 0
  return {
    live(key, value) {
      liveAt.set(key, (count += 1))
      onValue(key, value)
    },
    startReading() {
      const began = count
      return (key, value) => {
        if ((liveAt.get(key) ?? 0) <= began) onValue(key, value)
      }
    },
  }
}
