import { ShellphoneError } from '../../../shared/schema/index.ts'
import { createEventReader } from '../../../shared/transport/index.ts'
import { failureOf } from './ask-errors.ts'
import { callAfter, type CallEvent, type CallState, firstState, isEventStream, kindOf } from './call-states.ts'
import type { ExecutionParts } from './execution.ts'
import { closeChannel } from './feed.ts'
import { questionIn, type SentSoFar } from './resume-call.ts'
import type { PhoneRequest } from './phone-request.ts'

/** Where a phone's answer goes, as it comes. */
export interface ResponseSink {
  begin(status: number, headers: Record<string, string>): void
  /** resolves when there is room for more */
  write(bytes: Uint8Array): Promise<void>
  end(trailers: Record<string, string>): void
  /** what has begun cannot be ended well */
  cut(): void
}

/** A phone that says nothing for so long is given up. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 500

/** One request to a phone, whose answer goes to the client: goes through `callTable`. */
export class PhoneCall {
  #state: CallState
  #sent: SentSoFar = { status: 0, headers: {}, bytes: 0, eventId: null, channel: null }
  #heardAtMs: number

  /** `onChannel` is called with the id of a channel that the phone opens. */
  constructor(
    readonly parts: ExecutionParts,
    readonly first: PhoneRequest,
    readonly to: ResponseSink,
    readonly onChannel: (id: string) => void = () => {},
  ) {
    this.#state = firstState(first)
    this.#heardAtMs = parts.clock.monotonicMs()
  }

  /** The client has the head of an answer. */
  get hasBegun(): boolean {
    return this.#sent.status > 0
  }

  /** Asks until the client has all. Throws why it cannot have it. */
  async answer(): Promise<void> {
    while (this.#state !== 'whole') await this.#step()
  }

  /** Nobody pulls any more. */
  close(): void {
    const { channel } = this.#sent
    if (channel !== null) closeChannel(this.parts.asking, this.first, channel)
    this.#sent.channel = null
  }

  async #step(): Promise<void> {
    const { clock } = this.parts
    const { bytes } = this.#sent
    let error: unknown = null
    const event: CallEvent | null = await this.#ask().catch((reason: ShellphoneError) => {
      error = reason
      return reason.code === 'EXPIRED' ? 'lost' : failureOf(reason)
    })
    if (error === null || this.#sent.bytes > bytes) this.#heardAtMs = clock.monotonicMs()
    if (event !== 'eof' && this.#isWhole()) return this.#end({})
    const isOver = error !== null && (this.first.signal?.aborted || clock.monotonicMs() - this.#heardAtMs > PATIENCE_MS)
    const next = event === null || isOver ? null : callAfter(this.#state, event)
    if (next === null) throw error ?? this.#unfinished()
    this.#state = next
    if (error === null) return
    this.close()
    await clock.pause(AGAIN_MS, this.first.signal)
  }

  #unfinished(): ShellphoneError {
    return new ShellphoneError('PHONE_SILENT', `${this.first.name} sent part of a response that cannot be resumed`)
  }

  /** The client has all that it was told of, and may send its next request behind it. */
  #isWhole(): boolean {
    const { headers, bytes } = this.#sent
    return bytes > 0 && bytes === Number(headers['content-length'])
  }

  #end(trailers: Record<string, string>): void {
    this.#state = 'whole'
    this.to.end(trailers)
  }

  /** One question; resolves with whether its answer was the whole rest. */
  async #ask(): Promise<'more' | 'eof'> {
    const question = questionIn(this.#state, this.first, this.#sent)
    if (question === null) throw this.#unfinished()
    const read = createEventReader()
    let last = Promise.resolve()
    let refused: ShellphoneError | null = null
    const { end, trailers } = await this.parts.asking.ask(question, ({ status, headers = {}, data, channel }) => {
      if (channel) this.#open(channel)
      if (status !== undefined) refused = this.#begin(question, status, headers)
      if (refused === null && data.length > 0) last = this.#forward(data, read)
    })
    if (refused !== null) throw refused
    await last
    if (end === 'more') return 'more'
    this.#sent.channel = null
    this.to.end(trailers)
    return 'eof'
  }

  #open(channel: string): void {
    this.#sent.channel = channel
    this.#state = callAfter(this.#state, 'opened') ?? this.#state
    this.onChannel(channel)
  }

  /** The first answer's head goes to the client; a later one must be of the same thing. */
  #begin({ channel }: PhoneRequest, status: number, headers: Record<string, string>): ShellphoneError | null {
    if (channel?.id && status === 410) return lost(status) // the phone has closed the channel
    if (this.hasBegun) {
      const isToldAll = status === 204 && isEventStream(this.#sent.headers)
      return isToldAll || status === 200 || status === 206 ? null : lost(status)
    }
    Object.assign(this.#sent, { status, headers })
    this.#state = callAfter(this.#state, kindOf(this.first, headers)) ?? this.#state
    this.to.begin(status, headers)
    return null
  }

  #forward(data: Uint8Array, read: ReturnType<typeof createEventReader>): Promise<void> {
    if (!isEventStream(this.#sent.headers)) {
      this.#sent.bytes += data.length
      return this.to.write(data)
    }
    const whole = read(data)
    if (whole.length === 0) return Promise.resolve()
    for (const { id } of whole) if (id !== '') this.#sent.eventId = id
    const text = Buffer.from(whole.map((event) => event.text).join(''))
    this.#sent.bytes += text.length
    return this.to.write(text)
  }
}

const lost = (status: number) =>
  new ShellphoneError('EXPIRED', `the rest of the response is not available: HTTP ${status}`)
