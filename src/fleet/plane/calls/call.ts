import { ShellphoneError } from '../../../shared/schema/index.ts'
import { createEventReader } from '../../../shared/transport/index.ts'
import { failureOf } from './request-errors.ts'
import { callAfter, type CallEvent, type CallState, firstState, isEventStream, kindOf } from './call-states.ts'
import type { ExecutionParts } from './execution.ts'
import { closeChannel } from './feed.ts'
import { nextRequest, type SentSoFar } from './resume-call.ts'
import type { PhoneRequest } from './phone-request.ts'

/** Receives a phone's response as it arrives. */
export interface ResponseSink {
  begin(status: number, headers: Record<string, string>): void
  /** resolves when it can accept more */
  write(bytes: Uint8Array): Promise<void>
  end(trailers: Record<string, string>): void
  /** aborts a response that has begun and cannot be completed */
  cut(): void
}

/** The call fails if the phone sends nothing for this long. */
const MAX_SILENCE_MS = 60_000
const RETRY_MS = 500

/** One request to a phone and its response to the client, as a state machine with the table `callTable`. */
export class PhoneCall {
  #state: CallState
  #sent: SentSoFar = { status: 0, headers: {}, bytes: 0, eventId: null, channel: null }
  #lastPieceMs: number

  /** `onChannel`: called with the id of a channel that the phone opens. */
  constructor(
    readonly parts: ExecutionParts,
    readonly first: PhoneRequest,
    readonly to: ResponseSink,
    readonly onChannel: (id: string) => void = () => {},
  ) {
    this.#state = firstState(first)
    this.#lastPieceMs = parts.clock.monotonicMs()
  }

  /** Whether the client has received the head of the response. */
  get hasBegun(): boolean {
    return this.#sent.status > 0
  }

  /** Sends requests until the client has the whole response. Throws if the response cannot be completed. */
  async answer(): Promise<void> {
    while (this.#state !== 'whole') await this.#step()
  }

  /** Closes the channel on the phone, if there is one. */
  close(): void {
    const { channel } = this.#sent
    if (channel !== null) closeChannel(this.parts.phoneRequests, this.first, channel)
    this.#sent.channel = null
  }

  async #step(): Promise<void> {
    const { clock } = this.parts
    const { bytes } = this.#sent
    let error: unknown = null
    const event: CallEvent | null = await this.#request().catch((reason: ShellphoneError) => {
      error = reason
      return reason.code === 'EXPIRED' ? 'lost' : failureOf(reason)
    })
    if (error === null || this.#sent.bytes > bytes) this.#lastPieceMs = clock.monotonicMs()
    if (event !== 'eof' && this.#isWhole()) return this.#end({})
    const isOver =
      error !== null && (this.first.signal?.aborted || clock.monotonicMs() - this.#lastPieceMs > MAX_SILENCE_MS)
    const next = event === null || isOver ? null : callAfter(this.#state, event)
    if (next === null) throw error ?? this.#unfinished()
    this.#state = next
    if (error === null) return
    this.close()
    await clock.pause(RETRY_MS, this.first.signal)
  }

  #unfinished(): ShellphoneError {
    return new ShellphoneError('PHONE_SILENT', `${this.first.name} sent part of a response that cannot be resumed`)
  }

  /** Whether the client has received Content-Length bytes, so that it may already send its next request on this connection. */
  #isWhole(): boolean {
    const { headers, bytes } = this.#sent
    return bytes > 0 && bytes === Number(headers['content-length'])
  }

  #end(trailers: Record<string, string>): void {
    this.#state = 'whole'
    this.to.end(trailers)
  }

  /** Sends one request. Resolves with `eof` if its response completed the call. */
  async #request(): Promise<'more' | 'eof'> {
    const request = nextRequest(this.#state, this.first, this.#sent)
    if (request === null) throw this.#unfinished()
    const read = createEventReader()
    let last = Promise.resolve()
    let refused: ShellphoneError | null = null
    const { end, trailers } = await this.parts.phoneRequests.stream(
      request,
      ({ status, headers = {}, data, channel }) => {
        if (channel) this.#open(channel)
        if (status !== undefined) refused = this.#begin(request, status, headers)
        if (refused === null && data.length > 0) last = this.#forward(data, read)
      },
    )
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

  /** Passes the first head to the client and checks that a later one continues the same response. */
  #begin({ channel }: PhoneRequest, status: number, headers: Record<string, string>): ShellphoneError | null {
    if (channel?.id && status === 410) return lost(status) // the phone has closed the channel
    if (this.hasBegun) {
      const isStreamOver = status === 204 && isEventStream(this.#sent.headers)
      return isStreamOver || status === 200 || status === 206 ? null : lost(status)
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
