import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { FLEET_CHANNEL_IDLE_MS, FLEET_MAX_WAIT_MS, ShellphoneError } from '../../shared/schema/index.ts'
import type { CheckedCall } from './check-call.ts'
import type { ServiceConnection } from './lines.ts'
import type { PartWriter } from './part-writer.ts'

/** Connections to the service that stay open between calls. Only the caller that opened a channel can use it. */
export interface Channels {
  /** Answers a call that opens a channel or names one. Throws POOL_FULL, EXPIRED, CONFLICT, FORBIDDEN. */
  answer(call: CheckedCall, parts: PartWriter): Promise<void>
  /** number of calls in progress */
  calls(): number
  close(): void
}

/** At most this many are open at once; another one is rejected. */
const MAX_CHANNELS = 256

interface OpenChannel {
  id: string
  owner: string
  connection: ServiceConnection
  /** bytes */
  fed: number
  calls: number
  isBegun: boolean
  idle: NodeJS.Timeout | undefined
}

type ChannelAct = NonNullable<CheckedCall['head']['channel']>

export function createChannels(open: (call: CheckedCall) => ServiceConnection): Channels {
  const all = new Map<string, OpenChannel>()
  let calls = 0
  const end = ({ id, connection, idle }: OpenChannel) => {
    clearTimeout(idle)
    all.delete(id)
    connection.close()
  }
  const begin = (call: CheckedCall): OpenChannel => {
    if (all.size >= MAX_CHANNELS) {
      throw new ShellphoneError('POOL_FULL', `${MAX_CHANNELS} channels are already open`, { retryAfterSeconds: 1 })
    }
    const connection = open(call)
    const start = { fed: 0, calls: 0, isBegun: false, idle: undefined }
    const kept: OpenChannel = { id: randomBytes(12).toString('hex'), owner: ownerOf(call), connection, ...start }
    all.set(kept.id, kept)
    return kept
  }
  const find = (call: CheckedCall, id: string): OpenChannel => {
    const kept = all.get(id)
    if (kept?.owner === ownerOf(call)) return kept
    throw new ShellphoneError('EXPIRED', 'channel: expected an open channel of this caller')
  }
  const act = async (kept: OpenChannel, wish: ChannelAct, call: CheckedCall, parts: PartWriter) => {
    if (wish.id === '') parts.channel(kept.id)
    if (wish.act === 'close') {
      end(kept)
      return parts.end('eof')
    }
    const over = overAfter(call.head.wait_ms)
    const work = wish.act === 'pull' ? pull(kept, parts, over.signal) : feed(kept, wish, call.body, over.signal)
    const isDone = await work.finally(over.clear)
    if (isDone && wish.act === 'pull') end(kept)
    parts.end(isDone ? 'eof' : 'more')
  }
  return {
    async answer(call, parts) {
      const wish = call.head.channel!
      const kept = wish.id === '' ? begin(call) : find(call, wish.id)
      clearTimeout(kept.idle)
      kept.calls += 1
      calls += 1
      try {
        await act(kept, wish, call, parts)
      } catch (error) {
        end(kept)
        throw error
      } finally {
        calls -= 1
        kept.calls -= 1
        if (kept.calls === 0 && all.has(kept.id)) kept.idle = setTimeout(end, FLEET_CHANNEL_IDLE_MS, kept)
      }
    },
    calls: () => calls,
    close: () => [...all.values()].forEach(end),
  }
}

/** A channel serves only the caller, class, method and path that it was opened for. */
const ownerOf = ({ callClass, caller, head }: CheckedCall) => `${callClass} ${caller} ${head.method} ${head.path}`

function overAfter(ms = FLEET_MAX_WAIT_MS) {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  return { signal: over.signal, clear: () => clearTimeout(timer) }
}

/** Writes the response as it arrives. Resolves with true at its end, false if more may follow. Rejects if it is cut off. */
async function pull(kept: OpenChannel, parts: PartWriter, over: AbortSignal): Promise<boolean> {
  const ended = new Promise<null>((resolve) => over.addEventListener('abort', () => resolve(null)))
  const answer = await Promise.race([kept.connection.answer, ended])
  if (answer === null) return false
  const { status, headers, body } = answer
  if (!kept.isBegun) parts.head(status, headers, true)
  kept.isBegun = true
  for (let room = parts.room(); room > 0 && !over.aborted; room = parts.room()) {
    const chunk = body.read(Math.min(room, body.readableLength) || undefined)
    if (chunk !== null) await parts.write(chunk)
    else if (body.readableEnded) return true
    else if (body.destroyed) throw new ShellphoneError('EXPIRED', 'the service cut off its response')
    else await moved(body, ['readable', 'end', 'close', 'error'], over)
  }
  return false
}

/** Writes the bytes that were not fed before. Resolves with true if the service can take more. */
async function feed(
  kept: OpenChannel,
  { act, offset = 0 }: ChannelAct,
  body: Uint8Array,
  over: AbortSignal,
): Promise<boolean> {
  const { input } = kept.connection
  if (offset > kept.fed) {
    throw new ShellphoneError('CONFLICT', `channel.offset: expected ${kept.fed}, got ${offset}`)
  }
  const fresh = body.subarray(kept.fed - offset)
  kept.fed += fresh.length
  if (fresh.length > 0) input.write(fresh)
  if (act === 'end' && !input.writableEnded) input.end()
  while (isFull(input) && !over.aborted) await moved(input, ['drain', 'close', 'error'], over)
  return !isFull(input)
}

const isFull = (input: Writable) => input.writableNeedDrain && !input.destroyed

/** Resolves at the first of these events, or when `over` aborts. */
function moved(on: Readable | Writable, events: string[], over: AbortSignal): Promise<void> {
  const emitter: EventEmitter = on
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) emitter.off(event, done)
      over.removeEventListener('abort', done)
      resolve()
    }
    for (const event of events) emitter.on(event, done)
    over.addEventListener('abort', done)
  })
}
