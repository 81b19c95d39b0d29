import type { PhoneRequests } from '../calls/phone-requests.ts'
import { type Canceler, createCanceler } from '../calls/cancel.ts'
import type { Clock } from '../broker/clock.ts'
import { deliveryTable } from '../calls/command-states.ts'
import { execute, type Progress, type Outcome } from '../calls/execution.ts'
import type { IndexOfJobs } from './index-of-jobs.ts'
import { type Job, stateOf } from './job-types.ts'
import { endOf, type JobRow } from './phone-results.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { Log } from '../plane-types.ts'
import type { Phones } from '../broker/phones.ts'
import { createRowWriter, type RowWriter } from './row-writer.ts'
import { isSettled, type JobState, type RowEvent } from './row-states.ts'
import { runStates } from '../calls/state-table.ts'

export interface DeliveryParts {
  link: BrokerLink
  phoneRequests: PhoneRequests
  index: IndexOfJobs
  phones: Phones
  clock: Clock
  log: Log
}

/** An end state of `deliveryTable`. */
type DeliveryEnd = 'settled' | 'passed' | 'away'

/** If a phone sends nothing for this long, the delivery ends until the phone's next hello or the next retry. */
const MAX_SILENCE_MS = 15_000
/** A run that takes longer than this is written to its row before it ends. */
const REPORT_MS = 2_000
/** The interval between reads of the row, to which another plane may have written a cancellation. */
const REREAD_MS = 5_000
/** The maximum number of characters of output in a row. The phone stores the whole output. */
const MAX_OUTPUT = 2_000

interface DeliveryOptions {
  name: string
  job: Job
  /** aborted to stop following the run */
  signal: AbortSignal
  /** resolves with true if the phone responds */
  probe(): Promise<boolean>
  /** Called when the run waits for approval or for a slot, so that the next jobs can be delivered. */
  onWaits(): void
  onSettled(state: JobState): void
}

/** Delivers one job to one phone. If `over` rejects with PHONE_CONFLICT or BROKER_UNAVAILABLE, the caller retries the delivery later. */
export function deliverJob(
  parts: DeliveryParts,
  options: DeliveryOptions,
): { canceler: Canceler; over: Promise<DeliveryEnd> } {
  const delivery = new JobDelivery(parts, options)
  return { canceler: delivery.canceler, over: delivery.outcome() }
}

/** The last write of a row. */
interface FinalState {
  event: Extract<RowEvent, 'end' | 'refuse' | 'lose'>
  more: Omit<JobRow, 'state'>
}

const LOST = "the phone's home was wiped, replaced or retired after the job was sent"

/** One delivery, as a state machine with the table `deliveryTable`. */
class JobDelivery {
  readonly canceler: Canceler
  #writer!: RowWriter
  /** the id of the home to which the job is sent */
  #home: string | undefined
  #finalState: FinalState | null = null
  /** the event to write before the run ends */
  #step: 'wait' | 'run' = 'wait'
  #isReported = false
  #readAtMs: number

