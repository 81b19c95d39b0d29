import { FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../../../shared/schema/index.ts'
import { type CallState, isExec, isStream } from './call-states.ts'
import type { PhoneRequest } from './phone-request.ts'

/** The part of the response that the client has received so far. */
export interface SentSoFar {
  /** 0: no head yet */
  status: number
  headers: Record<string, string>
  /** the number of bytes of the body */
  bytes: number
  /** the id of the last complete event, or null */
  eventId: string | null
  /** the id of the open channel on the phone, or null */
  channel: string | null
}

const isFile = ({ method, path }: PhoneRequest) => method === 'GET' && /^\/files(\?|$)/.test(path)
/** Opens a channel, so that the phone checks and records the request only once, whatever its number of windows. */
export const CHANNEL_OPTIONS = {
  ...{ window: FLEET_WINDOW_BYTES, waitMs: FLEET_PULL_MS },
  channel: { id: '', act: 'pull' },
} satisfies Partial<PhoneRequest>

/** The window and channel for a request whose response can be resumed. */
export const windowFor = (request: PhoneRequest): Partial<PhoneRequest> =>
  isFile(request)
    ? CHANNEL_OPTIONS
    : isStream(request) || /event-stream|octet-stream/.test(request.headers?.accept ?? '')
      ? { window: FLEET_WINDOW_BYTES }
      : {}

/** The request that continues the response to `first` in this state; null if the response cannot be continued. */
export function nextRequest(state: CallState, first: PhoneRequest, sent: SentSoFar): PhoneRequest | null {
  switch (state) {
    case 'asked':
    case 'once':
      return first
    case 'opened':
    case 'pulled':
    case 'held':
      return { ...first, channel: { id: sent.channel!, act: 'pull' } }
    case 'events': {
      const path = isExec(first) ? `/runs/${sent.headers['run-id']}/events` : first.path
      return { ...asGet(first, path), headers: fromEvent(first, sent) }
    }
    case 'output': {
      const path = isExec(first) ? `/runs/${sent.headers['run-id']}/output?follow=true` : first.path
      return asGet(first, outputPath(path, sent.bytes))
    }
    case 'file':
      return { ...first, headers: fromByte(first, sent) }
    case 'fixed':
    case 'whole':
      return null
  }
}

const asGet = ({ body: _body, ...first }: PhoneRequest, path: string): PhoneRequest => ({
  ...first,
  ...{ callClass: first.callClass === 'answer' ? 'answer' : 'read', method: 'GET', path, window: FLEET_WINDOW_BYTES },
})

function fromEvent({ headers = {} }: PhoneRequest, { eventId }: SentSoFar): Record<string, string> {
  return eventId === null ? headers : { ...headers, 'last-event-id': eventId }
}

/** The path with `offset` increased and `limit` reduced by `bytes`. */
function outputPath(path: string, bytes: number): string {
  const url = new URL(path, 'http://phone')
  const { searchParams: query } = url
  query.set('offset', String(Number(query.get('offset') ?? 0) + bytes))
  const limit = query.get('limit')
  if (limit !== null) query.set('limit', String(Number(limit) - bytes))
  return url.pathname + url.search
}

/** Headers that request the rest of a file, if the file is unchanged. */
function fromByte({ headers = {} }: PhoneRequest, sent: SentSoFar): Record<string, string> {
  const [, start = '0', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const { etag } = sent.headers
  const same: Record<string, string> = etag === undefined ? {} : { 'if-match': etag }
  return { ...headers, ...same, range: `bytes=${Number(start) + sent.bytes}-${end}` }
}
