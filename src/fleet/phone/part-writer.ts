import { headers as newHeaders, type NatsConnection } from '@nats-io/transport-node'
import {
  FLEET_HEARTBEAT_MS,
  FLEET_MAX_PARTS,
  FLEET_MAX_WINDOW_BYTES,
  FLEET_PART_BYTES,
  FLEET_WINDOW_BYTES,
  HEAD_HEADER,
  NONCE_HEADER,
  type PartHead,
} from '../../shared/schema/index.ts'

/** The answer to one call, in numbered parts. */
export interface PartWriter {
  /** Status and headers; they go out with the first bytes, or at once. */
  head(status: number, headers: Record<string, string>, isUrgent: boolean): void
  /** Resolves when there may be more; false: the window, or the parts, are used up. */
  write(chunk: Buffer): Promise<boolean>
  /** Bytes that may still be said. */
  room(): number
  /** The id of the channel that was opened. */
  channel(id: string): void
  /** The last part: all was said, or ask again from what came. */
  end(end: 'eof' | 'more', last?: { data?: Buffer; trailers?: Record<string, string> }): void
}

interface ReplyTarget {
  /** where the answer goes */
  reply: string
  /** the asker's name for its question */
  call: string
  window?: number | undefined
  /** what signed calls must name from now on; absent: calls are not signed */
  nonce?: string | undefined
}

/** While nothing is said, an empty part says that the phone is there. `said` hears of each part. */
export function createPartWriter(
  nc: NatsConnection,
  { reply, call, window, nonce }: ReplyTarget,
  said: () => void,
): PartWriter {
  let left = window ?? FLEET_MAX_WINDOW_BYTES
  let unflushed = 0
  let part = 0
  let first: Partial<PartHead> = {}
  let isOver = false
  const say = (more: Partial<PartHead>, data: Buffer = Buffer.alloc(0)) => {
    const head: PartHead = { call, part, ...first, ...more }
    first = {}
    part += 1
    left -= data.length
    unflushed += data.length
    const headers = newHeaders()
    headers.set(HEAD_HEADER, JSON.stringify(head))
    nc.publish(reply, data, { headers })
    said()
    beat.refresh()
  }
  const beat = setInterval(() => {
    if (part < FLEET_MAX_PARTS - 1 && !nc.isClosed()) say({})
  }, FLEET_HEARTBEAT_MS)
  const room = () => Math.max(0, Math.min(left, (FLEET_MAX_PARTS - 1 - part) * FLEET_PART_BYTES))
  return {
    head(status, headers, isUrgent) {
      first = { status, headers: nonce === undefined ? headers : { ...headers, [NONCE_HEADER]: nonce } }
      if (isUrgent) say({})
    },
    async write(chunk) {
      for (let at = 0; at < chunk.length && room() > 0;) {
        const piece = chunk.subarray(at, at + Math.min(FLEET_PART_BYTES, left))
        say({}, piece)
        at += piece.length
        if (at < chunk.length && room() === 0) return false
      }
      // so much at once: then the broker has it, or we wait
      if (unflushed >= FLEET_WINDOW_BYTES) {
        unflushed = 0
        await nc.flush()
      }
      return room() > 0
    },
    room,
    channel: (id) => say({ channel: id }),
    end(end, { data, trailers } = {}) {
      if (isOver) return
      isOver = true
      clearInterval(beat)
      if (!nc.isClosed()) say({ end, ...(trailers && { trailers }) }, data)
    },
  }
}
