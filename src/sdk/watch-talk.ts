import { PhoneError, toPhoneError } from './phone-error.ts'
import { type Endpoint, SocketLink, type SocketData, type Talk } from './link.ts'
import type { Watch } from './phone-client.ts'
import { createQueue } from './queue.ts'
import type { WatchEvent } from './types.ts'

/** News that wait for their reader; with more, the service is not read from. */
const QUEUE_MESSAGES = 4096
/** What is asked first, each with a ref that a refusal brings back; the ping has the service speak though nothing happens. */
const greeting = ['watch_approvals', 'ping']

type WatchMessage =
  | WatchEvent
  | { type: 'pong' }
  | { type: 'error'; ref?: string; error: { type: string; message: string; field: string | null } }

/** What happens on the service, over as many connections as it takes. */
export class WatchTalk implements Talk, Watch {
  #isUp = false
  readonly #link: SocketLink
  readonly #queue = createQueue<WatchEvent>(QUEUE_MESSAGES, {
    full: () => this.#link.stall(),
    room: () => this.#link.resume(),
  })

  constructor(
    line: Endpoint,
    readonly runs = true,
  ) {
    this.#link = new SocketLink(line, this)
  }

  greet(): SocketData[] {
    this.#isUp = false // a connection that replaces another one tells all anew
    return [...(this.runs ? ['watch_runs'] : []), ...greeting].map((type) =>
      JSON.stringify({ type, ...(type === 'ping' ? {} : { ref: type }) }),
    )
  }

  hear(data: SocketData): void {
    const message = JSON.parse(String(data)) as WatchMessage
    if (message.type === 'error') return this.#trouble(message)
    if (!this.#isUp) this.#tell({ type: 'connected' })
    this.#isUp = true
    if (message.type !== 'pong') this.#tell(message)
  }

  missed(): void {
    if (this.#isUp) this.#tell({ type: 'disconnected' })
    this.#isUp = false
  }

  lost(error: PhoneError): void {
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

  leave(): void {
    this.#queue.end()
    this.#link.close()
  }

  #tell(event: WatchEvent): void {
    this.#queue.push(event, 1)
  }

  /** A refused request leaves the others; without one it is about the connection. */
  #trouble(message: Extract<WatchMessage, { type: 'error' }>): void {
    if (message.ref === undefined) this.lost(toPhoneError(message, 0))
    else this.#tell({ type: 'refused', message: message.error.message })
  }
}
