/** Whoever has moved nothing for so long, while others wait for room, is cut. */
const STUCK_MS = 2_000

/** What waits in memory for clients to take it, or to finish sending it. */
export interface Ledger<Client> {
  /** How many bytes wait for this client now; `moved`: it took or sent some. */
  note(client: Client, bytes: number, moved: boolean): void
  /** there is room for more */
  hasRoom(): boolean
  /** Calls once when there is room again. */
  whenRoom(call: () => void): void
}

/**
 * One bound for all connections together. From half of it on, what is not in memory yet waits for room; past the whole of it, or when
 * nobody frees any for a while, the client that has moved nothing for longest is cut.
 */
export function createLedger<Client extends object>(maxBytes: number, cut: (client: Client) => void): Ledger<Client> {
  const held = new Map<Client, { bytes: number; movedAt: number }>() // whoever is stuck for longest comes first
  const waiting = new Set<() => void>()
  let timer: NodeJS.Timeout | null = null
  let total = 0

  const hasRoom = () => total <= maxBytes / 2
  const put = (client: Client, bytes: number, moved: boolean) => {
    const before = held.get(client)
    total += bytes - (before?.bytes ?? 0)
    if (moved || bytes === 0) held.delete(client)
    const movedAt = moved || !before ? performance.now() : before.movedAt
    if (bytes > 0) held.set(client, { bytes, movedAt })
  }
  const cutFirst = () => {
    const [client] = held.keys()
    put(client!, 0, true)
    cut(client!)
  }
  const callWaiting = () => {
    for (const call of waiting) {
      if (!hasRoom()) return
      waiting.delete(call)
      call()
    }
    if (waiting.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
  const cutStuck = () => {
    const [first] = held.values()
    if (first && performance.now() - first.movedAt > STUCK_MS) cutFirst()
    callWaiting()
  }
  return {
    hasRoom,
    note(client, bytes, moved) {
      put(client, bytes, moved)
      while (total > maxBytes && held.size > 1) cutFirst()
      callWaiting()
    },
    whenRoom(call) {
      waiting.add(call)
      timer ??= setInterval(cutStuck, STUCK_MS / 4).unref()
    },
  }
}

/** Resolves when there is room, at once where there is. */
export function roomIn(ledger: Ledger<never>): Promise<void> {
  return new Promise((resolve) => (ledger.hasRoom() ? resolve() : ledger.whenRoom(resolve)))
}
