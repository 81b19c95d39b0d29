import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { type Static, Type } from '@sinclair/typebox'
import {
  check,
  orNull,
  SessionName,
  ShellphoneError,
  shown,
  WakeEvent,
  type WakeType,
  wakeTypes,
} from '../../shared/schema/index.ts'
import { pollEvents, type Subscribed } from '../wake/index.ts'
import type { McpParts } from './mcp-parts.ts'
import { standard } from './standard-schema.ts'
import { seenIn, whoIn } from './who.ts'

export const EVENTS_EXTENSION = 'io.modelcontextprotocol/events'

/** The codes of the extension (SEP-3415) for errors that JSON-RPC has none for. */
const codes = {
  notFound: -32011,
  forbidden: -32012,
  resourceExhausted: -32013,
  unsupported: -32014,
  callbackEndpointError: -32015,
}

const MAX_POLLED = 1000
const DEFAULT_POLLED = 100
const NEXT_POLL_MS = 5000

const descriptions: Record<WakeType, string> = {
  'run.asked': 'A run waits for the approval of a person',
  'run.answered': 'The approval request of a run has ended',
  'run.ended': 'A run has ended; exec_wait with its id returns the result',
}

const Arguments = Type.Object(
  { session: Type.Optional({ ...SessionName, description: 'Only runs in this session of the token' }) },
  { additionalProperties: false },
)

const named = {
  name: Type.String({ maxLength: 64 }),
  arguments: Type.Optional(Type.Unknown()),
}
const resumed = {
  ...named,
  cursor: Type.Optional(orNull(Type.String({ maxLength: 64 }))),
  maxAgeMs: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
}
const url = Type.String({ maxLength: 2048 })

const ListParams = Type.Object({ cursor: Type.Optional(orNull(Type.String())) })
const PollParams = Type.Object({
  ...resumed,
  maxEvents: Type.Optional(orNull(Type.Integer({ minimum: 1 }))),
})
const SubscribeParams = Type.Object({
  ...resumed,
  delivery: Type.Object({ mode: Type.String({ maxLength: 64 }), url, secret: Type.String({ maxLength: 128 }) }),
  ttlMs: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
})
const UnsubscribeParams = Type.Object({ ...named, delivery: Type.Object({ url }) })

/** Handles the methods of MCP Events: the events of runs, by polling and by subscriptions whose events are sent to a URL. */
export function serveEvents(server: Server, { executor, subscriptions }: McpParts): void {
  const canPoll = () => executor.events.newest() !== null // otherwise the history is only in memory
  server.setRequestHandler('events/list', { params: standard(ListParams) }, async ({ cursor = null }) => {
    if (cursor !== null) throw invalid(`cursor: the list has only one page, got ${shown(cursor)}`)
    const delivery = canPoll() ? ['poll', 'webhook'] : ['webhook']
    return { resultType: 'complete', events: wakeTypes.map((name) => toEventType(name, delivery)) }
  })
  server.setRequestHandler('events/poll', { params: standard(PollParams) }, async (params, ctx) => {
    const key = toKey(params)
    if (!canPoll()) throw unsupported('poll')
    const max = Math.min(params.maxEvents ?? DEFAULT_POLLED, MAX_POLLED)
    const poll = { ...key, cursor: params.cursor ?? null, sinceMs: toSinceMs(params), max }
    const polled = await pollEvents(seenIn(ctx, executor).events, poll, whoIn(ctx)).catch(throwInvalidParams)
    return { resultType: 'complete', ...polled, nextPollMs: NEXT_POLL_MS }
  })
  server.setRequestHandler('events/subscribe', { params: standard(SubscribeParams) }, async (params, ctx) => {
    const key = toKey(params)
    const { mode, url, secret } = params.delivery
    if (mode !== 'webhook') throw unsupported(mode)
    checkSecret(secret)
    const input = {
      ...key,
      url,
      secret,
      cursor: params.cursor ?? null,
      sinceMs: toSinceMs(params),
      ttlMs: params.ttlMs,
    }
    const result = await subscriptions.subscribe(input, whoIn(ctx)).catch(throwInvalidParams)
    return { resultType: 'complete', ...orThrow(result) }
  })
  server.setRequestHandler('events/unsubscribe', { params: standard(UnsubscribeParams) }, async (params, ctx) => {
    const isFound = subscriptions.unsubscribe({ ...toKey(params), url: params.delivery.url }, whoIn(ctx))
    if (isFound) return { resultType: 'complete' }
    const message = 'NotFound: this token has no subscription with this event, these arguments and this URL'
    throw new ProtocolError(codes.notFound, message, { kind: 'subscription' })
  })
}

/** An event type in the list. */
const toEventType = (name: WakeType, delivery: string[]) => ({
  ...{ name, description: descriptions[name], delivery },
  inputSchema: Arguments,
  payloadSchema: WakeEvent.properties.data,
})

/** Checks the name and the arguments. Throws the protocol's errors. */
function toKey({ name, arguments: args }: Static<typeof UnsubscribeParams> | Static<typeof PollParams>) {
  const type = wakeTypes.find((one) => one === name)
  if (type === undefined) {
    const message = `NotFound: expected the name of an event, ${wakeTypes.join(', ')}, got ${shown(name)}`
    throw new ProtocolError(codes.notFound, message, { kind: 'event' })
  }
  try {
    return { name: type, session: check(Arguments, args ?? {}).session }
  } catch (error) {
    throw invalid(`arguments: ${(error as Error).message}`)
  }
}

const toSinceMs = ({ maxAgeMs }: { maxAgeMs?: number | null }) => (maxAgeMs == null ? -Infinity : Date.now() - maxAgeMs)

/** A secret of Standard Webhooks, which the client chooses: whsec_ and the base64 of 24 to 64 bytes. */
function checkSecret(secret: string): void {
  const base64 = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : ''
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') === base64 && bytes.length >= 24 && bytes.length <= 64) return
  throw invalid('delivery.secret: expected whsec_ and the base64 of 24 to 64 bytes')
}

/** Returns a subscription, or throws the protocol's error for its refusal. */
function orThrow(result: Subscribed) {
  if ('id' in result) return result
  if ('limit' in result) {
    const { limit, max } = result
    throw new ProtocolError(codes.resourceExhausted, `ResourceExhausted: at most ${max} ${limit}`, { limit, max })
  }
  if ('revoked' in result) throw new ProtocolError(codes.forbidden, 'Forbidden: the token was revoked')
  const message = `CallbackEndpointError: the URL did not repeat the challenge (${result.fault})`
  throw new ProtocolError(codes.callbackEndpointError, message, { reason: result.fault })
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

const unsupported = (mode: string) =>
  new ProtocolError(codes.unsupported, `Unsupported: no event has the delivery mode ${shown(mode)}`, {
    feature: 'deliveryMode',
    value: mode,
  })

/** Throws the protocol's error for a value that is refused, or else the error itself. */
function throwInvalidParams(error: unknown): never {
  throw error instanceof ShellphoneError && error.code === 'VALIDATION_ERROR' ? invalid(error.message) : error
}
