import { type ExecRecord, isEnding, type ShellphoneError } from '../../../shared/schema/index.ts'
import { createEventReader } from '../../../shared/transport/index.ts'
import type { PhoneRequests, Piece } from './phone-requests.ts'
import { type Failure, failureOf } from './ask-errors.ts'
import type { Clock } from '../broker/clock.ts'
import { commandTable } from './command-states.ts'
import type { PhoneRequest } from './phone-request.ts'
import { type Refusal, toRefusal } from './refusal.ts'
import { runStates } from './state-table.ts'

export interface ExecutionParts {
  asking: PhoneRequests
  clock: Clock
}

/**
 * accepted: key and run are on the phone's disk. waits: for a person, or for a slot. runs: the command has begun. contact: the phone is
 * about to be asked about a run that has not ended as far as is known.
 */
export type News = 'accepted' | 'waits' | 'runs' | 'contact'

/** One command for one phone. */
interface Order {
  name: string
  by: string
  /** POST /exec's */
  body: object
  /** the phone's Idempotency-Key: asked again with it, it never runs again */
  key: string
  home?: string | undefined
  /** ends the following; the command runs on */
  signal: AbortSignal
  /** a phone that says nothing for so long is given up */
  patienceMs: number
  onNews?(news: News, runId: string): void
  /** not followed once the phone has it */
  untilAccepted?: boolean
}

/** What became of it, as far as is known: an end of `commandTable`. */
export type Outcome =
  | { state: 'ended'; runId: string; record: ExecRecord }
  /** the phone has it, and it is not followed further */
  | { state: 'running'; runId: string }
  | { state: 'refused'; refusal: Refusal }
  /** nobody listened: it was not sent */
  | { state: 'offline' }
  /** it was sent, and what became of it is not known */
  | { state: 'silent' }

/** The events of a short command come in one answer; of a longer one the record is asked for. */
const FIRST_WINDOW = 65_536
const FIRST_WAIT_MS = 10_000
const RECORD_WAIT_SECONDS = 25
const RECORD_WAIT_MS = 30_000
/** Between two questions that met nobody. */
const AGAIN_MS = 500
/** Refusals that hold; what is busy, or cannot say, is asked again. */
const refusals = new Set([400, 403, 404, 409, 410, 413, 415, 416, 422])

/** Asks until there is a record, or until `signal` or the patience ends it. BROKER_UNAVAILABLE: it was not sent. */
export const execute = (parts: ExecutionParts, order: Order): Promise<Outcome> => new Execution(parts, order).outcome()

/** Goes through `commandTable`. */
class Execution {
  #runId = ''
  #record: ExecRecord | null = null
  #refusal: Refusal | null = null
  /** reading the first answer; null: it was read to its end */
  #firstAnswer: Promise<Failure | null> = Promise.resolve(null)
  #heardAtMs: number

  constructor(
    readonly parts: ExecutionParts,
    readonly order: Order,
  ) {
    this.#heardAtMs = parts.clock.monotonicMs()
  }

