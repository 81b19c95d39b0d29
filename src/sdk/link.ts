import { PhoneError } from './phone-error.ts'
import type { Socket, SocketClass } from './socket.ts'

/** Where the service is, and how it is reached. */
export interface Line {
  /** http://… or https://… */
  url: string
  token: string
  WebSocket: SocketClass
  /** how long it is tried to find a lost connection again */
  reconnectMs: number
}

/** What goes over the connection, text or bytes. */
export type Sent = string | Uint8Array<ArrayBuffer>

/** Who talks over a link. */
export interface Talk {
  /** what is said first on each new connection, behind the token */
  greet(): Sent[]
  hear(data: Sent): void
  /** the connection is gone, and is looked for */
  missed?(): void
  /** it is over: nobody answers, or no longer */
  lost(error: PhoneError): void
}

type Data = string | ArrayBuffer | Uint8Array<ArrayBuffer>

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 10_000
/** How often a silent connection is asked whether it lives; twice without an answer, it does not. */
const BEAT_MS = 15_000
/** One attempt, with the wait before it, takes less: an attempt that took longer was interrupted, because the machine slept or we were stopped. */
const LONGEST_ATTEMPT_MS = LONGEST_WAIT_MS + 3 * BEAT_MS

/**
 * One WebSocket for one talk, opened anew whenever it is lost (after 50 ms, doubling to 10 s while nobody answers). The first must come about at once. A talker
 * that has enough says `stall`: it is read no further. The service closes a paused connection, which answers none of its pings, so every
 * 15 s a new one replaces it: the old one closes once the new one has received a message, so that the service counts this reader throughout.
 */
export class Link {
  #socket: Socket | null = null
  #isOpen = false
  /** the paused connection that the next one replaces */
  #replaced: Socket | null = null
  /** received by a connection that was opened while stalled */
  #held: Data[] = []
  #phase: 'reading' | 'stalled' | 'glancing' | 'closed' = 'reading'
  #hasHeard = false
  #heardAt = performance.now()
  /** when the last attempt failed; null: the connection is good, or it is the first */
  #missedAt: number | null = null
  /** spent on attempts since the last message */
  #searchedMs = 0
  #waitMs = FIRST_WAIT_MS
  #again: ReturnType<typeof setTimeout> | undefined
  readonly #beat = setInterval(() => this.#look(), BEAT_MS)

  constructor(
    readonly line: Line,
    readonly talk: Talk,
  ) {
    this.#open()
  }

  /** Says it, where there is a connection; else the next one's greeting must. */
  send(data: Sent): void {
    if (this.#isOpen) this.#socket?.send(data)
  }

  /** Reads no further. */
  stall(): void {
    this.#phase = 'stalled'
    if (this.#socket?.pause) this.#socket.pause()
    else this.#drop()
  }

  /** Reads on. */
  resume(): void {
    const isPaused = this.#phase === 'stalled' && this.#socket
    this.#phase = 'reading'
    this.#heardAt = performance.now()
    for (const data of this.#held.splice(0)) this.#tell(data)
    if (this.#phase !== 'reading') return // it has enough again
    if (isPaused) isPaused.resume?.()
    else if (!this.#socket) this.#open()
  }

  close(): void {
    this.#phase = 'closed'
    clearInterval(this.#beat)
    this.#drop()
    this.#dropReplaced()
  }

  #open(): void {
    this.#drop() // there is one socket at most
    let trouble = ''
    try {
      const socket = new this.line.WebSocket(`${this.line.url.replace(/^http/, 'ws')}/ws`)
      if (socket.binaryType === 'blob') socket.binaryType = 'arraybuffer'
      socket.onopen = () => this.#greet(socket)
      socket.onmessage = ({ data }) => this.#hear(data)
      socket.onerror = ({ message }) => (trouble = message ?? '')
      socket.onclose = ({ reason }) => {
        if (this.#isOpen && reason === '') this.#wasThere()
        this.#lose(reason || trouble)
      }
      this.#socket = socket
    } catch (error) {
      this.#lose((error as Error).message)
    }
  }

  #greet(socket: Socket): void {
    this.#isOpen = true
    const auth = JSON.stringify({ type: 'auth', token: this.line.token })
    for (const data of [auth, ...this.talk.greet()]) socket.send(data)
  }

  #hear(data: Data): void {
    this.#hasHeard = true
    this.#heardAt = performance.now()
    this.#missedAt = null
    this.#searchedMs = 0
    this.#waitMs = FIRST_WAIT_MS
    this.#dropReplaced()
    if (this.#phase !== 'glancing' && this.#held.length === 0) return this.#tell(data)
    this.#held.push(data)
    if (this.#phase === 'glancing') this.stall()
  }

  /** The service took the connection, which was cut: there is no need to wait long for the next one. */
  #wasThere(): void {
    this.#hasHeard = true
    this.#waitMs = FIRST_WAIT_MS
  }

  #tell(data: Data): void {
    this.talk.hear(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  }

  #lose(trouble: string): void {
    this.#drop()
    if (this.#phase === 'closed' || this.#phase === 'stalled') return
    const why = trouble === '' ? '' : ` (${trouble})`
    if (!this.#hasHeard) return this.#fail(`${this.line.url} cannot be reached: is the service running?${why}`)
    if (this.#countAttempt() > this.line.reconnectMs) {
      return this.#fail(`${this.line.url} did not answer for ${Math.round(this.#searchedMs)} ms${why}`)
    }
    this.talk.missed?.()
    this.#again = setTimeout(() => this.#open(), this.#waitMs)
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS)
  }

  /** Milliseconds spent on attempts. After a sleep they count anew: nobody could answer meanwhile. */
  #countAttempt(): number {
    const now = performance.now()
    const tookMs = now - (this.#missedAt ?? now)
    this.#missedAt = now
    this.#searchedMs = tookMs > LONGEST_ATTEMPT_MS ? 0 : this.#searchedMs + tookMs
    return this.#searchedMs
  }

  #fail(message: string): void {
    this.close()
    this.talk.lost(new PhoneError('unreachable', message))
  }

  /** No word of it is heard any more: what it held is told again by the next one. */
  #drop(): void {
    clearTimeout(this.#again)
    this.#held = []
    this.#isOpen = false
    const socket = this.#socket
    this.#socket = null
    if (socket) terminate(socket)
  }

  #dropReplaced(): void {
    if (this.#replaced) terminate(this.#replaced)
    this.#replaced = null
  }

  #look(): void {
    if (this.#phase === 'stalled') {
      if (this.#socket) silence(this.#socket)
      this.#replaced = this.#socket
      this.#socket = null
      this.#phase = 'glancing'
      return this.#open()
    }
    const silentMs = performance.now() - this.#heardAt
    if (!this.#socket || silentMs < BEAT_MS) return
    if (silentMs > 2 * BEAT_MS) this.#lose('it does not answer')
    else this.send('{"type":"ping"}')
  }
}

function silence(socket: Socket): void {
  socket.onopen = socket.onmessage = socket.onclose = null
  socket.onerror = () => {} // ws throws what nobody hears
}

function terminate(socket: Socket): void {
  silence(socket)
  if (socket.terminate) socket.terminate()
  else socket.close()
}
