import type { FastifyReply } from 'fastify'
import { CancelController, type CancelSignal } from '../schema/index.ts'

/** The three ways in which a run can be answered. */
export const representations = ['application/json', 'text/plain', 'text/event-stream'] as const
export type Representation = (typeof representations)[number]

/** A text instead of the JSON that the route's schema tells of. */
export function sendText(text: string, reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

/** Aborts when the client goes away before its answer is out. */
export function goneSignal({ raw }: FastifyReply): CancelSignal {
  const gone = new CancelController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}

/** The best of the three for an Accept header (RFC 9110, 12.5.1): highest q, then as written; JSON where none is named. */
export function representationFor(accept = '*/*'): Representation {
  if (accept === '*/*') return 'application/json'
  const wishes = accept
    .split(',')
    .map(toWish)
    .filter((wish) => wish.quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const { type } of wishes) {
    const found = representations.find((one) => one === type)
    if (found) return found
    if (type === '*/*' || type === 'application/*') return 'application/json'
    if (type === 'text/*') return 'text/plain'
  }
  return 'application/json'
}

function toWish(text: string): { type: string; quality: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { type, quality: quality ? Number(quality.slice(2)) || 0 : 1 }
}
