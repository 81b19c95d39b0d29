import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
  type WebStandardStreamableHTTPServerTransport as Transport,
} from '@modelcontextprotocol/server'

/** The streams of a session on which clients await responses. */
export interface ResponseStreams {
  /** Registers that one stream answers the requests in this body, until `over` settles. */
  open(body: unknown, over: Promise<unknown>): void
  /** Ends the streams that wait for requests that this body cancels, because the SDK sends no response to those. */
  endCanceled(body: unknown): void
}

export function createStreams(transport: Transport): ResponseStreams {
  const batches = new Map<RequestId, RequestId[]>()

  const endStream = (id: RequestId) => {
    const batch = batches.get(id)
    if (batch === undefined) return
    // a client expects no response to a canceled request (specification 2025-11-25, Cancellation), unless it was part of a batch
    if (batch.length === 1) return transport.closeSSEStream(id)
    const error = { code: ProtocolErrorCode.InternalError, message: 'Request cancelled' }
    transport.send({ jsonrpc: '2.0', id, error }).catch(() => {}) // the request has already been answered
  }
  return {
    open(body, over) {
      const ids = messagesOf(body)
        .filter(isJSONRPCRequest)
        .map(({ id }) => id)
      for (const id of ids) batches.set(id, ids)
      const forget = () => {
        for (const id of ids) if (batches.get(id) === ids) batches.delete(id)
      }
      over.then(forget, forget)
    },
    endCanceled(body) {
      for (const message of messagesOf(body).filter(isJSONRPCNotification)) {
        if (message.method === 'notifications/cancelled') endStream(message.params?.['requestId'] as RequestId)
      }
    },
  }
}

const messagesOf = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body])
