import { PLANE_CALLER } from '../schema/index.ts'
import type { Asking } from './ask.ts'
import { type Canceler, createCanceler } from './cancel.ts'
import type { Clock } from './clock.ts'
import { execute, type Outcome } from './exec.ts'
import type { IndexOfJobs } from './index-of-jobs.ts'
import { isSettled, type Job, type JobState, type Row, stateOf } from './job-words.ts'
import type { Link } from './link.ts'
import type { Log } from './parts.ts'
import type { Phones } from './phones.ts'
import { createRowWriter, type RowWriter } from './row-writer.ts'

export interface DeliveryParts {
  link: Link
  asking: Asking
  index: IndexOfJobs
  phones: Phones
  clock: Clock
  log: Log
}

/** next: on with the job behind it; away: the phone cannot be asked now. */
type Step = 'next' | 'away'

/** A phone that says nothing for so long is left until it says hello. */
const PATIENCE_MS = 15_000
/** What runs longer is told of while it runs. */
const TELL_MS = 2_000
/** Another plane may have been asked to cancel what is followed here. */
const READ_AGAIN_MS = 5_000
/** Of an output in a row, characters: the phone keeps it whole. */
const MAX_OUTPUT = 2_000

interface Delivery {
  /** Does what is to be done for a phone. Resolves with whether it is away. */
  deliver(name: string): Promise<boolean>
  /** The job's row says that it is canceled: whatever is followed here is ended; the rest is, when it is delivered. */
  cancel(name: string, job: string): void
}

/** `signal`: no more is begun, and nothing is followed. */
export function createDelivery(
  parts: DeliveryParts,
  onSettled: (state: JobState) => void,
  signal: AbortSignal,
): Delivery {
  const { index } = parts
  const following = new Map<string, { canceler: Canceler | null }>()
  return {
    async deliver(name) {
      let isThere: boolean | null = null
      const probe = async () => (isThere ??= await listens(parts, name))
      for (const job of index.of(name)) {
        const pair = `${name} ${job.id}`
        if (signal.aborted) return true
        if (following.has(pair)) continue
        const followed = { canceler: null }
        following.set(pair, followed)
        const begun = deliverOne(parts, { name, job, signal, followed, probe, onSettled })
        void begun.over.catch(() => {}).finally(() => following.delete(pair))
        if ((await begun.mayGoOn) === 'away') return true
      }
      return false
    },
    cancel: (name, job) => following.get(`${name} ${job}`)?.canceler?.want(),
  }
}

/** Asks for nothing: whether the phone listens, and is the one that is meant. */
async function listens({ asking, phones }: DeliveryParts, name: string): Promise<boolean> {
  const who = { name, by: PLANE_CALLER, home: phones.homeOf(name), isRepeatable: true }
  return asking.whole({ ...who, callClass: 'read', method: 'GET', path: '/health' }).then(
    ({ status }) => status === 200,
    () => false,
  )
}

interface Given {
  name: string
  job: Job
  signal: AbortSignal
  followed: { canceler: Canceler | null }
  probe(): Promise<boolean>
  onSettled(state: JobState): void
}

/** `mayGoOn`: it is over, or waits for a person. */
function deliverOne(parts: DeliveryParts, given: Given): { mayGoOn: Promise<Step>; over: Promise<Step> } {
  let goOn = (_step: Step) => {}
  const waits = new Promise<Step>((resolve) => (goOn = resolve))
  const over = carry(parts, given, () => goOn('next'))
  return { mayGoOn: Promise.race([over, waits]), over }
}

async function carry(parts: DeliveryParts, given: Given, onWaits: () => void): Promise<Step> {
  const { link, index, phones, clock } = parts
  const { name, job } = given
  const writer = await createRowWriter(link, name, job.id)
  const settle = (): Step => {
    if (index.settle(name, job.id)) given.onSettled(stateOf(job, writer.row, clock.brokerNow()))
    return 'next'
  }
  const { row } = writer
  if (row !== null && isSettled(row)) return settle()
  if (row === null && stateOf(job, row, clock.brokerNow()) === 'expired') return settle()
  if (row === null && (clock.brokerNow() > job.deadlineMs || phones.isRevoked(name))) return 'next'
  const home = phones.homeOf(name)
  if (row !== null && (phones.isRevoked(name) || (home !== undefined && home !== row.home))) {
    await writer.put({ state: 'unknown', reason: 'its home was wiped, replaced or retired after this was sent' })
    return settle()
  }
  phones.mustBeOne(name)
  if (home === undefined || !(await given.probe())) return 'away'
  if (row === null) await writer.put({ state: 'sent', home })
  if (writer.row !== null && isSettled(writer.row)) return settle() // another was faster: it was withdrawn
  return (await follow(parts, given, writer, onWaits)) ? settle() : 'away'
}

/** Asks until the phone has said how it ended, and writes that down. False: it cannot be asked now. */
async function follow(parts: DeliveryParts, given: Given, writer: RowWriter, onWaits: () => void): Promise<boolean> {
  const { asking } = parts
  const { name, job, signal } = given
  const home = writer.row?.home
  const who = { name, by: job.by, home }
  const canceler = createCanceler(asking, who, () => writer.row?.cancel === true)
  given.followed.canceler = canceler
  let readAt = performance.now()
  const endIfWanted = async (runId: string) => {
    if (performance.now() - readAt > READ_AGAIN_MS) {
      readAt = performance.now()
      await writer.refresh().catch(() => {}) // the broker is away: it is read again later
    }
    await canceler.act(runId)
  }
  let timer: NodeJS.Timeout | undefined
  const tell = (state: 'accepted' | 'running', run_id: string) => {
    writer.put({ state, run_id }).catch(() => {}) // what it ends with is told all the same
  }
  const outcome = await execute(asking, {
    ...{ ...who, body: job.request, key: job.id, signal, patienceMs: PATIENCE_MS },
    onAccepted(runId) {
      timer = setTimeout(tell, TELL_MS, 'running', runId)
      void endIfWanted(runId)
    },
    onContact: (runId) => void endIfWanted(runId),
    onWaits(runId) {
      tell('accepted', runId)
      onWaits()
    },
  }).finally(() => clearTimeout(timer))
  const last = lastRow(outcome, parts.phones.homeOf(name) !== home)
  if (last !== null) await writer.put(last)
  return last !== null
}

/** What is written of it; null: it is not over yet. */
function lastRow(outcome: Outcome, isOtherHome: boolean): (Partial<Row> & Pick<Row, 'state'>) | null {
  if (outcome.state === 'ended') {
    const { runId: run_id, record } = outcome
    const { status, exit_code, output } = record
    const isLong = output.length > MAX_OUTPUT
    const cut = { output: output.slice(0, MAX_OUTPUT), truncated: isLong || record.truncated }
    return { state: 'ended', run_id, status: status as NonNullable<Row['status']>, exit_code, ...cut }
  }
  if (outcome.state !== 'refused') return null
  const { type, message } = outcome.refusal
  if (type !== 'wrong_home') return { state: 'refused', reason: `${type}: ${message}` }
  return isOtherHome ? { state: 'unknown', reason: 'its home was wiped or replaced after this was sent' } : null
}
