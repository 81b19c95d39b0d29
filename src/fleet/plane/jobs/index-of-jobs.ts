import { DeliverPolicy } from '@nats-io/jetstream'
import { untilMade } from '../broker/bucket.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { Log } from '../plane-types.ts'
import { followStream, JOBS, WORK } from '../broker/job-streams.ts'
import { type Job, type JobMessage, type JobRow, toJob } from './job-types.ts'
import { isSettled } from './row-states.ts'

/** Which phone has which jobs before it: read from the streams, so that every plane can make it anew. */
export interface IndexOfJobs {
  /** in the order in which they were submitted */
  of(name: string): Job[]
  phones(): string[]
  /** Nothing is to be done for it any more; true where there was. */
  settle(name: string, job: string): boolean
  pairs(): number
  onJob(listener: (job: Job) => void): void
  close(): void
}

export async function openIndex(link: BrokerLink, log: Log): Promise<IndexOfJobs> {
  const unsettled = new Map<string, Map<string, Job>>()
  const listeners: ((job: Job) => void)[] = []
  const settled = await untilMade(() => readSettled(link))
  let pairs = 0
  const add = (job: Job) => {
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

/** All rows are read within this. */
const READ_MS = 60_000

const pairOf = (name: string, job: string) => `${name} ${job}`

/** What was settled before this plane began. */
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