  constructor(
    readonly parts: DeliveryParts,
    readonly options: DeliveryOptions,
  ) {
    this.canceler = createCanceler(parts, () => this.#owner())
    this.#readAtMs = parts.clock.monotonicMs()
  }

  async outcome(): Promise<DeliveryEnd> {
    const { parts, options } = this
    const end = await runStates(deliveryTable, 'reading', {
      reading: () => this.#read(),
      reaching: async () => ((await options.probe()) ? 'reached' : 'unreached'),
      claiming: () => this.#claim(),
      carrying: () => this.#execute(),
      closing: () => this.#close(),
    })
    if (end === 'settled' && parts.index.settle(options.name, options.job.id)) options.onSettled(this.#state())
    return end
  }

  #state(): JobState {
    return stateOf(this.options.job, this.#writer.row, this.parts.clock.brokerNow())
  }

  #owner() {
    const { name, job } = this.options
    return { name, by: job.by, home: this.#home }
  }

  async #read(): Promise<'open' | 'settled' | 'barred' | 'absent' | 'lost'> {
    const { link, phones } = this.parts
    const { name, job } = this.options
    this.#writer = await createRowWriter(link, name, job)
    const { row } = this.#writer
    const home = phones.homeOf(name)
    this.#home = row?.value.home ?? home
    if (isSettled(this.#state())) return 'settled'
    if (row === null && this.#isBarred()) return 'barred'
    if (row !== null && (phones.isRevoked(name) || (home !== undefined && home !== this.#home))) {
      this.#finalState = { event: 'lose', more: { reason: LOST } }
      return 'lost'
    }
    phones.mustBeOne(name)
    return home === undefined ? 'absent' : 'open'
  }

  #isBarred(): boolean {
    const { clock, phones } = this.parts
    return clock.brokerNow() > this.options.job.deadlineMs || phones.isRevoked(this.options.name)
  }

  /** Writes the row before the first send. After that, the command may have run. */
  async #claim(): Promise<'claimed' | 'settled' | 'barred'> {
    if (this.#writer.row === null && this.#isBarred()) return 'barred' // the job may have expired during the probe
    await this.#writer.put('send', { home: this.#home })
    this.#home = this.#writer.row?.value.home // another plane may have written the row first
    return isSettled(this.#state()) ? 'settled' : 'claimed'
  }

  /** Runs the command until its outcome is known, or the phone cannot be reached. */
  async #execute(): Promise<'over' | 'open'> {
    const { parts, options } = this
    const over = new AbortController()
    const outcome = await execute(parts, {
      ...{ ...this.#owner(), body: options.job.request, key: options.job.id },
      ...{ signal: options.signal, maxSilenceMs: MAX_SILENCE_MS },
      onProgress: (progress, runId) => this.#onProgress(progress, runId, over.signal),
    }).finally(() => over.abort())
    const isOtherHome = parts.phones.homeOf(options.name) !== this.#home
    this.#finalState = finalStateOf(outcome, isOtherHome)
    return this.#finalState === null ? 'open' : 'over'
  }

  #onProgress(progress: Progress, runId: string, over: AbortSignal): void {
    const report = () => {
      this.#isReported = true
      this.#writer.put(this.#step, { run_id: runId }).catch(() => {}) // the final state is written in any case
    }
    switch (progress) {
      case 'accepted':
        void this.parts.clock.pause(REPORT_MS, over).then(() => over.aborted || report())
        return void this.#contact(runId)
      case 'contact':
        return void this.#contact(runId)
      case 'waits':
        report()
        return this.options.onWaits()
      case 'runs':
        this.#step = 'run'
        if (this.#isReported) report()
    }
  }

  /** Cancels the run if the job is canceled. Never rejects. */
  async #contact(runId: string): Promise<void> {
    const { clock } = this.parts
    if (clock.monotonicMs() - this.#readAtMs > REREAD_MS) {
      this.#readAtMs = clock.monotonicMs()
      await this.#writer.refresh().catch(() => {}) // the broker is not available; the next contact tries again
    }
    if (this.#writer.row?.value.cancel) this.canceler.want()
    await this.canceler.contact(runId)
  }

  async #close(): Promise<'written'> {
    const { event, more } = this.#finalState!
    await this.#writer.put(event, more)
    return 'written'
  }
}

/** The final state for an outcome; null: the command has not ended. */
function finalStateOf(outcome: Outcome, isOtherHome: boolean): FinalState | null {
  if (outcome.state === 'ended') {
    const { runId: run_id, record } = outcome
    const { output } = record
    const isLong = output.length > MAX_OUTPUT
    const cut = { output: output.slice(0, MAX_OUTPUT), truncated: isLong || record.truncated }
    return { event: 'end', more: { run_id, ...endOf(record), ...cut } }
  }
  if (outcome.state !== 'refused') return null
  const { type, message } = outcome.refusal
  if (type !== 'wrong_home') return { event: 'refuse', more: { reason: `${type}: ${message}` } }
  return isOtherHome ? { event: 'lose', more: { reason: LOST } } : null
}
