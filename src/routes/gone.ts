import type { FastifyReply } from 'fastify'
import { CancelController, type CancelSignal } from '../schema/index.ts'

/** Aborts when the client goes away before its answer is out. */
export function goneSignal({ raw }: FastifyReply): CancelSignal {
  const gone = new CancelController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
