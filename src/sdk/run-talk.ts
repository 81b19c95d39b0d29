import { PhoneError, toPhoneError } from './phone-error.ts'
import { type Frame, fromFrame, type Stream } from './frames.ts'
import { type Endpoint, SocketLink, type SocketData, type Talk } from './link.ts'
import { createQueue } from './queue.ts'
import { Stdin, STDIN_REF } from './stdin.ts'
import type { AttachOptions, Note, Offsets, RunEvent, RunRecord, RunStatus } from './types.ts'

/** Output that waits for its reader; with more, the service is not read from. */
const QUEUE_BYTES = 4_194_304
/** How often the service is told what was read, which a run that waits for its reader goes by. */
const SAY_BYTES = 262_144
const SAY_MS = 50
/** What a message weighs beside output. */
const MESSAGE_BYTES = 1024

type RunMessage =
  | { type: 'accepted'; id: string }
  | { type: 'status'; id: string; status: RunStatus }
  | { type: 'note'; id: string; note: Note; approval: { id: string; expires_at: string } }
  | ({ type: 'result' } & RunRecord)
  | { type: 'stdin_taken'; id: string; offset: number }
  | { type: 'error'; ref?: string; id?: string; error: { type: string; message: string; field: string | null } }
  | ({ type: 'output' } & Frame)
  | { type: 'pong' }

interface Deferred<Value> {
  value: Promise<Value>
  resolve(value: Value): void
  reject(error: PhoneError): void
}

function promise<Value>(): Deferred<Value> {
  let settle!: Pick<Deferred<Value>, 'resolve' | 'reject'>
  const value = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }))
  value.catch(() => {}) // who waits for it hears of it
  return { value, ...settle }
}

/** The ref of what begins the talk: without it there is none. */
const REF = 'run'
const ALL_REF = 'all'

