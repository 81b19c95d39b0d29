import { PhoneError } from './phone-error.ts'
import { LinkAttempts } from './link-attempts.ts'
import { type LinkAct, type LinkEvent, linkStates, type LinkState } from './link-states.ts'
import type { Socket, SocketClass } from './socket.ts'

/** The service's address and how to connect to it. */
export interface Endpoint {
  /** http://… or https://… */
  url: string
  token: string
  WebSocket: SocketClass
  /** how long to try to reconnect, in milliseconds */
  reconnectMs: number
}

/** A WebSocket message: text or bytes. */
export type SocketData = string | Uint8Array<ArrayBuffer>

/** The sender and receiver of a link's messages. */
export interface LinkSession {
  /** the messages to send on each new connection, after the token */
  greet(): SocketData[]
  receive(data: SocketData): void
  /** The connection was lost; the link is reconnecting. */
  disconnected?(): void
  /** The link has given up, because the service cannot be reached or no longer answers. */
  fail(error: PhoneError): void
}

type Data = string | ArrayBuffer | Uint8Array<ArrayBuffer>

/** An idle connection is pinged at this interval, and replaced if no message has arrived by the next one. */
const HEARTBEAT_MS = 15_000

/** States in which messages can be sent over the newest WebSocket, if there is one. */
const openStates: readonly LinkState[] = ['greeting', 'live', 'draining', 'renewed']

/**
 * A WebSocket that reconnects after a lost connection. It waits 50 ms and doubles the wait up to 10 s while the service does not answer. The
 * first attempt must succeed. `pauseReading` applies back-pressure. A paused connection does not answer pings, so the service would close it;
 * therefore a new connection replaces it every 15 s. The old one closes once the new one has received a message, so that the service counts
 * this reader throughout. link-states.ts lists the states.
 */
