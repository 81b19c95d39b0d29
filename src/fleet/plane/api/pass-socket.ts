import type { RawData, WebSocket } from 'ws'
import { FLEET_MAX_MESSAGE_BYTES, FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../../../shared/schema/index.ts'
import { createUnpacker, packMessage, sendMessage } from '../../../shared/transport/index.ts'
import type { PhoneRequests } from '../calls/phone-requests.ts'
import type { PhoneRequest } from '../calls/phone-request.ts'
import { toError } from '../calls/refusal.ts'
import { closeChannel, createFeed } from '../calls/feed.ts'
import type { PlaneParts } from './plane-parts.ts'
import type { PlaneUser } from '../keys/roles.ts'

/** A client's WebSocket, with the name of its phone. */
interface PassedSocket {
  name: string
  caller: PlaneUser
  socket: WebSocket
  /** aborted to end the connection; the reason is the error */
  over: AbortController
}

/**
 * Passes messages in both directions until either side closes. Requests at most one window at a time for a slow client. Throws the error that
 * ended the connection: PHONE_OFFLINE, PHONE_SILENT, BROKER_UNAVAILABLE … The phone stores no session, so a client that reconnects resumes
 * by offset.
 */
export async function passSocket({ phoneRequests, phones }: PlaneParts, passing: PassedSocket): Promise<void> {
  const { name, caller, socket, over } = passing
  const request: PhoneRequest = {
    ...{ name, by: caller.name, home: phones.homeOf(name), method: 'GET', path: '/ws' },
    callClass: caller.role === 'agent' ? 'run' : 'answer',
    ...{ window: FLEET_WINDOW_BYTES, waitMs: FLEET_PULL_MS, signal: over.signal, isRepeatable: true },
  }
  let [id, open] = ['', (_id: string) => {}]
  const channel = new Promise<string>((resolve) => (open = resolve))
  const stop = feedFrom(passing, phoneRequests, request, channel)
  const pull = createPull(phoneRequests, request, socket, (opened) => open((id = opened)))
  try {
    while (!(await pull(id)));
    id = ''
  } finally {
    stop()
    if (id !== '') closeChannel(phoneRequests, request, id)
  }
}

/** Sends the client's messages to the phone, and reads them no faster than the phone accepts them. Returns a function that stops this. */
function feedFrom(
  { socket, over }: PassedSocket,
  phoneRequests: PhoneRequests,
  request: PhoneRequest,
  channel: Promise<string>,
): () => void {
  const feed = createFeed(phoneRequests, request, channel)
  const onMessage = (data: RawData, isBinary: boolean) => {
    if (!feed.write(packMessage({ data: data as Buffer, isBinary }))) socket.pause()
  }
  feed.on('drain', () => socket.resume()).on('error', (error) => over.abort(error))
  socket.on('message', onMessage)
  return () => {
    socket.off('message', onMessage)
    feed.destroy()
  }
}

/** Returns a function that passes the phone's next messages to the client. The function resolves when they are sent, with true if the channel has ended. */
function createPull(
  phoneRequests: PhoneRequests,
  request: PhoneRequest,
  socket: WebSocket,
  onOpen: (id: string) => void,
) {
  const unpack = createUnpacker(FLEET_MAX_MESSAGE_BYTES)
  return async (id: string): Promise<boolean> => {
    let [refused, failure] = [0, null as Error | null]
    const [errorBody, sending] = [[] as Uint8Array[], [] as Promise<void>[]]
    const { end } = await phoneRequests.stream(
      { ...request, channel: { id, act: 'pull' } },
      ({ channel, status, data }) => {
        if (channel) onOpen(channel)
        if (status !== undefined && status !== SWITCHED) refused = status
        if (refused > 0) return void errorBody.push(data)
        try {
          for (const message of unpack(data)) sending.push(sendMessage(socket, message))
        } catch (error) {
          failure ??= error as Error
        }
      },
    )
    if (refused > 0) throw toError(refused, Buffer.concat(errorBody))
    if (failure !== null) throw failure
    await Promise.all(sending)
    return end === 'eof'
  }
}

const SWITCHED = 101
