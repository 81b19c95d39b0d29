import { FLEET_PULL_MS, FLEET_WINDOW_BYTES } from '../schema/index.ts'
import type { Question } from './question.ts'

/** What has gone to the client so far. */
export interface Sent {
  /** 0: nothing yet */
  status: number
  headers: Record<string, string>
  /** of the body */
  bytes: number
  /** of the last whole event */
  eventId: string | null
  /** what is kept open for it on the phone */
  channel: string | null
  onChannel(id: string): void
}

export const isEventStream = ({ headers }: Pick<Sent, 'headers'>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

const isExec = ({ method, path }: Question) => method === 'POST' && /^\/exec(\/|\?|$)/.test(path)
const isStream = ({ path }: Question) => /^\/(runs\/[^/]+\/(events|output)|scratchpads\/[^/]+)(\?|$)/.test(path)

/** One request there, which is judged and recorded once, however many windows it takes. */
const isFile = ({ method, path }: Question) => method === 'GET' && /^\/files(\?|$)/.test(path)
export const KEPT = {
  ...{ window: FLEET_WINDOW_BYTES, waitMs: FLEET_PULL_MS },
  channel: { id: '', act: 'pull' },
} satisfies Partial<Question>

/** Asked twice it does no more than once. */
export const isRepeatable = (question: Question): boolean =>
  ['GET', 'HEAD'].includes(question.method) ||
  isExec(question) ||
  (question.method === 'DELETE' && question.path.startsWith('/runs/'))

/** How much is asked for at once of what can be gone on with at any byte, or is kept open. */
export const windowFor = (question: Question): Partial<Question> =>
  isFile(question)
    ? KEPT
    : isStream(question) || /event-stream|octet-stream/.test(question.headers?.accept ?? '')
      ? { window: FLEET_WINDOW_BYTES }
      : {}

/** The question that goes on where an answer was cut; null: there is none. */
export function goOn(first: Question, sent: Sent): Question | null {
  if (sent.channel !== null) return { ...first, channel: { id: sent.channel, act: 'pull' } }
  if (sent.status === 0) return isRepeatable(first) ? first : null
  const runId = sent.headers['run-id']
  if (isEventStream(sent)) {
    const path = isExec(first) ? runId && `/runs/${runId}/events` : isStream(first) && first.path
    return path ? { ...asGet(first, path), headers: fromEvent(first, sent) } : null
  }
  if (isExec(first)) return runId ? asGet(first, outputPath(`/runs/${runId}/output?follow=true`, sent.bytes)) : null
  if (first.method !== 'GET') return null
  const { range } = first.headers ?? {}
  if (isStream(first) && range === undefined) return asGet(first, outputPath(first.path, sent.bytes))
  return sent.headers['accept-ranges'] === 'bytes' ? { ...first, headers: fromByte(first, sent) } : null
}

const asGet = ({ body: _body, ...first }: Question, path: string): Question => ({
  ...first,
  ...{ callClass: first.callClass === 'answer' ? 'answer' : 'read', method: 'GET', path, window: FLEET_WINDOW_BYTES },
})

function fromEvent({ headers = {} }: Question, { eventId }: Sent): Record<string, string> {
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
function fromByte({ headers = {} }: Question, sent: Sent): Record<string, string> {
  const [, start = '0', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const { etag } = sent.headers
  const same: Record<string, string> = etag === undefined ? {} : { 'if-match': etag }
  return { ...headers, ...same, range: `bytes=${Number(start) + sent.bytes}-${end}` }
}
