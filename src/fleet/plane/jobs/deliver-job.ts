import type { PhoneRequests } from '../calls/phone-requests.ts'
import { type Canceler, createCanceler } from '../calls/cancel.ts'
import type { Clock } from '../broker/clock.ts'
import { deliveryTable } from '../calls/command-states.ts'
import { execute, type News, type Outcome } from '../calls/execution.ts'
import type { IndexOfJobs } from './index-of-jobs.ts'
import { type Job, type JobRow, stateOf } from './job-types.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { Log } from '../plane-types.ts'
import type { Phones } from '../broker/phones.ts'
import { createRowWriter, type RowWriter } from './row-writer.ts'
import { isSettled, type JobState, type RowEvent } from './row-states.ts'
import { runStates } from '../calls/state-table.ts'

export interface DeliveryParts {
  link: BrokerLink
  asking: PhoneRequests
  index: IndexOfJobs
  phones: Phones
  clock: Clock
  log: Log
}

/** An end of `deliveryTable`. */
type Delivered = 'settled' | 'passed' | 'away'

/** A phone that says nothing for so long is left until it says hello. */
const PATIENCE_MS = 15_000
/** A run that takes longer is reported in its row before it ends. */
const REPORT_MS = 2_000
/** Another plane may have been asked to cancel what is followed here. */
const READ_AGAIN_MS = 5_000
/** Of an output in a row, characters: the phone keeps it whole. */
const MAX_OUTPUT = 2_000

interface OneDelivery {
  name: string
  job: Job
  /** nothing is followed any more */
  signal: AbortSignal
  /** whether the phone listens */
  probe(): Promise<boolean>
  /** It waits for a person, or for a slot: it holds the jobs behind it no longer. */
  onWaits(): void
  onSettled(state: JobState): void
}

/** One phone's part of one job, by one plane. Throws PHONE_CONFLICT, BROKER_UNAVAILABLE: it is tried again later. */
export function deliverJob(parts: DeliveryParts, given: OneDelivery): { canceler: Canceler; over: Promise<Delivered> } {
  const delivery = new JobDelivery(parts, given)
  return { canceler: delivery.canceler, over: delivery.outcome() }
}

/** What is written into the row in the end. */
interface FinalState {
  event: Extract<RowEvent, 'end' | 'refuse' | 'lose'>
  more: Omit<JobRow, 'state'>
}

const LOST = 'its home was wiped, replaced or retired after this was sent'

/** Goes through `deliveryTable`. */
class JobDelivery {
  readonly canceler: Canceler
  #writer!: RowWriter
  /** whose keys it is sent to */
  #home: string | undefined
  #lastWord: FinalState | null = null
  /** the event that is written into the row of a run that has not ended, once it is reported */
  #step: 'wait' | 'run' = 'wait'
  #isTold = false
  #readAtMs: number

