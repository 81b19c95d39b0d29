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

/** Writes the response to one call in numbered parts. */
export interface PartWriter {
  /** Sets the status and headers. Sends them at once if `isUrgent`, otherwise with the first bytes. */
  head(status: number, headers: Record<string, string>, isUrgent: boolean): void
  /** Sends a chunk. Resolves with true when it can accept more, or with false when the window or the parts are used up. */
  write(chunk: Buffer): Promise<boolean>
  /** Returns the number of bytes that still fit. */
  room(): number
  /** Sends the id of the opened channel. */
  channel(id: string): void
  /** Sends the last part. `eof`: the response is complete. `more`: the caller must request the rest. */
  end(end: 'eof' | 'more', last?: { data?: Buffer; trailers?: Record<string, string> }): void
}

interface ReplyTarget {
  /** the subject for the parts */
  reply: string
  /** the caller's id for its call */
  call: string
  window?: number | undefined
  /** the nonce that later signed calls must name; absent: calls are not signed */
  nonce?: string | undefined
}

/** While the phone has nothing to send, an empty part every 5 s shows that it is working. Calls `onPart` for each part. */
export function createPartWriter(
  nc: NatsConnection,
  { reply, call, window, nonce }: ReplyTarget,
  onPart: () => void,
): PartWriter {
  let left = window ?? FLEET_MAX_WINDOW_BYTES
  let unflushed = 0
  let part = 0
  let first: Partial<PartHead> = {}
  let isOver = false
  const send = (more: Partial<PartHead>, data: Buffer = Buffer.alloc(0)) => {
    const head: PartHead = { call, part, ...first, ...more }
    first = {}
    part += 1
    left -= data.length
    unflushed += data.length
    const headers = newHeaders()
    headers.set(HEAD_HEADER, JSON.stringify(head))
    nc.publish(reply, data, { headers })
    onPart()
    heartbeat.refresh()
  }
  const heartbeat = setInterval(() => {
    if (part < FLEET_MAX_PARTS - 1 && !nc.isClosed()) send({})
  }, FLEET_HEARTBEAT_MS)
  const room = () => Math.max(0, Math.min(left, (FLEET_MAX_PARTS - 1 - part) * FLEET_PART_BYTES))
  return {
    head(status, headers, isUrgent) {
      first = { status, headers: nonce === undefined ? headers : { ...headers, [NONCE_HEADER]: nonce } }
      if (isUrgent) send({})
    },
    async write(chunk) {
      for (let at = 0; at < chunk.length && room() > 0;) {
        const piece = chunk.subarray(at, at + Math.min(FLEET_PART_BYTES, left))
        send({}, piece)
        at += piece.length
        if (at < chunk.length && room() === 0) return false
      }
      // wait for the broker after this many bytes
      if (unflushed >= FLEET_WINDOW_BYTES) {
        unflushed = 0
        await nc.flush()
      }
      return room() > 0
    },
    room,
    channel: (id) => send({ channel: id }),
    end(end, { data, trailers } = {}) {
      if (isOver) return
      isOver = true
      clearInterval(heartbeat)
      if (!nc.isClosed()) send({ end, ...(trailers && { trailers }) }, data)
    },
  }
}
