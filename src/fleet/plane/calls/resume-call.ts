import { FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../../../shared/schema/index.ts'
import { type CallState, isExec, isStream } from './call-states.ts'
import type { PhoneRequest } from './phone-request.ts'

/** What has gone to the client so far. */
export interface SentSoFar {
  /** 0: nothing yet */
  status: number
  headers: Record<string, string>
  /** of the body */
  bytes: number
  /** of the last whole event */
  eventId: string | null
  /** what is kept open for it on the phone */
  channel: string | null
}

/** One request there, which is judged and recorded once, however many windows it takes. */
const isFile = ({ method, path }: PhoneRequest) => method === 'GET' && /^\/files(\?|$)/.test(path)
export const KEPT = {
  ...{ window: FLEET_WINDOW_BYTES, waitMs: FLEET_PULL_MS },
  channel: { id: '', act: 'pull' },
} satisfies Partial<PhoneRequest>

/** How much is asked for at once of what can be gone on with at any byte, or is kept open. */
export const windowFor = (question: PhoneRequest): Partial<PhoneRequest> =>
  isFile(question)
    ? KEPT
    : isStream(question) || /event-stream|octet-stream/.test(question.headers?.accept ?? '')
      ? { window: FLEET_WINDOW_BYTES }
      : {}

/** What is asked in this state, of the answer to `first`; null: there is nothing to ask. */
export function questionIn(state: CallState, first: PhoneRequest, sent: SentSoFar): PhoneRequest | null {
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

/** `offset` and `limit` of a stream's output, after so many bytes more. */
function outputPath(path: string, bytes: number): string {
  const url = new URL(path, 'http://phone')
  const { searchParams: query } = url
  query.set('offset', String(Number(query.get('offset') ?? 0) + bytes))
  const limit = query.get('limit')
  if (limit !== null) query.set('limit', String(Number(limit) - bytes))
  return url.pathname + url.search
}

/** The rest of a file, if it is still the same. */
function fromByte({ headers = {} }: PhoneRequest, sent: SentSoFar): Record<string, string> {
  const [, start = '0', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const { etag } = sent.headers
  const same: Record<string, string> = etag === undefined ? {} : { 'if-match': etag }
  return { ...headers, ...same, range: `bytes=${Number(start) + sent.bytes}-${end}` }
}
