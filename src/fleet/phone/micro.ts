import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { callsOf, PHONE_QUEUE, MICRO_NAME } from '../../shared/schema/index.ts'
import type { Counts, FleetParts } from './fleet-parts.ts'

/** Implements the micro protocol of NATS, so that `nats micro ls` lists the phone and `nats micro stats` its counters. */
export function answerMicro(nc: NatsConnection, { membership, version }: FleetParts, counts: Counts): void {
  const { name } = membership
  const started = new Date().toISOString()
  const who = { name: MICRO_NAME, id: name, version, metadata: {} }
  const endpoint = { name: 'call', subject: callsOf(name), queue_group: PHONE_QUEUE }
  const answers: Record<string, () => object> = {
    PING: () => ({ type: 'io.nats.micro.v1.ping_response', ...who }),
    INFO: () => ({
      ...{ type: 'io.nats.micro.v1.info_response', ...who, description: 'A phone that runs shell commands' },
      endpoints: [{ ...endpoint, metadata: {} }],
    }),
    STATS: () => ({ type: 'io.nats.micro.v1.stats_response', ...who, started, endpoints: [statsOf(endpoint, counts)] }),
  }
  const answer = (msg: Msg) => {
    const make = answers[msg.subject.split('.')[1] ?? '']
    if (make && msg.reply?.startsWith('_INBOX.')) msg.respond(JSON.stringify(make()))
  }
  for (const subject of ['$SRV.*', `$SRV.*.${MICRO_NAME}`, `$SRV.*.${MICRO_NAME}.${name}`]) {
    nc.subscribe(subject, { callback: (error, msg) => void (error ?? answer(msg)) })
  }
}

const statsOf = (endpoint: object, { requests, refused }: Counts) => ({
  ...endpoint,
  ...{ num_requests: requests, num_errors: refused, last_error: '', processing_time: 0, average_processing_time: 0 },
})
