import type { PhoneRequest } from './phone-request.ts'
import { type EventOf, nextState } from './state-table.ts'

/**
 * The states of a call: a request to a phone, and its response on the way to the client.
 *
 * A state determines how the response resumes if it is interrupted.
 * - asked: nothing has arrived, and the request can safely be sent again
 * - once: nothing has arrived, and sending the request again might run it twice
 * - opened: the phone has opened a channel, and nothing has arrived through it
 * - events: after the last complete event
 * - output: at a byte of a run's output
 * - file: at a byte, if the file is unchanged
 * - pulled: through the channel of the file, or at a byte
 * - held: only through its channel
 * - fixed: the response cannot resume
 * - whole: the client has the whole response
 *
 * The events are the kinds of response (`kindOf`), and:
 * - opened: the phone has opened a channel
 * - more: the response is incomplete
 * - eof: the response is complete
 * - unanswered: the request was sent, but no complete response arrived
 * - undelivered: the request was not sent to the phone
 * - lost: the phone has closed the channel, or cannot send the rest
 * An event that a state does not list ends the call: the client gets the error, or its connection is closed.
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

/** The next state; null: the call has failed. */
export const callAfter = (state: CallState, event: CallEvent): CallState | null => nextState(callTable, state, event)

export const firstState = (request: PhoneRequest): CallState => (isRepeatable(request) ? 'asked' : 'once')

export const isExec = ({ method, path }: PhoneRequest): boolean => method === 'POST' && /^\/exec(\/|\?|$)/.test(path)
export const isStream = ({ path }: PhoneRequest): boolean =>
  /^\/(runs\/[^/]+\/(events|output)|scratchpads\/[^/]+)(\?|$)/.test(path)

/** Whether sending the request twice has the same effect as sending it once. */
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
