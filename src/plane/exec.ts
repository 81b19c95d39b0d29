import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, errorTable, type ExecRecord, isEnding, ShellphoneError } from '../schema/index.ts'
import { createEventReader } from '../transport/index.ts'
import type { Asking } from './ask.ts'
import type { Question } from './question.ts'

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
  /** key and run are on the phone's disk */
  onAccepted?(runId: string): void
  /** the phone is about to be asked about a run that has not ended as far as is known */
  onContact?(runId: string): void
  /** it waits for a person, or for a slot */
  onWaits?(runId: string): void
  /** not followed once the phone has it */
  untilAccepted?: boolean
}

/** A phone's words for why it took something not. */
export interface Refusal {
  status: number
  type: string
  message: string
}

/** What became of it, as far as is known. */
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
export const execute = (asking: Asking, order: Order): Promise<Outcome> => new Execution(asking, order).outcome()

class Execution {
  #runId: string | null = null
  #wasSent = false
  #heardAt = performance.now()

  constructor(
    readonly asking: Asking,
    readonly order: Order,
  ) {}

  async outcome(): Promise<Outcome> {
    const { signal, patienceMs } = this.order
    for (;;) {
      const found = await this.#step()
      if (found !== null) return found
      if (signal.aborted || performance.now() - this.#heardAt > patienceMs) return this.#unknown()
    }
  }

  #unknown(): Outcome {
    return this.#runId === null ? { state: 'silent' } : { state: 'running', runId: this.#runId }
  }

  /** null: to be asked again. */
  async #step(): Promise<Outcome | null> {
    try {
      return this.#runId === null ? await this.#begin() : await this.#follow(this.#runId)
    } catch (error) {
      const { code } = error as ShellphoneError
      if (code === 'PHONE_OFFLINE' && !this.#wasSent) return { state: 'offline' }
      if (code === 'BROKER_UNAVAILABLE' && !this.#wasSent) throw error
      if (this.order.untilAccepted && this.#runId !== null) return this.#unknown()
      if (!askAgain.has(code)) throw error
      this.#wasSent ||= code !== 'PHONE_OFFLINE'
      return this.#later()
    }
  }

  #question(more: Pick<Question, 'method' | 'path' | 'callClass'> & Partial<Question>): Question {
    const { name, by, home, signal } = this.order
    return { name, by, home, signal, isRepeatable: true, ...more }
  }

  async #begin(): Promise<Outcome | null> {
    const { key, body, onAccepted, onWaits, untilAccepted } = this.order
    const question = this.#question({
      ...{ callClass: 'run', method: 'POST', path: '/exec', window: FIRST_WINDOW, waitMs: FIRST_WAIT_MS },
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'idempotency-key': key },
      body: Buffer.from(JSON.stringify(body)),
    })
    const enough = new AbortController()
    const signal = untilAccepted ? AbortSignal.any([this.order.signal, enough.signal]) : this.order.signal
    const read = createEventReader()
    let record: ExecRecord | null = null
    let status = 0
    const other: Uint8Array[] = []
    await this.asking.ask({ ...question, signal }, (piece) => {
      this.#heardAt = performance.now()
      status ||= piece.status ?? 0
      const id = piece.headers?.['run-id']
      if (id !== undefined && this.#runId === null) {
        this.#runId = id
        onAccepted?.(id)
        enough.abort()
      }
      if (status !== 200) return void other.push(piece.data)
      for (const { event, data } of read(piece.data)) {
        if (event === 'note' && this.#runId !== null) onWaits?.(this.#runId)
        if (event === 'result') record = withoutType(data)
      }
    })
    this.#wasSent = true
    if (record !== null && this.#runId !== null) return { state: 'ended', runId: this.#runId, record }
    if (untilAccepted && this.#runId !== null) return this.#unknown()
    return status < 300 ? null : this.#refused(status, Buffer.concat(other))
  }

  async #follow(runId: string): Promise<Outcome | null> {
    this.order.onContact?.(runId)
    const path = `/runs/${runId}?wait_seconds=${RECORD_WAIT_SECONDS}`
    const answer = await this.asking.whole(
      this.#question({ callClass: 'read', method: 'GET', path, waitMs: RECORD_WAIT_MS }),
    )
    this.#heardAt = performance.now()
    if (answer.status === 409) return this.#refused(answer.status, answer.body) // another home
    if (answer.status === 404) this.#runId = null // it lost the run, and holds the key: it says so itself
    if (answer.status >= 300) return this.#later()
    if (answer.status === 0 || answer.end === 'more') return null
    const record = JSON.parse(answer.body.toString()) as ExecRecord
    if (record.status === 'queued') this.order.onWaits?.(runId)
    return isEnding(record.status) ? { state: 'ended', runId, record } : null
  }

  async #refused(status: number, body: Buffer): Promise<Outcome | null> {
    const refusal = toRefusal(status, body)
    return refusals.has(status) ? { state: 'refused', refusal } : this.#later()
  }

  async #later(): Promise<null> {
    await pause(AGAIN_MS, undefined, { signal: this.order.signal }).catch(() => {})
    return null
  }
}

const askAgain = new Set(['PHONE_OFFLINE', 'PHONE_SILENT', 'PHONE_GARBLED', 'BROKER_UNAVAILABLE', 'POOL_FULL'])

function withoutType(data: string): ExecRecord {
  const { type: _type, ...record } = JSON.parse(data)
  return record
}

/** The same as an error. */
export function toError(status: number, body: Buffer): ShellphoneError {
  const { type, message } = toRefusal(status, body)
  const code = (Object.keys(errorTable) as ErrorCode[]).find((one) => errorTable[one].type === type)
  return new ShellphoneError(code ?? 'EXECUTION_ERROR', message)
}

/** Why a phone did not take it, in its own words. */
function toRefusal(status: number, body: Buffer): Refusal {
  try {
    const { type, message } = JSON.parse(body.toString()).error
    return { status, type: String(type), message: String(message) }
  } catch {
    return { status, type: 'execution_error', message: `The phone answered with HTTP ${status}` }
  }
}
