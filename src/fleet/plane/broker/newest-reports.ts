/** Drops outdated reports of a key. Live reports arrive in order; a report that is read later may be older than a live one. */
interface NewestReports<Value> {
  /** Forwards a live report. */
  live(key: string, value: Value): void
  /** Call this before reading values. The returned function forwards a report unless a live report of its key has arrived since the call. */
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
