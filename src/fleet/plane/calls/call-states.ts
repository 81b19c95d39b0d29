import type { PhoneRequest } from './phone-request.ts'
import { type EventOf, nextState } from './state-table.ts'

/**
 * A request to a phone, and its response on the way to the client.
 *
 * A state says how the response resumes if it is interrupted. asked: nothing came, and the request can safely be sent again. once: nothing
 * came, and sending it again might run it twice. opened: the phone has opened a channel, and nothing came through it. events: from the last
 * complete event. output: from a byte of a run's output. file: from a byte, if the file is still the same. pulled: a file, through its
 * channel or from a byte. held: only through its channel. fixed: it cannot resume. whole: the client has everything.
 *
 * Events: the kind of the response (`kindOf`). opened: the phone has opened a channel. more: the response is not complete. eof: it is
 * complete. unanswered: the request was sent, and no complete response came. undelivered: it was not sent to the phone. lost: the phone has
 * closed the channel, or cannot send the rest. An event that is missing in a state ends the call: the client gets the error, or its
 * connection is cut.
 */
export const callTable = {
  asked: {
    ...{ events: 'events', output: 'output', file: 'file', fixed: 'fixed', opened: 'opened' },
    ...{ more: 'asked', eof: 'whole', unanswered: 'asked' },
  },
  once: {
    ...{ events: 'events', output: 'output', file: 'file', fixed: 'fixed', opened: 'held' },
    eof: 'whole',
  },
  opened: { file: 'pulled', fixed: 'held', more: 'opened', eof: 'whole', unanswered: 'asked', lost: 'asked' },
  events: { more: 'events', eof: 'whole', unanswered: 'events', undelivered: 'events' },
  output: { more: 'output', eof: 'whole', unanswered: 'output', undelivered: 'output' },
  file: { opened: 'pulled', more: 'file', eof: 'whole', unanswered: 'file', undelivered: 'file' },
  pulled: { more: 'pulled', eof: 'whole', unanswered: 'file', undelivered: 'file', lost: 'file' },
  held: { events: 'held', output: 'held', file: 'held', fixed: 'held', more: 'held', eof: 'whole' },
  fixed: { eof: 'whole' },
  whole: {},
} as const

export type CallState = keyof typeof callTable
export type CallEvent = EventOf<typeof callTable>
type ResponseKind = 'events' | 'output' | 'file' | 'fixed'

/** The state that follows; null: the call has failed. */
export const callAfter = (state: CallState, event: CallEvent): CallState | null => nextState(callTable, state, event)

export const firstState = (request: PhoneRequest): CallState => (isRepeatable(request) ? 'asked' : 'once')

export const isExec = ({ method, path }: PhoneRequest): boolean => method === 'POST' && /^\/exec(\/|\?|$)/.test(path)
export const isStream = ({ path }: PhoneRequest): boolean =>
  /^\/(runs\/[^/]+\/(events|output)|scratchpads\/[^/]+)(\?|$)/.test(path)

/** Whether sending it twice has the same effect as sending it once. */
export const isRepeatable = (request: PhoneRequest): boolean =>
  ['GET', 'HEAD'].includes(request.method) ||
  isExec(request) ||
  (request.method === 'DELETE' && request.path.startsWith('/runs/'))

export const isEventStream = (headers: Record<string, string>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

/** How a response with these headers can be resumed. */
export function kindOf(first: PhoneRequest, headers: Record<string, string>): ResponseKind {
  const hasRun = headers['run-id'] !== undefined
  if (isEventStream(headers)) return (isExec(first) ? hasRun : isStream(first)) ? 'events' : 'fixed'
  if (isExec(first)) return hasRun ? 'output' : 'fixed'
  if (first.method !== 'GET') return 'fixed'
  if (isStream(first) && first.headers?.range === undefined) return 'output'
  return headers['accept-ranges'] === 'bytes' ? 'file' : 'fixed'
}
