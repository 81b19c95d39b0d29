import { Writable } from 'node:stream'
import { FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../../../shared/schema/index.ts'
import type { PhoneRequests } from './phone-requests.ts'
import type { PhoneRequest } from './phone-request.ts'
import { toError } from './refusal.ts'

/**
 * Creates a stream that writes bytes into a channel, in order and no faster than the phone accepts them. Bytes that arrive while a piece is being
 * sent become part of the next one. If the phone accepts no more, the stream is destroyed with the error.
 */
export function createFeed(phoneRequests: PhoneRequests, first: PhoneRequest, channel: Promise<string>): Writable {
  let offset = 0
  const feed = async (act: 'feed' | 'end', body: Uint8Array) => {
    const id = await channel
    for (let piece = body; ; piece = NOTHING) {
      const request = { ...first, body: piece, waitMs: FLEET_PULL_MS, isRepeatable: true }
      const { status, end, body: errorBody } = await phoneRequests.fetch({ ...request, channel: { id, act, offset } })
      if (status > 0) throw toError(status, errorBody)
      offset += piece.length
      if (end === 'eof') return
    }
  }
  const feedAll = async (all: Buffer) => {
    for (let at = 0; at < all.length; at += FLEET_WINDOW_BYTES) {
      await feed('feed', all.subarray(at, at + FLEET_WINDOW_BYTES))
    }
  }
  return new Writable({
    highWaterMark: FLEET_WINDOW_BYTES,
    writev: (pieces, done) => void feedAll(Buffer.concat(pieces.map(({ chunk }) => chunk))).then(() => done(), done),
    final: (done) => void feed('end', NOTHING).then(() => done(), done),
  })
}

const NOTHING = new Uint8Array()

/** Closes an unused channel. If this message is lost, the phone closes the channel after its idle timeout. */
export function closeChannel(
  phoneRequests: PhoneRequests,
  { body: _body, signal: _signal, ...first }: PhoneRequest,
  id: string,
): void {
  phoneRequests.fetch({ ...first, channel: { id, act: 'close' } }).catch(() => {})
}
