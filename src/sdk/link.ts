import { PhoneError } from './phone-error.ts'
import { LinkAttempts } from './link-attempts.ts'
import { type LinkAct, type LinkEvent, linkStates, type LinkState } from './link-states.ts'
import type { Socket, SocketClass } from './socket.ts'

/** Where the service is, and how it is reached. */
export interface Endpoint {
  /** http://… or https://… */
  url: string
  token: string
  WebSocket: SocketClass
  /** how long it is tried to find a lost connection again */
  reconnectMs: number
}

/** What goes over the connection, text or bytes. */
export type SocketData = string | Uint8Array<ArrayBuffer>

/** Who talks over a link. */
export interface Talk {
  /** what is said first on each new connection, behind the token */
  greet(): SocketData[]
  hear(data: SocketData): void
  /** the connection is gone, and is looked for */
  missed?(): void
  /** it is over: nobody answers, or no longer */
  lost(error: PhoneError): void
}

type Data = string | ArrayBuffer | Uint8Array<ArrayBuffer>

/** How often a silent connection is asked whether it lives; twice without an answer, it does not. */
const BEAT_MS = 15_000

/** States in which the newest WebSocket, where there is one, takes what is said. */
const openStates: readonly LinkState[] = ['greeting', 'live', 'draining', 'renewed']

/**
 * One WebSocket for one talk, opened anew whenever it is lost (after 50 ms, doubling to 10 s while nobody answers). The first must come about at once. A talker
 * that has enough says `stall`: it is read no further. The service closes a paused connection, which answers none of its pings, so every
 * 15 s a new one replaces it: the old one closes once the new one has received a message, so that the service counts this reader throughout.
 * Its states are those of link-states.ts.
 */
export class SocketLink {
  #state: LinkState = 'connecting'
  #socket: Socket | null = null
  /** the paused connection that the next one replaces */
  #replaced: Socket | null = null
  /** received by a connection that was opened while the talk had enough */
  #held: Data[] = []
  /** when a message came last, or the newest connection was begun */
  #heardAt = performance.now()
  readonly #attempts = new LinkAttempts(3 * BEAT_MS)
  #again: ReturnType<typeof setTimeout> | undefined
  readonly #beat = setInterval(() => this.#on('beat'), BEAT_MS)
  readonly #acts: Record<LinkAct, (detail: Data) => void> = {
    open: () => this.#open(),
    greet: () => this.#greet(),
    tell: (data) => this.#heard(() => this.#tell(data)),
    hold: (data) => this.#heard(() => this.#held.push(data)),
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
    readonly line: Endpoint,
    readonly talk: Talk,
  ) {
    this.#open()
  }

  get state(): LinkState {
    return this.#state
  }

  /** Says it, where there is a connection; else the next one's greeting must. */
  send(data: SocketData): void {
    if (openStates.includes(this.#state)) this.#socket?.send(data)
  }

  /** Reads no further. */
  stall(): void {
    this.#on('full')
  }

  /** Reads on. */
  resume(): void {
    this.#on('room')
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
    clearTimeout(this.#again)
    if (this.#socket) return // it is on its way
    this.#heardAt = performance.now()
    let trouble = ''
    try {
      const socket = new this.line.WebSocket(`${this.line.url.replace(/^http/, 'ws')}/ws`)
      if (socket.binaryType === 'blob') socket.binaryType = 'arraybuffer'
      socket.onopen = () => this.#on('opened')
      socket.onmessage = ({ data }) => this.#on('message', data)
      socket.onerror = ({ message }) => (trouble = message ?? '')
      socket.onclose = ({ reason }) => {
        if (openStates.includes(this.#state) && reason === '') this.#attempts.taken()
        this.#on('broken', reason || trouble)
      }
      this.#socket = socket
    } catch (error) {
      this.#on('broken', (error as Error).message)
    }
  }

  #greet(): void {
    const auth = JSON.stringify({ type: 'auth', token: this.line.token })
    for (const data of [auth, ...this.talk.greet()]) this.send(data)
  }

  #heard(take: () => void): void {
    this.#heardAt = performance.now()
    this.#attempts.heard()
    this.#dropReplaced()
    take()
  }

  #tell(data: Data): void {
    this.talk.hear(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  }

  #pause(): void {
    if (this.#socket?.pause) this.#socket.pause()
    else this.#drop()
  }

  #release(): void {
    this.#heardAt = performance.now()
    for (const data of this.#held.splice(0)) this.#tell(data)
  }

  #readOn(): void {
    if (this.#state !== 'live') return // it has enough again
    if (this.#socket) this.#socket.resume?.()
    else this.#on('gone')
  }

  /** The next attempt, unless they have taken too long. */
  #retry(trouble: string): void {
    this.#drop()
    const { url, reconnectMs } = this.line
    const attempts = this.#attempts
    const why = trouble === '' ? '' : ` (${trouble})`
    if (!attempts.hasHeard) return this.#fail(`${url} cannot be reached; is the service running?${why}`)
    attempts.failed()
    if (attempts.searchedMs > reconnectMs) {
      return this.#fail(`${url} did not answer for ${Math.round(attempts.searchedMs)} ms${why}`)
    }
    this.#again = setTimeout(() => this.#on('due'), attempts.nextWait())
    this.talk.missed?.()
  }

  #fail(message: string): void {
    this.close()
    this.talk.lost(new PhoneError('unreachable', message))
  }

  /** Nothing of it is heard any more: what it held is told again by the next one. */
  #drop(): void {
    clearTimeout(this.#again)
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
    clearInterval(this.#beat)
    this.#drop()
    this.#dropReplaced()
  }

  /** What nobody reads says nothing any more, and stays until the next one has been heard. */
  #replace(): void {
    if (this.#socket) silence(this.#socket)
    this.#replaced = this.#socket
    this.#socket = null
    this.#held = []
  }

  #probe(): void {
    const silentMs = performance.now() - this.#heardAt
    if (!this.#socket || silentMs < BEAT_MS) return
    if (silentMs > 2 * BEAT_MS) this.#on('broken', 'it does not answer')
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
