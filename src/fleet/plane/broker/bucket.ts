import { JetStreamApiError } from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm } from '@nats-io/kv'
import { PermissionViolationError } from '@nats-io/transport-node'
import { setTimeout as pause } from 'node:timers/promises'
import { boundedJson } from '../../../shared/schema/index.ts'
import type { BrokerLink } from './broker-link.ts'
import { createNewestReports } from './newest-reports.ts'
import type { Log } from '../plane-types.ts'

/** Called when a key of a bucket changes. `value`: null for a deleted key. `atMs`: epoch milliseconds by the broker's clock; null: now. */
type Change = (key: string, value: unknown, atMs: number | null) => void

export interface Bucket {
  kv: KV
  /** Writes a key. Resolves when the broker has acknowledged the write and `onChange` has been called. */
  put(key: string, value: object): Promise<void>
  /** Deletes a key; resolves as `put` does. */
  remove(key: string): Promise<void>
  close(): void
}

const RETRY_MS = 500
/** The maximum number of attempts to create a bucket or stream. A new cluster, or one without a leader, cannot create one for some seconds. */
const MAKE_TRIES = 40

/**
 * The JetStream codes of permanent errors: an invalid configuration, a configuration that differs from that of the existing stream, and
 * replicas without a cluster.
 */
const PERMANENT_ERRORS = [10052, 10058, 10074]

const isPermanent = (error: unknown): boolean =>
  error instanceof PermissionViolationError ||
  (error instanceof JetStreamApiError && PERMANENT_ERRORS.includes(error.code)) ||
  (error instanceof Error && error.cause !== undefined && isPermanent(error.cause))

/** Retries `make` until the cluster is ready. Rejects on a permanent error, or after 40 attempts. */
export async function retryUntilReady<T>(make: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await make()
    } catch (error) {
      if (tries >= MAKE_TRIES || isPermanent(error)) throw error
      await pause(RETRY_MS)
    }
  }
}

/** The time limit for reading all keys of a bucket. */
const READ_ALL_MS = 15_000

interface BucketOptions {
  name: string
  storage: 'memory' | 'file'
  onChange: Change
  log: Log
}

/**
 * Opens a bucket, and creates it if necessary. Calls `onChange` for every key, and then for each change. After a reconnect, calls it for every
 * key again, because changes may have been missed.
 */
export async function openBucket(link: BrokerLink, { name, storage, onChange, log }: BucketOptions): Promise<Bucket> {
  const kvm = new Kvm(link.nc)
  const replicas = storage === 'memory' ? 1 : link.replicas
  const latest = createNewestReports<Report>((key, { value, atMs }) => onChange(key, value, atMs))
  const readAll = () =>
    retryUntilReady(async () => {
      const kv = await kvm.create(name, { storage, history: 1, replicas })
      await reportAll(kv, latest.startReading())
      return kv
    })
  const prefix = `$KV.${name}.`
  const live = link.nc.subscribe(`${prefix}>`, {
    callback: (_error, message) => {
      const isGone = message.headers?.has('KV-Operation') || message.data.length === 0
      const value = isGone ? null : parse(message.data)
      latest.live(message.subject.slice(prefix.length), { value, atMs: null })
    },
  })
  const kv = await readAll()
  let again: Promise<unknown> = Promise.resolve()
  link.onChange((isUp) => {
    if (!isUp) return
    again = again
      .then(readAll)
      .catch((error: Error) => log({ bucket: name, reason: error.message }, 'a bucket cannot be read'))
  })
  const write = async (key: string, value: object | null) => {
    link.mustBeUp()
    const report = latest.startReading()
    await (value === null ? kv.delete(key) : kv.put(key, JSON.stringify(value)))
    report(key, { value, atMs: null })
  }
  return { kv, put: write, remove: (key) => write(key, null), close: () => live.unsubscribe() }
}

interface Report {
  value: unknown
  atMs: number | null
}

/** Reports the current value of every key. Rejects after a time limit, because a watch does not report the loss of its stream. */
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

/** Parses a value; null, as for a deleted key, if it is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return boundedJson(bytes, 'value')
  } catch {
    return null
  }
}
