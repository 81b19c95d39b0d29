import { JetStreamApiError } from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm } from '@nats-io/kv'
import { PermissionViolationError } from '@nats-io/transport-node'
import { setTimeout as pause } from 'node:timers/promises'
import { boundedJson } from '../../../shared/schema/index.ts'
import type { BrokerLink } from './broker-link.ts'
import { createLatest } from './latest.ts'
import type { Log } from '../plane-types.ts'

/** One key of a bucket as it changed; null: it is gone. `atMs`: epoch milliseconds, by the broker's clock; null: now. */
type Change = (key: string, value: unknown, atMs: number | null) => void

export interface Bucket {
  kv: KV
  /** Acknowledged by the broker and reported when it resolves. */
  put(key: string, value: object): Promise<void>
  /** The same for a key that is to be gone. */
  remove(key: string): Promise<void>
  close(): void
}

const AGAIN_MS = 500
/** A fresh cluster, or one whose leader is away, has no peers for a stream for some seconds. */
const MAKE_TRIES = 40

/**
 * JetStream's codes for what is as wrong the next time: a configuration that is none, another one than the stream has, and copies where
 * there is no cluster.
 */
const LASTING = [10052, 10058, 10074]

const isLasting = (error: unknown): boolean =>
  error instanceof PermissionViolationError ||
  (error instanceof JetStreamApiError && LASTING.includes(error.code)) ||
  (error instanceof Error && error.cause !== undefined && isLasting(error.cause))

/** Tries again what a cluster cannot do yet. */
export async function untilMade<T>(make: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await make()
    } catch (error) {
      if (tries >= MAKE_TRIES || isLasting(error)) throw error
      await pause(AGAIN_MS)
    }
  }
}

/** All keys of a bucket are read within this. */
const READ_ALL_MS = 15_000

interface BucketOptions {
  name: string
  storage: 'memory' | 'file'
  onChange: Change
  log: Log
}

/**
 * A bucket, made where it is not there, whose keys are told from the first to the last and then as they change. After a lost connection
 * all is told anew: a bucket in memory may be empty then.
 */
export async function openBucket(link: BrokerLink, { name, storage, onChange, log }: BucketOptions): Promise<Bucket> {
  const kvm = new Kvm(link.nc)
  const replicas = storage === 'memory' ? 1 : link.replicas
  const latest = createLatest<Report>((key, { value, atMs }) => onChange(key, value, atMs))
  const tell = () =>
    untilMade(async () => {
      const kv = await kvm.create(name, { storage, history: 1, replicas })
      await reportAll(kv, latest.reading())
      return kv
    })
  const prefix = `$KV.${name}.`
  const live = link.nc.subscribe(`${prefix}>`, {
    callback: (_error, message) => {
      const isGone = message.headers?.has('KV-Operation') || message.data.length === 0
      const value = isGone ? null : parse(message.data)
      latest.heard(message.subject.slice(prefix.length), { value, atMs: null })
    },
  })
  const kv = await tell()
  let again: Promise<unknown> = Promise.resolve()
  link.onChange((isUp) => {
    if (!isUp) return
    again = again
      .then(tell)
      .catch((error: Error) => log({ bucket: name, reason: error.message }, 'a bucket cannot be read'))
  })
  const write = async (key: string, value: object | null) => {
    link.mustBeUp()
    const report = latest.reading()
    await (value === null ? kv.delete(key) : kv.put(key, JSON.stringify(value)))
    report(key, { value, atMs: null })
  }
  return { kv, put: write, remove: (key) => write(key, null), close: () => live.unsubscribe() }
}

interface Report {
  value: unknown
  atMs: number | null
}

/** Every key as it is now. A watch whose stream is lost says nothing of it: rejects where it takes too long. */
async function reportAll(kv: KV, report: (key: string, report: Report) => void): Promise<void> {
  const { values } = await kv.status()
  if (values === 0) return
  const watch = await kv.watch()
  const timer = setTimeout(() => watch.stop(), READ_ALL_MS)
  try {
    for await (const entry of watch) {
      report(entry.key, { value: valueOf(entry), atMs: entry.created.getTime() })
      if (entry.delta === 0) return
    }
  } finally {
    clearTimeout(timer)
    watch.stop()
  }
  throw new Error(`the keys could not be read within ${READ_ALL_MS} ms`)
}

const valueOf = (entry: KvEntry): unknown => (entry.operation === 'PUT' ? parse(entry.value) : null)

/** What is no JSON is as good as gone. */
function parse(bytes: Uint8Array): unknown {
  try {
    return boundedJson(bytes, 'value')
  } catch {
    return null
  }
}