/** A run as it is told over as many connections as it takes: every byte once, in order. */
export class RunTalk implements Talk {
  id: string
  stdin: Stdin | null = null
  readonly at: Offsets
  /** settled when the service has taken it, or not */
  readonly started = promise<void>()
  /** settled when its result was heard, or never will be */
  readonly result = promise<RunRecord>()
  #read: Offsets
  #unsaid = 0
  #saying: ReturnType<typeof setTimeout> | undefined
  #told = new Set<string>()
  #isStarted = false
  readonly #link: SocketLink
  readonly #queue = createQueue<RunEvent>(QUEUE_BYTES, {
    full: () => this.#link.stall(),
    room: () => this.#link.resume(),
  })

  /** `begin`: the message that starts it, or the id of one that there is. */
  constructor(
    line: Endpoint,
    readonly begin: object | string,
    readonly options: AttachOptions = {},
  ) {
    const { stdout = 0, stderr = 0 } = options
    this.at = { stdout, stderr }
    this.#read = { stdout, stderr }
    this.id = typeof begin === 'string' ? begin : ''
    this.#link = new SocketLink(line, this)
  }

  greet(): SocketData[] {
    const frames = JSON.stringify({ type: 'frames', frames: 'binary' })
    if (this.id === '') return [frames, JSON.stringify({ type: 'exec', ref: REF, ...(this.begin as object) })]
    const attach = JSON.stringify({ type: 'attach', ref: REF, id: this.id, ...this.at })
    // the service counts this reader before it sends anything
    return [frames, ...this.#readSoFar(), attach, ...(this.stdin?.again() ?? [])]
  }

  hear(data: SocketData): void {
    try {
      this.#take(typeof data === 'string' ? JSON.parse(data) : { type: 'output', ...fromFrame(data) })
    } catch (error) {
      this.lost(error instanceof PhoneError ? error : new PhoneError('unreachable', `${(error as Error).message}`))
    }
  }

  lost(error: PhoneError): void {
    this.#queue.end(error)
    this.#leave(error)
  }

  /** What happens, from the first offsets to the result. For one reader; who stops reading leaves. */
  async *events(): AsyncGenerator<RunEvent, void> {
    try {
      for (let event = await this.#queue.next(); event !== null; event = await this.#queue.next()) {
        yield event
        if (event.type === 'output' || event.type === 'gap') this.#took(event.stream, event.next_offset)
      }
    } finally {
      this.leave()
    }
  }

  /** What has come is still told; no more comes. */
  leave(): void {
    this.#queue.end()
    this.#leave(new PhoneError('closed', 'the run was left'))
  }

  send = (data: SocketData): void => this.#link.send(data)

  #take(message: RunMessage): void {
    if (message.type === 'error') return this.#trouble(message)
    if ('id' in message) this.id = message.id
    if (this.id !== '') this.#start() // whatever has come: the service speaks, and it is known of which run
    if (message.type === 'output') return this.#output(message)
    if (message.type === 'stdin_taken') return this.#stdinTaken(message)
    if (message.type === 'accepted' || message.type === 'pong') return
    const mark = message.type === 'status' ? message.status : message.type === 'note' ? message.approval.id : 'result'
    if (this.#told.has(mark)) return // each connection is told them anew
    this.#told.add(mark)
    if (message.type === 'result') this.#end(message)
    else this.#queue.push(message, MESSAGE_BYTES)
  }

  #stdinTaken({ id, offset }: { id: string; offset: number }): void {
    this.stdin?.taken(offset)
    if (this.#told.has('stdin_open')) return
    this.#told.add('stdin_open')
    this.#queue.push({ type: 'stdin_open', id }, MESSAGE_BYTES)
  }

  #start(): void {
    this.stdin ??= new Stdin(this.id, this.send, typeof this.begin === 'string' ? null : 0)
    this.#isStarted = true
    this.started.resolve()
  }

  /** What it said and is kept no longer is no silent hole; who cancels it gives the rest up. */
  #end(event: { type: 'result' } & RunRecord): void {
    const { status, stdout_bytes, stderr_bytes } = event
    this.result.resolve(event)
    if (status !== 'canceled') {
      this.#skipTo('stdout', stdout_bytes)
      this.#skipTo('stderr', stderr_bytes)
    }
    this.#queue.push(event, MESSAGE_BYTES)
    this.#queue.end()
    this.#leave(new PhoneError('conflict', `run ${this.id} has ended`))
  }

  #leave(why: PhoneError): void {
    clearTimeout(this.#saying)
    this.started.reject(why)
    this.result.reject(why)
    this.stdin?.close(why)
    this.#link?.close()
  }

  /**
   * Of stdin it is the end of stdin, else the end. A service that crashed may keep less than it told: then its record is asked for with
   * all that there is, of which the bytes that came before are left out.
   */
  #trouble(message: Extract<RunMessage, { type: 'error' }>): void {
    const error = toPhoneError(message, 0)
    if (message.ref === STDIN_REF || message.id !== undefined) this.stdin?.close(error)
    else if (error.type !== 'out_of_range' || !this.#isStarted) this.lost(error)
    else this.send(JSON.stringify({ type: 'attach', ref: ALL_REF, id: this.id }))
  }

  /** Output between what came and `next_offset` is no longer stored. Throws PhoneError where that is not to be reported. */
  #skipTo(stream: Stream, next_offset: number): void {
    const offset = this.at[stream]
    if (next_offset <= offset) return
    if (this.options.gaps !== 'report') {
      throw new PhoneError('gap', `${stream} from byte ${offset} to ${next_offset} is no longer kept`)
    }
    this.at[stream] = next_offset
    this.#queue.push({ type: 'gap', stream, offset, next_offset }, MESSAGE_BYTES)
  }

  #output({ stream, offset, bytes }: Frame): void {
    this.#skipTo(stream, offset)
    const at = this.at[stream]
    const fresh = bytes.subarray(at - offset)
    if (fresh.length === 0) return
    const next = at + fresh.length
    this.at[stream] = next
    this.#queue.push({ type: 'output', stream, offset: at, next_offset: next, bytes: fresh }, fresh.length)
  }

  #took(stream: Stream, offset: number): void {
    this.#unsaid += offset - this.#read[stream]
    this.#read[stream] = offset
    if (this.#unsaid >= SAY_BYTES) this.#say()
    else this.#saying ??= setTimeout(this.#say, SAY_MS)
  }

  #say = (): void => {
    clearTimeout(this.#saying)
    this.#saying = undefined
    this.#unsaid = 0
    for (const message of this.#readSoFar()) this.send(message)
  }

  /** What a run that waits for its reader must know, again on each connection: the last one may have been cut before it came. */
  #readSoFar(): SocketData[] {
    return this.options.observe ? [] : [JSON.stringify({ type: 'output_taken', id: this.id, ...this.#read })]
  }
}
