/** The events of runs that WebSockets are sending. A stop waits for them, because it closes the connections. */
export class Deliveries {
  readonly #pending = new Set<Promise<void>>()

  /** Resolves and rejects like `delivery`. */
  async add(delivery: Promise<void>): Promise<void> {
    this.#pending.add(delivery)
    try {
      await delivery
    } finally {
      this.#pending.delete(delivery)
    }
  }

  /** Resolves when all current deliveries have ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending)
  }
}
