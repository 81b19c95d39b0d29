import { type ExecRecord, isEnding, type ShellphoneError } from '../../../shared/schema/index.ts'
import { createEventReader } from '../../../shared/transport/index.ts'
import type { PhoneRequests, Piece } from './phone-requests.ts'
import { type Failure, failureOf } from './request-errors.ts'
import type { Clock } from '../broker/clock.ts'
import { commandTable } from './command-states.ts'
import type { PhoneRequest } from './phone-request.ts'
import { type Refusal, toRefusal } from './refusal.ts'
import { runStates } from './state-table.ts'

export interface ExecutionParts {
  phoneRequests: PhoneRequests
  clock: Clock
}

/**
 * accepted: the key and the run are on the phone's disk. waits: the run waits for approval or for a slot. runs: the command has started.
 * contact: the control plane is about to request the record of a run that may not have ended.
 */
export type Progress = 'accepted' | 'waits' | 'runs' | 'contact'

/** One command for one phone. */
interface Command {
  name: string
  by: string
  /** the body of POST /exec */
  body: object
  /** the Idempotency-Key, with which the command runs once even if it is sent again */
  key: string
  home?: string | undefined
  /** aborted to stop following the command, which keeps running */
  signal: AbortSignal
  /** how long to wait for a phone that sends nothing, in milliseconds */
  maxSilenceMs: number
  onProgress?(progress: Progress, runId: string): void
  /** true: stop following the command once the phone has accepted it */
  untilAccepted?: boolean
}

/** The outcome of a command as far as it is known: an end state of `commandTable`. */
export type Outcome =
  | { state: 'ended'; runId: string; record: ExecRecord }
  /** the phone has the command, and the plane no longer follows it */
  | { state: 'running'; runId: string }
  | { state: 'refused'; refusal: Refusal }
  /** the command was not sent to the phone */
  | { state: 'offline' }
  /** the command was sent, and the outcome is unknown */
  | { state: 'silent' }

/** The maximum size of the first response, which contains all events of a short command. For longer commands, the plane requests the record. */
const FIRST_WINDOW = 65_536
const FIRST_WAIT_MS = 10_000
const RECORD_WAIT_SECONDS = 25
const RECORD_WAIT_MS = 30_000
/** The pause after a failed request. */
const RETRY_MS = 500
/** The statuses of final refusals. After any other error, the plane sends the request again. */
const refusals = new Set([400, 403, 404, 409, 410, 413, 415, 416, 422])

/** Runs a command until its record is known, `signal` aborts, or the phone sends nothing for too long. Throws BROKER_UNAVAILABLE if the command was not sent. */
export const execute = (parts: ExecutionParts, command: Command): Promise<Outcome> =>
  new Execution(parts, command).outcome()

/** One command, as a state machine with the table `commandTable`. */
class Execution {
  #runId = ''
  #record: ExecRecord | null = null
  #refusal: Refusal | null = null
  /** resolves when the first response has ended: with null, or with a failure */
  #firstResponse: Promise<Failure | null> = Promise.resolve(null)
  #lastPieceMs: number

  constructor(
    readonly parts: ExecutionParts,
    readonly command: Command,
  ) {
    this.#lastPieceMs = parts.clock.monotonicMs()
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
    const { signal, maxSilenceMs: patienceMs } = this.command
    return signal.aborted || this.parts.clock.monotonicMs() - this.#lastPieceMs > patienceMs
  }

