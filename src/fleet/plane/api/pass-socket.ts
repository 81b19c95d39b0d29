import type { RawData, WebSocket } from 'ws'
import { FLEET_MAX_MESSAGE_BYTES, FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../../../shared/schema/index.ts'
import { createUnpacker, packMessage, sendMessage } from '../../../shared/transport/index.ts'
import type { PhoneRequests } from '../calls/phone-requests.ts'
import type { PhoneRequest } from '../calls/phone-request.ts'
import { toError } from '../calls/refusal.ts'
import { closeChannel, createFeed } from '../calls/feed.ts'
import type { PlaneParts } from './plane-parts.ts'
import type { PlaneUser } from '../keys/roles.ts'

/** A client's WebSocket, and whose phone it is for. */
interface Passing {
  name: string
  caller: PlaneUser
  socket: WebSocket
  /** it is to end */
  over: AbortController
}

/**
 * Hands its messages to the phone and the phone's to it, until either closes it; a client that reads slowly is asked for no more than one
 * window. Throws what ended it: PHONE_OFFLINE, PHONE_SILENT, BROKER_UNAVAILABLE … The phone keeps nothing: who comes back goes on by offsets.
 */
export async function passSocket({ asking, phones }: PlaneParts, passing: Passing): Promise<void> {
  const { name, caller, socket, over } = passing
  const question: PhoneRequest = {
    ...{ name, by: caller.name, home: phones.homeOf(name), method: 'GET', path: '/ws' },
    callClass: caller.role === 'agent' ? 'run' : 'answer',
    ...{ window: FLEET_WINDOW_BYTES, waitMs: FLEET_PULL_MS, signal: over.signal, isRepeatable: true },
  }
  let [id, open] = ['', (_id: string) => {}]
  const channel = new Promise<string>((resolve) => (open = resolve))
  const stop = feedFrom(passing, asking, question, channel)
  const pull = createPull(asking, question, socket, (opened) => open((id = opened)))
  try {
    while (!(await pull(id)));
    id = ''
  } finally {
    stop()
    if (id !== '') closeChannel(asking, question, id)
  }
}

/** What the client says goes to the phone; it is read no faster than that. */
function feedFrom(
  { socket, over }: Passing,
  asking: PhoneRequests,
  question: PhoneRequest,
  channel: Promise<string>,
): () => void {
  const feed = createFeed(asking, question, channel)
  const hear = (data: RawData, isBinary: boolean) => {
    if (!feed.write(packMessage({ data: data as Buffer, isBinary }))) socket.pause()
  }
  feed.on('drain', () => socket.resume()).on('error', (error) => over.abort(error))
  socket.on('message', hear)
  return () => {
    socket.off('message', hear)
    feed.destroy()
  }
}

/** Hands on what has come; resolves, when it has left, with whether that was all. */
function createPull(asking: PhoneRequests, question: PhoneRequest, socket: WebSocket, onOpen: (id: string) => void) {
  const unpack = createUnpacker(FLEET_MAX_MESSAGE_BYTES)
  return async (id: string): Promise<boolean> => {
    let [refused, trouble] = [0, null as Error | null]
    const [text, leaving] = [[] as Uint8Array[], [] as Promise<void>[]]
    const { end } = await asking.ask({ ...question, channel: { id, act: 'pull' } }, ({ channel, status, data }) => {
      if (channel) onOpen(channel)
      if (status !== undefined && status !== SWITCHED) refused = status
      if (refused > 0) return void text.push(data)
      try {
        for (const message of unpack(data)) leaving.push(sendMessage(socket, message))
      } catch (error) {
        trouble ??= error as Error
      }
    })
    if (refused > 0) throw toError(refused, Buffer.concat(text))
    if (trouble !== null) throw trouble
    await Promise.all(leaving)
    return end === 'eof'
  }
}

const SWITCHED = 101