export class SocketLink {
  #state: LinkState = 'connecting'
  #socket: Socket | null = null
  /** the paused connection that the next one replaces */
  #replaced: Socket | null = null
  /** messages received over a connection that was opened while reading was paused */
  #held: Data[] = []
  /** when the last message arrived, or the newest connection attempt started */
  #lastMessageAt = performance.now()
  #pingedAt = 0
  /** the error of the newest connection attempt, where the platform reports it (ws) */
  #failure: unknown
  readonly #attempts = new LinkAttempts(3 * HEARTBEAT_MS)
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  readonly #heartbeat = setInterval(() => this.#on('heartbeat'), HEARTBEAT_MS)
  readonly #acts: Record<LinkAct, (detail: Data) => void> = {
    open: () => this.#open(),
    greet: () => this.#greet(),
    deliver: (data) => this.#received(() => this.#deliver(data)),
    hold: (data) => this.#received(() => this.#held.push(data)),
    retry: (why) => this.#retry(String(why)),
    pause: () => this.#pause(),
    drop: () => this.#drop(),
    release: () => this.#release(),
    readOn: () => this.#readOn(),
    probe: () => this.#probe(),
    replace: () => this.#replace(),
    stop: () => this.#stop(),
  }

  constructor(
    readonly endpoint: Endpoint,
    readonly session: LinkSession,
  ) {
    this.#open()
  }

  get state(): LinkState {
    return this.#state
  }

  /** Sends if connected. Otherwise the next connection's `greet` has to include the data. */
  send(data: SocketData): void {
    if (openStates.includes(this.#state)) this.#socket?.send(data)
  }

  pauseReading(): void {
    this.#on('full')
  }

  resumeReading(): void {
    this.#on('drained')
  }

  close(): void {
    this.#on('close')
  }

  #on(event: LinkEvent, detail: Data = ''): void {
    const row = linkStates[this.#state][event]
    if (!row) return
    const [next, ...acts] = row
    this.#state = next
    for (const act of acts) this.#acts[act](detail)
  }

  #open(): void {
    clearTimeout(this.#retryTimer)
    if (this.#socket) return // already connecting
    this.#lastMessageAt = performance.now()
    let failure = ''
    this.#failure = undefined
    try {
      const socket = new this.endpoint.WebSocket(`${this.endpoint.url.replace(/^http/, 'ws')}/ws`)
      if (socket.binaryType === 'blob') socket.binaryType = 'arraybuffer'
      socket.onopen = () => this.#on('opened')
      socket.onmessage = ({ data }) => this.#on('message', data)
      socket.onerror = ({ message, error }) => {
        failure = message ?? ''
        this.#failure = error
      }
      socket.onclose = ({ reason }) => {
        if (openStates.includes(this.#state) && reason === '') this.#attempts.accepted()
        this.#on('broken', reason || failure)
      }
      this.#socket = socket
    } catch (error) {
      this.#on('broken', (error as Error).message)
    }
  }

  #greet(): void {
    const auth = JSON.stringify({ type: 'auth', token: this.endpoint.token })
    for (const data of [auth, ...this.session.greet()]) this.send(data)
  }

  #received(take: () => void): void {
    this.#lastMessageAt = performance.now()
    this.#attempts.messageReceived()
    this.#dropReplaced()
    take()
  }

  #deliver(data: Data): void {
    this.session.receive(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  }

  #pause(): void {
    if (this.#socket?.pause) this.#socket.pause()
    else this.#drop()
  }

  #release(): void {
    this.#lastMessageAt = performance.now()
    for (const data of this.#held.splice(0)) this.#deliver(data)
  }

  #readOn(): void {
    if (this.#state !== 'live') return // a released message has paused reading again
    if (this.#socket) this.#socket.resume?.()
    else this.#on('gone')
  }

  /** Schedules the next attempt, or gives up after `reconnectMs`. */
  #retry(reason: string): void {
    this.#drop()
    const { url, reconnectMs } = this.endpoint
    const attempts = this.#attempts
    if (!attempts.wasConnected) {
      return this.#fail(`cannot reach ${url}${reason === '' ? '' : `: ${reason}`}. Is the service running?`)
    }
    attempts.failed()
    if (attempts.failingMs > reconnectMs) {
      return this.#fail(
        `${url} did not answer for ${Math.round(attempts.failingMs / 1000)} s${reason === '' ? '' : ` (${reason})`}`,
      )
    }
    this.#retryTimer = setTimeout(() => this.#on('due'), attempts.nextWait())
    this.session.disconnected?.()
  }

  #fail(message: string): void {
    this.close()
    this.session.fail(new PhoneError('unreachable', message, null, { cause: this.#failure }))
  }

  /** Closes the newest connection and discards its held messages; the next connection receives them again. */
  #drop(): void {
    clearTimeout(this.#retryTimer)
    this.#held = []
    const socket = this.#socket
    this.#socket = null
    if (socket) terminate(socket)
  }

  #dropReplaced(): void {
    if (this.#replaced) terminate(this.#replaced)
    this.#replaced = null
  }

  #stop(): void {
    clearInterval(this.#heartbeat)
    this.#drop()
    this.#dropReplaced()
  }

  /** Ignores the paused connection from now on, but keeps it open until its replacement has received a message. */
  #replace(): void {
    if (this.#socket) detach(this.#socket)
    this.#replaced = this.#socket
    this.#socket = null
    this.#held = []
  }

  #probe(): void {
    const now = performance.now()
    if (!this.#socket || now - this.#lastMessageAt < HEARTBEAT_MS / 2) return
    if (this.#pingedAt > this.#lastMessageAt) return this.#on('broken', 'the service does not answer')
    this.#pingedAt = now
    this.send('{"type":"ping"}')
  }
}

function detach(socket: Socket): void {
  socket.onopen = socket.onmessage = socket.onclose = null
  socket.onerror = () => {} // ws throws errors that have no listener
}

function terminate(socket: Socket): void {
  detach(socket)
  if (socket.terminate) socket.terminate()
  else socket.close()
}
