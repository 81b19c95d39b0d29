import { DeliverPolicy } from '@nats-io/jetstream'
import { retryUntilReady } from '../broker/bucket.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { Log } from '../plane-types.ts'
import { followStream, JOBS, WORK } from '../broker/job-streams.ts'
import { type Job, type JobMessage, toJob } from './job-types.ts'
import type { JobRow } from './phone-results.ts'
import { isSettled } from './row-states.ts'

/** The number of jobs that a plane can list. */
const MAX_NEWEST = 200

/** The newest jobs, and the unsettled jobs of each phone. Every plane builds this index from the streams. */
export interface IndexOfJobs {
  /** the jobs of a phone in the order in which they were submitted */
  of(name: string): Job[]
  phones(): string[]
  /** at most 200 jobs, the newest first; the broker may have deleted some of them */
  newest(): Pick<Job, 'id' | 'by'>[]
  /** whether the job has not settled on the phone */
  isOpen(name: string, job: string): boolean
  /** Removes a settled job of a phone. Returns false if it was not in the index. */
  settle(name: string, job: string): boolean
  /** the number of unsettled (phone, job) pairs */
  pairs(): number
  onJob(listener: (job: Job) => void): void
  close(): void
}

export async function openIndex(link: BrokerLink, log: Log): Promise<IndexOfJobs> {
  const unsettled = new Map<string, Map<string, Job>>()
  const newest = new Map<string, string>()
  const listeners: ((job: Job) => void)[] = []
  const settled = await retryUntilReady(() => readSettled(link))
  let pairs = 0
  const add = (job: Job) => {
    newest.set(job.id, job.by)
    if (newest.size > MAX_NEWEST) newest.delete(newest.keys().next().value!)
    for (const name of job.phones) {
      if (settled.has(pairOf(name, job.id))) continue
      const jobs = unsettled.get(name) ?? new Map<string, Job>()
      unsettled.set(name, jobs)
      if (!jobs.has(job.id)) pairs += 1
      jobs.set(job.id, job)
    }
    for (const listener of listeners) listener(job)
  }
  const close = await followStream(
    link,
    JOBS,
    (message) => add(toJob(message.json<JobMessage>(), message.time.getTime())),
    log,
  )
  settled.clear()
  return {
    of: (name) => [...(unsettled.get(name)?.values() ?? [])],
    phones: () => [...unsettled.keys()],
    newest: () => [...newest].reverse().map(([id, by]) => ({ id, by })),
    isOpen: (name, job) => unsettled.get(name)?.has(job) ?? false,
    settle(name, job) {
      const jobs = unsettled.get(name)
      const was = jobs?.delete(job) ?? false
      if (was) pairs -= 1
      if (jobs?.size === 0) unsettled.delete(name)
      return was
    },
    pairs: () => pairs,
    onJob: (listener) => void listeners.push(listener),
    close,
  }
}

/** The time limit for reading all rows. */
const READ_MS = 60_000

const pairOf = (name: string, job: string) => `${name} ${job}`

/** The pairs that were settled before this plane started. */
async function readSettled({ js, jsm }: BrokerLink): Promise<Set<string>> {
  const settled = new Set<string>()
  const { state } = await jsm.streams.info(WORK)
  if (state.messages === 0) return settled
  const consumer = await js.consumers.get(WORK, { deliver_policy: DeliverPolicy.All })
  const messages = await consumer.consume()
  const timer = setTimeout(() => messages.stop(), READ_MS)
  try {
    for await (const message of messages) {
      const [, , name = '', job = ''] = message.subject.split('.')
      if (isSettled(message.json<JobRow>().state)) settled.add(pairOf(name, job))
      if (message.seq >= state.last_seq) return settled
    }
  } finally {
    clearTimeout(timer)
    messages.stop()
  }
  throw new Error(`the rows could not be read within ${READ_MS} ms`)
}
