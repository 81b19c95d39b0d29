import { createHash } from 'node:crypto'
import { DeliverPolicy } from '@nats-io/jetstream'
import { FLEET_MAX_BODY_BYTES, ShellphoneError } from '../../../shared/schema/index.ts'
import type { Clock } from '../broker/clock.ts'
import type { IndexOfJobs } from './index-of-jobs.ts'
import { isOver, type Job, type JobMessage, toJob } from './job-types.ts'
import type { JobRow } from './phone-results.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import { createRowWriter, readRow } from './row-writer.ts'
import {
  isOvertaken,
  JOBS,
  jobSubject,
  readLast,
  WORK,
  workSubject,
  writeAt,
  type StoredMessage,
} from '../broker/job-streams.ts'

/** The result of canceling a job on one phone. */
type CancelResult = 'withdrawn' | 'canceling' | 'settled'

export interface Jobs {
  /**
   * Stores a job. Resolves when the job is on the brokers' disks. A repeated key of the same user refers to the same job. Throws CONFLICT if that
   * key was used with another request, POOL_FULL if too many commands are unsettled, and TOO_LARGE. Throws BROKER_UNAVAILABLE if it is unknown
   * whether the job is stored; the caller should then submit it again.
   */
  submit(input: Omit<JobMessage, 'id'>, key: string): Promise<Job>
  /** Throws NOT_FOUND. */
  find(id: string): Promise<Job>
  /** The rows of a job, by the name of the phone. A phone to which nothing was sent has no row. */
  rows(job: Job): Promise<Map<string, StoredMessage<JobRow>>>
  /** Yields the existing rows, then each row as it is written, until `signal` aborts. */
  follow(job: Job, signal: AbortSignal): AsyncGenerator<[name: string, row: StoredMessage<JobRow>]>
  /** Cancels a job: withdraws it from phones to which it was not sent, and writes a cancellation to the rows of the others. */
  withdraw(job: Job): Promise<Map<string, CancelResult>>
}

const READ_AT_ONCE = 64

export function createJobs(link: BrokerLink, index: IndexOfJobs, clock: Clock, maxPairs: number): Jobs {
  const find: Jobs['find'] = async (id) => {
    const found = await readLast<JobMessage>(link, JOBS, jobSubject(id))
    if (found) return toJob(found.value, found.atMs)
    throw new ShellphoneError('NOT_FOUND', `No job has the id ${id}; jobs are stored for 8 days`)
  }
  return {
    find,
    async submit(input, key) {
      const message = { ...input, id: jobId(input.by, key) }
      if (index.pairs() + input.phones.length > maxPairs) {
        const text = `${index.pairs()} commands are already waiting for their phones (setting plane_max_pairs)`
        throw new ShellphoneError('POOL_FULL', text, { retryAfterSeconds: 60 })
      }
      checkSize(message)
      const written = await writeAt(link, jobSubject(message.id), message, 0).catch((error) => {
        if (isOvertaken(error)) return null
        throw error
      })
      if (written !== null) return toJob(message, clock.brokerNow())
      const known = await find(message.id)
      if (isSame(known, input)) return known
      throw new ShellphoneError('CONFLICT', 'Idempotency-Key: this key was already used with another request')
    },
    rows: (job) => readRows(link, job),
    follow: (job, signal) => followRows(link, job, signal),
    async withdraw(job) {
      const results = await Promise.all(
        job.phones.map(async (name) => [name, await withdrawOne(link, name, job, clock)] as const),
      )
      return new Map(results)
    },
  }
}

/** The id of a job. Every plane derives the same id from the same user and key. It is hexadecimal, so that it never looks like an option on a command line. */
export const jobId = (by: string, key: string) =>
  createHash('sha256').update(`${by}\n${key}`).digest('hex').slice(0, 32)

/** Whether two requests are the same. It does not compare the phones, because the set that matches the selector may have changed. */
const isSame = (known: JobMessage, input: Omit<JobMessage, 'id'>) =>
  JSON.stringify([known.request, known.ttl_seconds]) === JSON.stringify([input.request, input.ttl_seconds])

function checkSize(message: JobMessage): void {
  const bytes = Buffer.byteLength(JSON.stringify(message))
  if (bytes <= FLEET_MAX_BODY_BYTES) return
  throw new ShellphoneError(
    'TOO_LARGE',
    `job: expected at most ${FLEET_MAX_BODY_BYTES} bytes with its phones' names, got ${bytes}`,
  )
}

async function withdrawOne(link: BrokerLink, name: string, job: Job, clock: Clock): Promise<CancelResult> {
  const writer = await createRowWriter(link, name, job)
  if (isOver(job, writer.row, clock.brokerNow()) || !(await writer.put('cancel'))) return 'settled'
  return writer.row?.value.state === 'withdrawn' ? 'withdrawn' : 'canceling'
}

/** Reads the rows one by one from the leader, because last-per-subject consumers of nats-server 2.9 are unreliable after a restart and while rows change. */
async function readRows(link: BrokerLink, { id, phones }: Job): Promise<Map<string, StoredMessage<JobRow>>> {
  const rows = new Map<string, StoredMessage<JobRow>>()
  const left = phones[Symbol.iterator]()
  const some = async () => {
    for (const name of left) {
      const row = await readRow(link, name, id)
      if (row !== null) rows.set(name, row)
    }
  }
  await Promise.all(Array.from({ length: Math.min(READ_AT_ONCE, phones.length) }, some))
  return rows
}

async function* followRows(
  link: BrokerLink,
  job: Job,
  signal: AbortSignal,
): AsyncGenerator<[string, StoredMessage<JobRow>]> {
  const next = { filter_subjects: workSubject('*', job.id), deliver_policy: DeliverPolicy.New }
  const consumer = await link.js.consumers.get(WORK, next)
  const messages = await consumer.consume({ idle_heartbeat: 5_000 })
  const stop = () => messages.stop()
  const names = new Set(job.phones)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const known = await readRows(link, job)
    yield* known
    for await (const message of messages) {
      const { subject, seq: sequence, time } = message
      const name = nameIn(subject)
      const isNews = names.has(name) && sequence > (known.get(name)?.sequence ?? 0)
      if (isNews) yield [name, { value: message.json<JobRow>(), sequence, atMs: time.getTime() }]
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    consumer.delete().catch(() => {}) // if this fails, the broker removes the consumer later
  }
}

const nameIn = (subject: string) => subject.split('.')[2]!