  /** Sends POST /exec and waits until the phone has accepted or refused it. */
  async #begin(state: 'starting' | 'doubtful'): Promise<Failure | 'accepted' | 'refused'> {
    const enough = new AbortController()
    const errorBody: Uint8Array[] = []
    const read = createEventReader()
    let status = 0
    const accepted = new Promise<'accepted'>((resolve) => {
      const onPiece = (piece: Piece) => {
        this.#lastPieceMs = this.parts.clock.monotonicMs()
        status ||= piece.status ?? 0
        const id = piece.headers?.['run-id']
        if (id !== undefined && status < 300) {
          this.#runId = id
          this.#report('accepted')
          resolve('accepted')
          enough.abort()
        }
        if (status === 200) for (const { event, data } of read(piece.data)) this.#onEvent(event, data)
        else errorBody.push(piece.data)
      }
      const answer = this.parts.phoneRequests.stream(this.#execRequest(enough.signal), onPiece)
      this.#firstResponse = answer.then(
        () => null,
        (error) => this.#failed(error, state === 'starting'),
      )
    })
    const first = await Promise.race([accepted, this.#firstResponse])
    if (first !== null) return first
    return status < 300 ? 'unanswered' : this.#refused(status, Buffer.concat(errorBody))
  }

  /** The request POST /exec. `enough`: aborts when the phone has accepted it. */
  #execRequest(enough: AbortSignal): PhoneRequest {
    const { key, body, signal, untilAccepted } = this.command
    return this.#request({
      ...{ callClass: 'run', method: 'POST', path: '/exec', window: FIRST_WINDOW, waitMs: FIRST_WAIT_MS },
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'idempotency-key': key },
      body: Buffer.from(JSON.stringify(body)),
      signal: untilAccepted ? AbortSignal.any([signal, enough]) : signal,
    })
  }

  #request(more: Pick<PhoneRequest, 'method' | 'path' | 'callClass'> & Partial<PhoneRequest>): PhoneRequest {
    const { name, by, home, signal } = this.command
    return { name, by, home, signal, isRepeatable: true, ...more }
  }

  #onEvent(event: string, data: string): void {
    if (event === 'note') this.#report('waits')
    if (event === 'status' && JSON.parse(data).status === 'running') this.#report('runs')
    if (event === 'result') this.#record = withoutType(data)
  }

  #report(progress: Progress): void {
    this.command.onProgress?.(progress, this.#runId)
  }

  /** Reads the events of the first response to its end. */
  async #listen(): Promise<'recorded' | 'cut' | 'left'> {
    if (this.command.untilAccepted) return 'left'
    await this.#firstResponse
    return this.#record === null ? 'cut' : 'recorded'
  }

  async #follow(): Promise<Failure | 'recorded' | 'unfinished' | 'forgotten' | 'refused'> {
    this.#report('contact')
    const path = `/runs/${this.#runId}?wait_seconds=${RECORD_WAIT_SECONDS}`
    const request = this.#request({ callClass: 'read', method: 'GET', path, waitMs: RECORD_WAIT_MS })
    const answer = await this.parts.phoneRequests.fetch(request).catch((error) => this.#failed(error, false))
    if (typeof answer === 'string') return answer
    this.#lastPieceMs = this.parts.clock.monotonicMs()
    const { status, end, body } = answer
    if (status === 409) return this.#refused(status, body) // another home
    if (status === 404) return this.#later('forgotten')
    if (status >= 300) return this.#later('unanswered')
    if (status === 0 || end === 'more') return 'unfinished'
    const record = JSON.parse(body.toString()) as ExecRecord
    if (record.status === 'queued') this.#report('waits')
    if (record.status === 'running') this.#report('runs')
    if (!isEnding(record.status)) return 'unfinished'
    this.#record = record
    return 'recorded'
  }

  async #refused(status: number, body: Buffer): Promise<'refused' | 'unanswered'> {
    this.#refusal = toRefusal(status, body)
    return refusals.has(status) ? 'refused' : this.#later('unanswered')
  }

  /** Resolves with the failure after a pause. Throws the error if sending the request again would not help. `isFirst`: this was the first request. */
  async #failed(error: unknown, isFirst: boolean): Promise<Failure> {
    const { code } = error as ShellphoneError
    const failure = code === 'POOL_FULL' ? 'unanswered' : failureOf(error as ShellphoneError)
    if (failure === null || (isFirst && code === 'BROKER_UNAVAILABLE')) throw error
    return isFirst && failure === 'undelivered' ? failure : this.#later(failure)
  }

  async #later<E extends string>(event: E): Promise<E> {
    await this.parts.clock.pause(RETRY_MS, this.command.signal)
    return event
  }
}

function withoutType(data: string): ExecRecord {
  const { type: _type, ...record } = JSON.parse(data)
  return record
}
