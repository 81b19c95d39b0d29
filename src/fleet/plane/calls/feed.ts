import { Writable } from 'node:stream'
import { FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../../../shared/schema/index.ts'
import type { PhoneRequests } from './phone-requests.ts'
import type { PhoneRequest } from './phone-request.ts'
import { toError } from './refusal.ts'

/**
 * What goes into a channel, in order, and no faster than the phone takes it: what comes while a piece is on its way goes with the next.
 * Destroyed with the error where the phone takes no more.
 */
export function createFeed(asking: PhoneRequests, first: PhoneRequest, channel: Promise<string>): Writable {
  let offset = 0
  const feed = async (act: 'feed' | 'end', body: Uint8Array) => {
    const id = await channel
    for (let piece = body; ; piece = NOTHING) {
      const question = { ...first, body: piece, waitMs: FLEET_PULL_MS, isRepeatable: true }
      const { status, end, body: text } = await asking.whole({ ...question, channel: { id, act, offset } })
      if (status > 0) throw toError(status, text)
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

/** Ends a channel that nobody wants any more; the phone ends it by itself where it does not hear of that. */
export function closeChannel(
  asking: PhoneRequests,
  { body: _body, signal: _signal, ...first }: PhoneRequest,
  id: string,
): void {
  asking.whole({ ...first, channel: { id, act: 'close' } }).catch(() => {})
}
