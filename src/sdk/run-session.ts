import { PhoneError, toPhoneError } from './phone-error.ts'
import { type Frame, fromFrame, type Stream } from './frames.ts'
import { type Endpoint, SocketLink, type SocketData, type LinkSession } from './link.ts'
import { createQueue } from './queue.ts'
import { Stdin, STDIN_REF } from './stdin.ts'
import type { AttachOptions, Note, Offsets, RunEvent, RunRecord, RunStatus } from './types.ts'

/** Output buffered for the reader. Above this the client stops reading from the service. */
const QUEUE_BYTES = 4_194_304
/** The client reports its read offsets after this many bytes or milliseconds. A run with `when_full: wait` depends on these reports. */
const REPORT_BYTES = 262_144
const REPORT_MS = 50
/** The size that the queue assumes for a message without output. */
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

function deferred<Value>(): Deferred<Value> {
  let settle!: Pick<Deferred<Value>, 'resolve' | 'reject'>
  const value = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }))
  value.catch(() => {}) // avoids an unhandled rejection; callers that await the promise still get the error
  return { value, ...settle }
}

/** The ref of the message that starts the session. If this message fails, the session fails. */
const REF = 'run'
const ALL_REF = 'all'

/** Follows a run over any number of connections and delivers every byte once, in order. */
export class RunSession implements LinkSession {
  id: string
  stdin: Stdin | null = null
  readonly at: Offsets
  /** settled when the service has accepted or refused the run */
  readonly started = deferred<void>()
  /** settled when the result has arrived, or can no longer arrive */
  readonly result = deferred<RunRecord>()
  #read: Offsets
  #unreportedBytes = 0
  #reportTimer: ReturnType<typeof setTimeout> | undefined
  #seen = new Set<string>()
  /** failed attempts to reconnect since the last message, and the lost connection itself */
  #losses = 0
  #isStarted = false
  readonly #link: SocketLink
  readonly #queue = createQueue<RunEvent>(QUEUE_BYTES, {
    full: () => this.#link.pauseReading(),
    drained: () => this.#link.resumeReading(),
  })

  /** `begin`: the message that starts a run, or the id of an existing run. */
  constructor(
    endpoint: Endpoint,
    readonly begin: object | string,
    readonly options: AttachOptions = {},
  ) {
    const { stdout = 0, stderr = 0 } = options
    this.at = { stdout, stderr }
    this.#read = { stdout, stderr }
    this.id = typeof begin === 'string' ? begin : ''
    this.#link = new SocketLink(endpoint, this)
  }

  greet(): SocketData[] {
    const frames = JSON.stringify({ type: 'frames', frames: 'binary' })
    if (this.id === '') return [frames, JSON.stringify({ type: 'exec', ref: REF, ...(this.begin as object) })]
    const attach = JSON.stringify({ type: 'attach', ref: REF, id: this.id, ...this.at })
    // the offsets come first, so that the service counts this reader before it sends output
    return [frames, ...this.#readOffsets(), attach, ...(this.stdin?.unacknowledged() ?? [])]
  }

  receive(data: SocketData): void {
    if (this.#losses >= 2) this.#queue.push({ type: 'connected' }, MESSAGE_BYTES)
    this.#losses = 0
    try {
      this.#take(typeof data === 'string' ? JSON.parse(data) : { type: 'output', ...fromFrame(data) })
    } catch (error) {
      this.fail(error instanceof PhoneError ? error : new PhoneError('unreachable', `${(error as Error).message}`))
    }
  }

  /** Most lost connections are replaced at once, which the reader need not know. */
  disconnected(): void {
    this.#losses++
    if (this.#losses === 2) this.#queue.push({ type: 'disconnected' }, MESSAGE_BYTES)
  }

  fail(error: PhoneError): void {
    this.#queue.end(error)
    this.#leave(error)
  }

  /** Yields the events from the initial offsets to the result, to a single reader. Leaves the run when the reader stops. */
  async *events(): AsyncGenerator<RunEvent, void> {
    try {
      for (let event = await this.#queue.next(); event !== null; event = await this.#queue.next()) {
        yield event
        if (event.type === 'output' || event.type === 'gap') this.#recordRead(event.stream, event.next_offset)
      }
    } finally {
      this.leave()
    }
  }

  /** Stops following. Events already received are still delivered. */
  leave(): void {
    this.#queue.end()
    this.#leave(new PhoneError('closed', 'the client no longer follows the run'))
  }

  send = (data: SocketData): void => this.#link.send(data)

  #take(message: RunMessage): void {
    if (message.type === 'error') return this.#fail(message)
    if ('id' in message) this.id = message.id
    if (this.id !== '') this.#start() // any message confirms the run
    if (message.type === 'output') return this.#output(message)
    if (message.type === 'stdin_taken') return this.#stdinTaken(message)
    if (message.type === 'accepted' || message.type === 'pong') return
    const mark = message.type === 'status' ? message.status : message.type === 'note' ? message.approval.id : 'result'
    if (this.#seen.has(mark)) return // each connection repeats these messages
    this.#seen.add(mark)
    if (message.type === 'result') this.#end(message)
    else this.#queue.push(message, MESSAGE_BYTES)
  }

  #stdinTaken({ id, offset }: { id: string; offset: number }): void {
    this.stdin?.taken(offset)
    if (this.#seen.has('stdin_open')) return
    this.#seen.add('stdin_open')
    this.#queue.push({ type: 'stdin_open', id }, MESSAGE_BYTES)
  }

  #start(): void {
    this.stdin ??= new Stdin(this.id, this.send, typeof this.begin === 'string' ? null : 0)
    this.#isStarted = true
    this.started.resolve()
  }

  /** Reports missing output as a gap, except for a canceled run. */
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
    clearTimeout(this.#reportTimer)
    this.started.reject(why)
    this.result.reject(why)
    this.stdin?.close(why)
    this.#link?.close()
  }

  /**
   * An error about stdin closes stdin; any other error ends the session. After a crash, the service may have stored less output than it had
   * sent. Then the client attaches from the start and skips the bytes that it already has.
   */
  #fail(message: Extract<RunMessage, { type: 'error' }>): void {
    const error = toPhoneError(message, 0)
    if (message.ref === STDIN_REF || message.id !== undefined) this.stdin?.close(error)
    else if (error.type !== 'out_of_range' || !this.#isStarted) this.fail(error)
    else this.send(JSON.stringify({ type: 'attach', ref: ALL_REF, id: this.id }))
  }

  /** Skips output up to `next_offset` that the service no longer stores. Throws PhoneError `gap` unless gaps are reported as events. */
  #skipTo(stream: Stream, next_offset: number): void {
    const offset = this.at[stream]
    if (next_offset <= offset) return
    if (this.options.gaps !== 'report') {
      throw new PhoneError('gap', `${stream} from byte ${offset} to ${next_offset} is no longer stored`)
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

  #recordRead(stream: Stream, offset: number): void {
    this.#unreportedBytes += offset - this.#read[stream]
    this.#read[stream] = offset
    if (this.#unreportedBytes >= REPORT_BYTES) this.#report()
    else this.#reportTimer ??= setTimeout(this.#report, REPORT_MS)
  }

  #report = (): void => {
    clearTimeout(this.#reportTimer)
    this.#reportTimer = undefined
    this.#unreportedBytes = 0
    for (const message of this.#readOffsets()) this.send(message)
  }

  /** The message with the offsets read so far. Each connection sends it again, because the last report may have been lost. */
  #readOffsets(): SocketData[] {
    return this.options.observe ? [] : [JSON.stringify({ type: 'output_taken', id: this.id, ...this.#read })]
  }
}
