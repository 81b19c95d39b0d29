import type { PhoneRequest } from './phone-request.ts'
import { type EventOf, nextState } from './state-table.ts'

/**
 * A request that is passed to a phone, and its answer, which goes to the client as it comes.
 *
 * States say how the answer goes on where it stops. asked: nothing came, and asking again does no more than once. once: nothing came, and
 * asking again might do it twice. opened: a channel is open on the phone, nothing came through it. events: from the last whole event.
 * output: from a byte of a run's output. file: from a byte, if the file is still the same. pulled: a file through its channel. held: through
 * its channel alone. fixed: not at all.
 *
 * Events: the kind of the answer, as its head says (`kindOf`), and opened: the phone has opened a channel. more: what came is not all. eof.
 * unanswered: it was sent, and no whole answer came. unheard: nobody listened. lost: the phone has closed the channel, or has no rest.
 * What has no row here is the end: the client gets the error, or its connection is cut.
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
  events: { more: 'events', eof: 'whole', unanswered: 'events', unheard: 'events' },
  output: { more: 'output', eof: 'whole', unanswered: 'output', unheard: 'output' },
  file: { opened: 'pulled', more: 'file', eof: 'whole', unanswered: 'file', unheard: 'file' },
  pulled: { more: 'pulled', eof: 'whole', unanswered: 'file', unheard: 'file', lost: 'file' },
  held: { events: 'held', output: 'held', file: 'held', fixed: 'held', more: 'held', eof: 'whole' },
  fixed: { eof: 'whole' },
  whole: {},
} as const

export type CallState = keyof typeof callTable
export type CallEvent = EventOf<typeof callTable>
type ResponseKind = 'events' | 'output' | 'file' | 'fixed'

/** The state that follows; null: the call has failed. */
export const callAfter = (state: CallState, event: CallEvent): CallState | null => nextState(callTable, state, event)

export const firstState = (question: PhoneRequest): CallState => (isRepeatable(question) ? 'asked' : 'once')

export const isExec = ({ method, path }: PhoneRequest): boolean => method === 'POST' && /^\/exec(\/|\?|$)/.test(path)
export const isStream = ({ path }: PhoneRequest): boolean =>
  /^\/(runs\/[^/]+\/(events|output)|scratchpads\/[^/]+)(\?|$)/.test(path)

/** Asked twice it does no more than once. */
export const isRepeatable = (question: PhoneRequest): boolean =>
  ['GET', 'HEAD'].includes(question.method) ||
  isExec(question) ||
  (question.method === 'DELETE' && question.path.startsWith('/runs/'))

export const isEventStream = (headers: Record<string, string>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

/** How an answer with this head can be gone on with. */
export function kindOf(first: PhoneRequest, headers: Record<string, string>): ResponseKind {
  const hasRun = headers['run-id'] !== undefined
  if (isEventStream(headers)) return (isExec(first) ? hasRun : isStream(first)) ? 'events' : 'fixed'
  if (isExec(first)) return hasRun ? 'output' : 'fixed'
  if (first.method !== 'GET') return 'fixed'
  if (isStream(first) && first.headers?.range === undefined) return 'output'
  return headers['accept-ranges'] === 'bytes' ? 'file' : 'fixed'
}
