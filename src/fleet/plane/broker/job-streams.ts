import { type ConsumerMessages, DeliverPolicy, type JsMsg, type StreamConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { setTimeout as pause } from 'node:timers/promises'
import { ShellphoneError } from '../../../shared/schema/index.ts'
import { retryUntilReady } from './bucket.ts'
import type { BrokerLink } from './broker-link.ts'
import type { Log } from '../plane-types.ts'

/** The streams delete jobs and their rows after this time. A job can wait at most a day less, so only settled or expired jobs are deleted. */
const MAX_AGE_MS = 8 * 86_400_000
export const JOBS = 'sp_jobs'
export const WORK = 'sp_work'
export const jobSubject = (job: string) => `sp.job.${job}`
export const workSubject = (name: string, job: string) => `sp.work.${name}.${job}`

const streams = [
  { name: JOBS, subjects: ['sp.job.*'] },
  { name: WORK, subjects: ['sp.work.*.*'], max_msgs_per_subject: 1 },
]

/** Creates the streams that do not exist yet. */
export async function openStreams({ jsm, replicas }: BrokerLink): Promise<void> {
  for (const stream of streams) {
    const config: Partial<StreamConfig> & { name: string } = {
      ...stream,
      ...{ storage: 'file', num_replicas: replicas, max_age: nanos(MAX_AGE_MS) },
    }
    await retryUntilReady(() => jsm.streams.add(config))
  }
}

/** Whether a write failed because another plane wrote to the subject first. */
export const isOvertaken = (error: unknown): boolean => (error as { code?: number }).code === WRONG_SEQUENCE
const WRONG_SEQUENCE = 10_071

/**
 * Publishes JSON on a subject whose newest message must have this sequence number (0: the subject must have no message). Resolves with the
 * new sequence number. Rejects with an error that `isOvertaken` recognizes if the newest message has another number, and with
 * BROKER_UNAVAILABLE if it is unknown whether the write was made.
 */
export async function writeAt(link: BrokerLink, subject: string, value: object, sequence: number): Promise<number> {
  link.mustBeUp()
  const expect = { lastSubjectSequence: sequence }
  try {
    return (await link.js.publish(subject, JSON.stringify(value), { expect })).seq
  } catch (error) {
    if (isOvertaken(error)) throw error
    throw unwritten(error as Error)
  }
}

const unwritten = ({ message }: Error) =>
  new ShellphoneError(
    'BROKER_UNAVAILABLE',
    `The broker does not currently accept writes (${message}); retry with the same key`,
  )

/** Reads the newest message of a subject from the leader, because copies may be out of date; null if the subject has no message. */
export async function readLast<T>(link: BrokerLink, stream: string, subject: string): Promise<StoredMessage<T> | null> {
  link.mustBeUp()
  const found = await link.jsm.streams.getMessage(stream, { last_by_subj: subject })
  return found === null ? null : { value: found.json<T>(), sequence: found.seq, atMs: found.time.getTime() }
}

/** A message of a stream. `atMs`: when the broker accepted it, in epoch milliseconds by its clock. */
export interface StoredMessage<T> {
  value: T
  sequence: number
  atMs: number
}

const RETRY_MS = 500
const HEARTBEAT_MS = 5_000

/**
 * Passes every message of a stream to `onMessage` in order, and reconnects forever. Resolves when all existing messages have been passed, with
 * a function that stops it.
 */
export async function followStream(
  link: BrokerLink,
  stream: string,
  onMessage: (message: JsMsg) => void,
  log: Log,
): Promise<() => void> {
  let last = 0
  let isOver = false
  let messages: ConsumerMessages | null = null
  const take = (message: JsMsg) => {
    last = message.seq
    onMessage(message)
  }
  const open = async () => {
    const { state } = await link.jsm.streams.info(stream)
    if (state.last_seq < last) last = 0 // the stream was created again
    const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: last + 1 }
    const consumer = await link.js.consumers.get(stream, last === 0 ? {} : start)
    messages = await consumer.consume({ idle_heartbeat: HEARTBEAT_MS })
    return state.last_seq
  }
  link.onChange((isUp) => isUp && messages?.stop())
  let caughtUp = () => {}
  const first = new Promise<void>((resolve) => (caughtUp = resolve))
  /** Never rejects. */
  const run = async () => {
    while (!isOver) {
      try {
        const goal = await open()
        if (last >= goal) caughtUp()
        for await (const message of messages!) {
          take(message)
          if (last >= goal) caughtUp()
        }
      } catch (error) {
        log({ stream, reason: (error as Error).message }, 'a stream cannot be read')
      }
      await pause(RETRY_MS)
    }
  }
  void run()
  await first
  return () => {
    isOver = true
    messages?.stop()
  }
}
