/** Addresses that are remembered; past it the one that has been quiet longest is forgotten. */
const MAX_ADDRESSES = 1024

/** How many wrong tokens an address may still show. */
export interface Throttle {
  /** whole seconds until anything that this address shows is looked at; 0: now */
  waitSeconds(address: string): number
  /** one more wrong token */
  note(address: string): void
}

/** `perMinute` wrong tokens at once, and as many each minute: a guesser is given no more looks than that, right or wrong. */
export function createThrottle(perMinute: number): Throttle {
  const spent = new Map<string, { count: number; at: number }>()
  const countOf = (address: string) => {
    const entry = spent.get(address)
    return entry ? Math.max(0, entry.count - ((performance.now() - entry.at) * perMinute) / 60_000) : 0
  }
  return {
    waitSeconds(address) {
      const over = countOf(address) - (perMinute - 1)
      return over > 0 ? Math.ceil((over * 60) / perMinute) : 0
    },
    note(address) {
      const count = countOf(address) + 1
      spent.delete(address)
      spent.set(address, { count, at: performance.now() })
      if (spent.size > MAX_ADDRESSES) spent.delete(spent.keys().next().value!)
    },
  }
}
