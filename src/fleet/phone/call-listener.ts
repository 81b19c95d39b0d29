import { Agent } from 'node:http'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { within } from '../../shared/async/index.ts'
import { callsOf, PHONE_QUEUE, ShellphoneError } from '../../shared/schema/index.ts'
import { createChannels } from './channels.ts'
import { type CheckedCall, callIdOf, type Checks, readCall, replyOf } from './check-call.ts'
import type { Counts, FleetParts } from './fleet-parts.ts'
import { openConnection } from './service-connection.ts'
import { createPartWriter, type PartWriter } from './part-writer.ts'
import { relay } from './relay.ts'

/** An idle connection to the service is closed after this time, because each open connection costs the service resources. */
const IDLE_MS = 10_000
/** The `Retry-After` of a 503. */
const RETRY_SECONDS = 1

/** Receives and answers the calls of a phone. */
export interface CallListener {
  /** Stops accepting calls. Resolves when every open call is answered, or after `graceMs` milliseconds. */
  close(graceMs: number): Promise<void>
}

/** Subscribes to the phone's calls. Devices with the same identity share the subscription, so that no call runs twice. */
export function listenForCalls(nc: NatsConnection, parts: FleetParts, checks: Checks, counts: Counts): CallListener {
  const agent = new Agent({ keepAlive: true, maxSockets: parts.maxRequests, timeout: IDLE_MS })
  const answers = new Set<Promise<void>>()
  const onPart = () => void (counts.parts += 1)
  const serviceFor = ({ callClass, caller }: CheckedCall) => {
    const authorization = `Bearer ${parts.tokenFor(callClass, caller)}`
    return { ...parts.service, agent, authorization }
  }
  const channels = createChannels((call) => openConnection(call, serviceFor(call)))
  nc.closed().then(channels.close, channels.close)

  const nonce = () => (checks.keys.length > 0 ? checks.nonces.current() : undefined)
  const answer = async (msg: Msg, reply: string) => {
    counts.requests += 1
    let writer: PartWriter | undefined
    try {
      const call = readCall(msg, checks)
      const { channel } = call.head
      if (!channel && answers.size - channels.calls() >= parts.maxRequests) throw full(parts.maxRequests)
      writer = createPartWriter(nc, { reply, ...call.head, nonce: nonce() }, onPart)
      await (channel ? channels.answer(call, writer) : relay(call, serviceFor(call), writer))
    } catch (error) {
      counts.refused += 1
      refuse(error, writer ?? createPartWriter(nc, { reply, call: callIdOf(msg), nonce: nonce() }, onPart))
    }
  }
  const receive = (msg: Msg) => {
    const reply = replyOf(msg)
    if (reply === null) return void (counts.refused += 1)
    const answered = answer(msg, reply).finally(() => {
      answers.delete(answered)
      counts.open = answers.size
    })
    answers.add(answered)
    counts.open = answers.size
  }
  const subscription = nc.subscribe(callsOf(parts.membership.name), {
    queue: PHONE_QUEUE,
    callback: (error, msg) => void (error ?? receive(msg)),
  })
  return {
    async close(graceMs) {
      if (!nc.isClosed()) subscription.unsubscribe()
      channels.close()
      await within(Promise.allSettled(answers), graceMs)
      agent.destroy()
    },
  }
}

const full = (maxRequests: number) =>
  new ShellphoneError('POOL_FULL', `${maxRequests} requests from the fleet are already in progress`, {
    retryAfterSeconds: RETRY_SECONDS,
  })

/** Replies with a JSON error body in the service's format. */
function refuse(error: unknown, parts: ReturnType<typeof createPartWriter>): void {
  const known = error instanceof ShellphoneError ? error : new ShellphoneError('EXECUTION_ERROR', String(error))
  const { retryAfterSeconds } = known.extra
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  parts.head(known.status, headers, false)
  parts.end('eof', { data: Buffer.from(JSON.stringify(known.toBody())) })
}
