import { PhoneError, toPhoneError } from './phone-error.ts'
import { type Endpoint, SocketLink, type SocketData, type LinkSession } from './link.ts'
import type { Watch } from './phone-client.ts'
import { createQueue } from './queue.ts'
import type { WatchEvent } from './types.ts'

/** Events buffered for the reader. Above this the client stops reading from the service. */
const QUEUE_MESSAGES = 4096
/** The messages that start a watch. An error repeats the ref of its message. The ping makes the service respond even if it has no events. */
const subscriptions = ['watch_approvals', 'ping']

type WatchMessage =
  | WatchEvent
  | { type: 'pong' }
  | { type: 'error'; ref?: string; error: { type: string; message: string; field: string | null } }

/** Follows the service's events over any number of connections. */
export class WatchSession implements LinkSession, Watch {
  #isUp = false
  /** resolves the promise of `ping` */
  #answered: (() => void) | null = null
  #answer: Promise<void> | null = null
  readonly #link: SocketLink
  readonly #queue = createQueue<WatchEvent>(QUEUE_MESSAGES, {
    full: () => this.#link.pauseReading(),
    drained: () => this.#link.resumeReading(),
  })

  constructor(
    endpoint: Endpoint,
    readonly runs = true,
  ) {
    this.#link = new SocketLink(endpoint, this)
  }

  greet(): SocketData[] {
    this.#isUp = false // a new connection sends the whole state again
    return [...(this.runs ? ['watch_runs'] : []), ...subscriptions].map((type) =>
      JSON.stringify({ type, ...(type === 'ping' ? {} : { ref: type }) }),
    )
  }

  receive(data: SocketData): void {
    this.#answered?.()
    this.#answer = this.#answered = null
    const message = JSON.parse(String(data)) as WatchMessage
    if (message.type === 'error') return this.#fail(message)
    if (!this.#isUp) this.#push({ type: 'connected' })
    this.#isUp = true
    if (message.type !== 'pong') this.#push(message)
  }

  disconnected(): void {
    if (this.#isUp) this.#push({ type: 'disconnected' })
    this.#isUp = false
  }

  fail(error: PhoneError): void {
    this.#queue.end(error)
    this.#link?.close()
  }

  async *events(): AsyncGenerator<WatchEvent, void> {
    try {
      for (let event = await this.#queue.next(); event !== null; event = await this.#queue.next()) yield event
    } finally {
      this.leave()
    }
  }

  ping(): Promise<void> {
    this.#link.send('{"type":"ping"}')
    return (this.#answer ??= new Promise((resolve) => (this.#answered = resolve)))
  }

  leave(): void {
    this.#queue.end()
    this.#link.close()
  }

  #push(event: WatchEvent): void {
    this.#queue.push(event, 1)
  }

  /** An error with a ref rejects one subscription. An error without a ref ends the connection. */
  #fail(message: Extract<WatchMessage, { type: 'error' }>): void {
    if (message.ref === undefined) this.fail(toPhoneError(message, 0))
    else this.#push({ type: 'refused', message: message.error.message })
  }
}
