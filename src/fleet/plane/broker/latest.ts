/** Keeps the newer of two reports of a key: reports that are heard live come in order; those that are read back may be older. */
export interface Latest<Value> {
  /** A report as it happens. */
  heard(key: string, value: Value): void
  /** What begins now reads back reports; each is passed on unless something newer of its key was heard meanwhile. */
  reading(): (key: string, value: Value) => void
}

export function createLatest<Value>(onValue: (key: string, value: Value) => void): Latest<Value> {
  const heardAt = new Map<string, number>()
  let count = 0
  return {
    heard(key, value) {
      heardAt.set(key, (count += 1))
      onValue(key, value)
    },
    reading() {
      const began = count
      return (key, value) => {
        if ((heardAt.get(key) ?? 0) <= began) onValue(key, value)
      }
    },
  }
}
