import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { FLEET_CHANNEL_IDLE_MS, FLEET_MAX_WAIT_MS, ShellphoneError } from '../../shared/schema/index.ts'
import type { CheckedCall } from './check-call.ts'
import type { ServiceConnection } from './service-connection.ts'
import type { PartWriter } from './part-writer.ts'

/** Connections to the service that stay open between calls. Only the caller that opened a channel can use it. */
export interface Channels {
  /** Answers a call that opens or uses a channel. Throws POOL_FULL, EXPIRED, CONFLICT. */
  answer(call: CheckedCall, parts: PartWriter): Promise<void>
  /** the number of calls in progress */
  calls(): number
  close(): void
}

/** The maximum number of open channels. */
const MAX_CHANNELS = 256

interface OpenChannel {
  id: string
  owner: string
  connection: ServiceConnection
  /** the number of bytes written to the connection */
  fed: number
  calls: number
  isBegun: boolean
  idle: NodeJS.Timeout | undefined
}

type ChannelAction = NonNullable<CheckedCall['head']['channel']>

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
    const channel: OpenChannel = { id: randomBytes(12).toString('hex'), owner: ownerOf(call), connection, ...start }
    all.set(channel.id, channel)
    return channel
  }
  const find = (call: CheckedCall, id: string): OpenChannel => {
    const channel = all.get(id)
    if (channel?.owner === ownerOf(call)) return channel
    throw new ShellphoneError('EXPIRED', 'channel: expected an open channel of this caller')
  }
  const act = async (channel: OpenChannel, action: ChannelAction, call: CheckedCall, parts: PartWriter) => {
    if (action.id === '') parts.channel(channel.id)
    if (action.act === 'close') {
      end(channel)
      return parts.end('eof')
    }
    const over = timeLimit(call.head.wait_ms)
    const work =
      action.act === 'pull' ? pull(channel, parts, over.signal) : feed(channel, action, call.body, over.signal)
    const isDone = await work.finally(over.clear)
    if (isDone && action.act === 'pull') end(channel)
    parts.end(isDone ? 'eof' : 'more')
  }
  return {
    async answer(call, parts) {
      const action = call.head.channel!
      const channel = action.id === '' ? begin(call) : find(call, action.id)
      clearTimeout(channel.idle)
      channel.calls += 1
      calls += 1
      try {
        await act(channel, action, call, parts)
      } catch (error) {
        end(channel)
        throw error
      } finally {
        calls -= 1
        channel.calls -= 1
        if (channel.calls === 0 && all.has(channel.id)) channel.idle = setTimeout(end, FLEET_CHANNEL_IDLE_MS, channel)
      }
    },
    calls: () => calls,
    close: () => [...all.values()].forEach(end),
  }
}

/** A channel serves only the caller, class, method and path of the call that opened it. */
const ownerOf = ({ callClass, caller, head }: CheckedCall) => `${callClass} ${caller} ${head.method} ${head.path}`

function timeLimit(ms = FLEET_MAX_WAIT_MS) {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  return { signal: over.signal, clear: () => clearTimeout(timer) }
}

/** Writes the response as it arrives. Resolves with true at its end, or with false if more may follow. Rejects if the service cuts it off. */
async function pull(channel: OpenChannel, parts: PartWriter, over: AbortSignal): Promise<boolean> {
  const ended = new Promise<null>((resolve) => over.addEventListener('abort', () => resolve(null)))
  const answer = await Promise.race([channel.connection.answer, ended])
  if (answer === null) return false
  const { status, headers, body } = answer
  if (!channel.isBegun) parts.head(status, headers, true)
  channel.isBegun = true
  for (let room = parts.room(); room > 0 && !over.aborted; room = parts.room()) {
    const chunk = body.read(Math.min(room, body.readableLength) || undefined)
    if (chunk !== null) await parts.write(chunk)
    else if (body.readableEnded) return true
    else if (body.destroyed) throw new ShellphoneError('EXPIRED', 'the service cut off its response')
    else await firstEvent(body, ['readable', 'end', 'close', 'error'], over)
  }
  return false
}

/** Writes the bytes that the channel does not have yet. Resolves with true if the service can accept more. */
async function feed(
  channel: OpenChannel,
  { act, offset = 0 }: ChannelAction,
  body: Uint8Array,
  over: AbortSignal,
): Promise<boolean> {
  const { input } = channel.connection
  if (offset > channel.fed) {
    throw new ShellphoneError('CONFLICT', `channel.offset: expected ${channel.fed}, got ${offset}`)
  }
  const fresh = body.subarray(channel.fed - offset)
  channel.fed += fresh.length
  if (fresh.length > 0) input.write(fresh)
  if (act === 'end' && !input.writableEnded) input.end()
  while (isFull(input) && !over.aborted) await firstEvent(input, ['drain', 'close', 'error'], over)
  return !isFull(input)
}

const isFull = (input: Writable) => input.writableNeedDrain && !input.destroyed

/** Resolves at the first of these events, or when `over` aborts. */
function firstEvent(on: Readable | Writable, events: string[], over: AbortSignal): Promise<void> {
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
