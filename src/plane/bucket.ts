import { type KV, type KvEntry, Kvm } from '@nats-io/kv'
import { setTimeout as pause } from 'node:timers/promises'
import type { Link } from './link.ts'
import type { Log } from './parts.ts'

/** One key of a bucket as it changed; null: it is gone. `atMs`: epoch milliseconds, by the broker's clock. */
export type Change = (key: string, value: unknown, atMs: number) => void

export interface Bucket {
  kv: KV
  close(): void
}

const AGAIN_MS = 500
/** A fresh cluster, or one whose leader is away, has no peers for a stream for some seconds. */
const MAKE_TRIES = 40

/** Tries again what a cluster cannot do yet. */
export async function untilMade<T>(make: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await make()
    } catch (error) {
      if (tries >= MAKE_TRIES || /config|not supported|permissions/i.test((error as Error).message)) throw error
      await pause(AGAIN_MS)
    }
  }
}

/** All keys of a bucket are read within this. */
const TELL_MS = 15_000

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
export async function openBucket(link: Link, { name, storage, onChange, log }: BucketOptions): Promise<Bucket> {
  const kvm = new Kvm(link.nc)
  const replicas = storage === 'memory' ? 1 : link.replicas
  const tell = () =>
    untilMade(async () => {
      const kv = await kvm.create(name, { storage, history: 1, replicas })
      await tellAll(kv, onChange)
      return kv
    })
  const prefix = `$KV.${name}.`
  const live = link.nc.subscribe(`${prefix}>`, {
    callback: (_error, message) => {
      const isGone = message.headers?.has('KV-Operation') || message.data.length === 0
      onChange(message.subject.slice(prefix.length), isGone ? null : parse(message.data), Number.NaN)
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
  return { kv, close: () => live.unsubscribe() }
}

/** Every key as it is now. A watch whose stream is lost says nothing of it: rejects where it takes too long. */
async function tellAll(kv: KV, onChange: Change): Promise<void> {
  const { values } = await kv.status()
  if (values === 0) return
  const watch = await kv.watch()
  const timer = setTimeout(() => watch.stop(), TELL_MS)
  try {
    for await (const entry of watch) {
      onChange(entry.key, valueOf(entry), entry.created.getTime())
      if (entry.delta === 0) return
    }
  } finally {
    clearTimeout(timer)
    watch.stop()
  }
  throw new Error(`the keys could not be read within ${TELL_MS} ms`)
}

const valueOf = (entry: KvEntry): unknown => (entry.operation === 'PUT' ? parse(entry.value) : null)

/** What is no JSON is as good as gone. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