  constructor(
    readonly parts: DeliveryParts,
    readonly given: OneDelivery,
  ) {
    this.canceler = createCanceler(parts, () => this.#whose())
    this.#readAtMs = parts.clock.monotonicMs()
  }

  async outcome(): Promise<Delivered> {
    const { parts, given } = this
    const end = await runStates(deliveryTable, 'reading', {
      reading: () => this.#read(),
      reaching: async () => ((await given.probe()) ? 'reached' : 'unreached'),
      claiming: () => this.#claim(),
      carrying: () => this.#carry(),
      closing: () => this.#close(),
    })
    if (end === 'settled' && parts.index.settle(given.name, given.job.id)) given.onSettled(this.#state())
    return end
  }

  #state(): JobState {
    return stateOf(this.given.job, this.#writer.row, this.parts.clock.brokerNow())
  }

  #whose() {
    const { name, job } = this.given
    return { name, by: job.by, home: this.#home }
  }

  async #read(): Promise<'open' | 'settled' | 'barred' | 'absent' | 'lost'> {
    const { link, phones } = this.parts
    const { name, job } = this.given
    this.#writer = await createRowWriter(link, name, job)
    const { row } = this.#writer
    const home = phones.homeOf(name)
    this.#home = row?.value.home ?? home
    if (isSettled(this.#state())) return 'settled'
    if (row === null && this.#isBarred()) return 'barred'
    if (row !== null && (phones.isRevoked(name) || (home !== undefined && home !== this.#home))) {
      this.#lastWord = { event: 'lose', more: { reason: LOST } }
      return 'lost'
    }
    phones.mustBeOne(name)
    return home === undefined ? 'absent' : 'open'
  }

  #isBarred(): boolean {
    const { clock, phones } = this.parts
    return clock.brokerNow() > this.given.job.deadlineMs || phones.isRevoked(this.given.name)
  }

  /** From here on it may have run. */
  async #claim(): Promise<'claimed' | 'settled' | 'barred'> {
    if (this.#writer.row === null && this.#isBarred()) return 'barred' // the phone took its time
    await this.#writer.put('send', { home: this.#home })
    this.#home = this.#writer.row?.value.home // another plane was faster
    return isSettled(this.#state()) ? 'settled' : 'claimed'
  }

  /** Asks until the phone has said how it ended, or cannot be asked now. */
  async #carry(): Promise<'over' | 'open'> {
    const { parts, given } = this
    const over = new AbortController()
    const outcome = await execute(parts, {
      ...{ ...this.#whose(), body: given.job.request, key: given.job.id },
      ...{ signal: given.signal, patienceMs: PATIENCE_MS },
      onNews: (news, runId) => this.#hear(news, runId, over.signal),
    }).finally(() => over.abort())
    const isOtherHome = parts.phones.homeOf(given.name) !== this.#home
    this.#lastWord = lastWord(outcome, isOtherHome)
    return this.#lastWord === null ? 'open' : 'over'
  }

  #hear(news: News, runId: string, over: AbortSignal): void {
    const tell = () => {
      this.#isTold = true
      this.#writer.put(this.#step, { run_id: runId }).catch(() => {}) // its end is written in any case
    }
    switch (news) {
      case 'accepted':
        void this.parts.clock.pause(REPORT_MS, over).then(() => over.aborted || tell())
        return void this.#contact(runId)
      case 'contact':
        return void this.#contact(runId)
      case 'waits':
        tell()
        return this.given.onWaits()
      case 'runs':
        this.#step = 'run'
        if (this.#isTold) tell()
    }
  }

  /** Ends the run where the job is canceled. Never rejects. */
  async #contact(runId: string): Promise<void> {
    const { clock } = this.parts
    if (clock.monotonicMs() - this.#readAtMs > READ_AGAIN_MS) {
      this.#readAtMs = clock.monotonicMs()
      await this.#writer.refresh().catch(() => {}) // the broker is away: it is read again later
    }
    if (this.#writer.row?.value.cancel) this.canceler.want()
    await this.canceler.contact(runId)
  }

  async #close(): Promise<'written'> {
    const { event, more } = this.#lastWord!
    await this.#writer.put(event, more)
    return 'written'
  }
}

/** null: it is not over yet. */
function lastWord(outcome: Outcome, isOtherHome: boolean): FinalState | null {
  if (outcome.state === 'ended') {
    const { runId: run_id, record } = outcome
    const { status, exit_code, output } = record
    const isLong = output.length > MAX_OUTPUT
    const cut = { output: output.slice(0, MAX_OUTPUT), truncated: isLong || record.truncated }
    return { event: 'end', more: { run_id, status: status as NonNullable<JobRow['status']>, exit_code, ...cut } }
  }
  if (outcome.state !== 'refused') return null
  const { type, message } = outcome.refusal
  if (type !== 'wrong_home') return { event: 'refuse', more: { reason: `${type}: ${message}` } }
  return isOtherHome ? { event: 'lose', more: { reason: LOST } } : null
}
