import { type ConsumerMessages, DeliverPolicy, type JsMsg, type StreamConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { setTimeout as pause } from 'node:timers/promises'
import { ShellphoneError } from '../../../shared/schema/index.ts'
import { untilMade } from './bucket.ts'
import type { BrokerLink } from './broker-link.ts'
import type { Log } from '../plane-types.ts'

/** Jobs and their rows are forgotten after so long; a job lasts a day less, so that nothing is forgotten that still counts. */
const KEEP_MS = 8 * 86_400_000
export const JOBS = 'sp_jobs'
export const WORK = 'sp_work'
export const jobSubject = (job: string) => `sp.job.${job}`
export const workSubject = (name: string, job: string) => `sp.work.${name}.${job}`

const streams = [
  { name: JOBS, subjects: ['sp.job.*'] },
  { name: WORK, subjects: ['sp.work.*.*'], max_msgs_per_subject: 1 },
]

/** Makes the streams where they are not there. */
export async function openStreams({ jsm, replicas }: BrokerLink): Promise<void> {
  for (const stream of streams) {
    const config: Partial<StreamConfig> & { name: string } = {
      ...stream,
      ...{ storage: 'file', num_replicas: replicas, max_age: nanos(KEEP_MS) },
    }
    await untilMade(() => jsm.streams.add(config))
  }
}

/** Another has written there before: it is read again. */
export const isOvertaken = (error: unknown): boolean => (error as { code?: number }).code === WRONG_SEQUENCE
const WRONG_SEQUENCE = 10_071

/** JSON on a subject whose newest message has this number, 0: there is none. Resolves with the new number. */
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
  new ShellphoneError('BROKER_UNAVAILABLE', `The broker does not accept it now (${message}); retry with the same key`)

/** What was written there last, from the leader: copies may be behind. */
export async function readLast<T>(link: BrokerLink, stream: string, subject: string): Promise<StoredMessage<T> | null> {
  link.mustBeUp()
  const found = await link.jsm.streams.getMessage(stream, { last_by_subj: subject })
  return found === null ? null : { value: found.json<T>(), sequence: found.seq, atMs: found.time.getTime() }
}

/** A message of a stream. `atMs`: when the broker took it, by its clock. */
export interface StoredMessage<T> {
  value: T
  sequence: number
  atMs: number
}

const AGAIN_MS = 500
const HEARTBEAT_MS = 5_000

/** Every message of a stream in its order, for ever, over lost connections and brokers. Resolves with its end when all that was there is told. */
export async function followStream(
  link: BrokerLink,
  stream: string,
  hear: (message: JsMsg) => void,
  log: Log,
): Promise<() => void> {
  let last = 0
  let isOver = false
  let messages: ConsumerMessages | null = null
  const take = (message: JsMsg) => {
    last = message.seq
    hear(message)
  }
  const open = async () => {
    const { state } = await link.jsm.streams.info(stream)
    if (state.last_seq < last) last = 0 // it was made anew
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
      await pause(AGAIN_MS)
    }
  }
  void run()
  await first
  return () => {
    isOver = true
    messages?.stop()
  }
}