  async outcome(): Promise<Outcome> {
    const state = await runStates(commandTable, 'starting', {
      starting: () => this.#begin('starting'),
      doubtful: async () => (this.#isLeft() ? 'left' : this.#begin('doubtful')),
      listening: () => this.#listen(),
      following: async () => (this.#isLeft() ? 'left' : this.#follow()),
    })
    if (state === 'ended') return { state, runId: this.#runId, record: this.#record! }
    if (state === 'refused') return { state, refusal: this.#refusal! }
    return state === 'running' ? { state, runId: this.#runId } : { state }
  }

  #isLeft(): boolean {
    const { signal, patienceMs } = this.order
    return signal.aborted || this.parts.clock.monotonicMs() - this.#heardAtMs > patienceMs
  }

  /** Asks the phone to run it, until it has said whether it does. */
  async #begin(state: 'starting' | 'doubtful'): Promise<Failure | 'accepted' | 'refused'> {
    const enough = new AbortController()
    const said: Uint8Array[] = []
    const read = createEventReader()
    let status = 0
    const accepted = new Promise<'accepted'>((resolve) => {
      const take = (piece: Piece) => {
        this.#heardAtMs = this.parts.clock.monotonicMs()
        status ||= piece.status ?? 0
        const id = piece.headers?.['run-id']
        if (id !== undefined && status < 300) {
          this.#runId = id
          this.#tell('accepted')
          resolve('accepted')
          enough.abort()
        }
        if (status === 200) for (const { event, data } of read(piece.data)) this.#hear(event, data)
        else said.push(piece.data)
      }
      const answer = this.parts.asking.ask(this.#runQuestion(enough.signal), take)
      this.#firstAnswer = answer.then(
        () => null,
        (error) => this.#failed(error, state === 'starting'),
      )
    })
    const first = await Promise.race([accepted, this.#firstAnswer])
    if (first !== null) return first
    return status < 300 ? 'unanswered' : this.#refused(status, Buffer.concat(said))
  }

  /** POST /exec; `enough`: the phone has it. */
  #runQuestion(enough: AbortSignal): PhoneRequest {
    const { key, body, signal, untilAccepted } = this.order
    return this.#question({
      ...{ callClass: 'run', method: 'POST', path: '/exec', window: FIRST_WINDOW, waitMs: FIRST_WAIT_MS },
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'idempotency-key': key },
      body: Buffer.from(JSON.stringify(body)),
      signal: untilAccepted ? AbortSignal.any([signal, enough]) : signal,
    })
  }

  #question(more: Pick<PhoneRequest, 'method' | 'path' | 'callClass'> & Partial<PhoneRequest>): PhoneRequest {
    const { name, by, home, signal } = this.order
    return { name, by, home, signal, isRepeatable: true, ...more }
  }

  #hear(event: string, data: string): void {
    if (event === 'note') this.#tell('waits')
    if (event === 'status' && JSON.parse(data).status === 'running') this.#tell('runs')
    if (event === 'result') this.#record = withoutType(data)
  }

  #tell(news: News): void {
    this.order.onNews?.(news, this.#runId)
  }

  /** The events of the first answer, to its end. */
  async #listen(): Promise<'recorded' | 'cut' | 'left'> {
    if (this.order.untilAccepted) return 'left'
    await this.#firstAnswer
    return this.#record === null ? 'cut' : 'recorded'
  }

  async #follow(): Promise<Failure | 'recorded' | 'unfinished' | 'forgotten' | 'refused'> {
    this.#tell('contact')
    const path = `/runs/${this.#runId}?wait_seconds=${RECORD_WAIT_SECONDS}`
    const question = this.#question({ callClass: 'read', method: 'GET', path, waitMs: RECORD_WAIT_MS })
    const answer = await this.parts.asking.whole(question).catch((error) => this.#failed(error, false))
    if (typeof answer === 'string') return answer
    this.#heardAtMs = this.parts.clock.monotonicMs()
    const { status, end, body } = answer
    if (status === 409) return this.#refused(status, body) // another home
    if (status === 404) return this.#later('forgotten')
    if (status >= 300) return this.#later('unanswered')
    if (status === 0 || end === 'more') return 'unfinished'
    const record = JSON.parse(body.toString()) as ExecRecord
    if (record.status === 'queued') this.#tell('waits')
    if (record.status === 'running') this.#tell('runs')
    if (!isEnding(record.status)) return 'unfinished'
    this.#record = record
    return 'recorded'
  }

  async #refused(status: number, body: Buffer): Promise<'refused' | 'unanswered'> {
    this.#refusal = toRefusal(status, body)
    return refusals.has(status) ? 'refused' : this.#later('unanswered')
  }

  /** Throws what asking again would not change. `isFirst`: nobody was asked before. */
  async #failed(error: unknown, isFirst: boolean): Promise<Failure> {
    const { code } = error as ShellphoneError
    const failure = code === 'POOL_FULL' ? 'unanswered' : failureOf(error as ShellphoneError)
    if (failure === null || (isFirst && code === 'BROKER_UNAVAILABLE')) throw error
    return isFirst && failure === 'unheard' ? failure : this.#later(failure)
  }

  async #later<E extends string>(event: E): Promise<E> {
    await this.parts.clock.pause(AGAIN_MS, this.order.signal)
    return event
  }
}

function withoutType(data: string): ExecRecord {
  const { type: _type, ...record } = JSON.parse(data)
  return record
}
