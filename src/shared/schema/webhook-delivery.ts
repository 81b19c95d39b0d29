import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { NAME } from './name.ts'
import { orNull } from './or-null.ts'
import { SessionName } from './request.ts'
import { Timestamp } from './timestamp.ts'
import { WakeType } from './wake-event.ts'

export const WebhookName = Type.String({
  pattern: NAME.source,
  description: 'Its name: 1 to 64 letters, digits, dots, underscores and hyphens; each token has its own names',
})

const url = Type.String({
  maxLength: 2048,
  description: 'Where to POST the events: HTTPS to a public address, or a host in the setting webhook_hosts',
})
const types = Type.Array(WakeType, { minItems: 1, maxItems: 3, description: 'The types of events to send' })

/** The body of PUT /webhooks/:name. */
export const WebhookInput = Type.Object(
  {
    url,
    types: Type.Optional({ ...types, description: 'The types of events to send (default: all)' }),
    session: Type.Optional({
      ...SessionName,
      description: 'Send only events of runs in this session of the token (default: of all runs that it may read)',
    }),
    rotate_secret: Type.Optional(
      Type.Boolean({
        description: 'Make a new secret; for 24 h events are signed with the old one, too (default: false)',
      }),
    ),
  },
  { additionalProperties: false, $id: 'WebhookInput', description: 'A webhook to create or to change' },
)
export type WebhookInput = Static<typeof WebhookInput>

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'The header webhook-id, the same in each try' }),
    type: WakeType,
    run_id: Type.String({ description: 'The id of the run' }),
    status: oneWordOf(['waiting', 'delivered', 'failed'], {
      description: 'waiting: the next try is due at next_at; delivered: a response of 2xx; failed: no further try',
    }),
    tries: Type.Integer({ description: 'How many tries have ended' }),
    response_status: orNull(Type.Integer({ description: 'The status of the last response; null: none' })),
    error: orNull(Type.String({ description: 'Why the last try failed; null: it did not' })),
    tried_at: orNull(Timestamp('When the last try ended; null: none has ended since the service started')),
    next_at: orNull(Timestamp('When the next try is due; null: never')),
  },
  { $id: 'WebhookDelivery', description: 'An event on its way to a webhook' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const Webhook = Type.Object(
  {
    name: WebhookName,
    token: Type.String({ description: 'The name of the token to which it belongs' }),
    url,
    types,
    session: orNull(Type.String({ description: 'Only runs in this session of the token; null: all' })),
    created_at: Timestamp('When it was created'),
    expires_at: orNull(Timestamp('When the subscription of an MCP client ends unless it is renewed; null: never')),
    status: oneWordOf(['active', 'gone'], {
      description: 'gone: the receiver responded with 410, so nothing is sent until the webhook is put again',
    }),
    waiting: Type.Integer({ description: 'How many events wait for a try' }),
    dropped: Type.Integer({ description: 'How many events were not sent because too many waited, since the start' }),
    deliveries: Type.Array(WebhookDelivery, { description: 'The last 20 deliveries since the start, newest first' }),
  },
  { $id: 'Webhook', description: 'A webhook of a token, without its secret' },
)
export type Webhook = Static<typeof Webhook>

export const PutWebhook = Type.Object(
  {
    webhook: Webhook,
    secret: orNull(
      Type.String({ description: 'The secret, whsec_…, returned only when it is made; null: it has not changed' }),
    ),
  },
  { $id: 'PutWebhook', description: 'A webhook, and its secret if it is new' },
)
export type PutWebhook = Static<typeof PutWebhook>
