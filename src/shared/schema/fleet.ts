import { type Static, Type } from '@sinclair/typebox'
import { Channel } from './fleet-channel.ts'
import { FLEET_NAME } from './name.ts'

/** The caller name of every control plane; a phone trusts the `by` field of this caller only. */
export const PLANE_CALLER = 'plane'

/** The class of a call, which is part of its subject: run starts or changes runs, read only reads, and answer does what only people may do. */
export const callClasses = ['run', 'read', 'answer'] as const
export type CallClass = (typeof callClasses)[number]

/** The subject for calls to one phone. The broker lets a caller publish under its own name only, so the phone can trust the name. */
export const callSubject = (name: string, callClass: CallClass, caller: string) =>
  `sp.call.${name}.${callClass}.${caller}`
/** The subject pattern for all calls to one phone. */
export const callsOf = (name: string) => `sp.call.${name}.>`
/** The subject for a phone's unsolicited messages to one control plane of the queue group. They may be lost. */
export const upSubject = (name: string) => `sp.up.${name}`
/** The prefix of a caller's reply subjects; only that caller can subscribe to it. */
export const inboxPrefix = (caller: string) => `_INBOX.${caller}`
/** The in-memory key-value bucket for presence. A phone may write only the key with its own name. */
export const PRESENCE_BUCKET = 'sp_phones'
export const presenceSubject = (name: string) => `$KV.${PRESENCE_BUCKET}.${name}`
/** The queue group of a phone's subscription: if two devices use one identity, only one of them receives each call. */
export const PHONE_QUEUE = 'door'
/** The service name of phones in `nats micro ls`. */
export const MICRO_NAME = 'shellphone'

/** The phone, class and caller in the subject of a call; null if it is not such a subject. */
export function readCallSubject(subject: string): { name: string; callClass: CallClass; caller: string } | null {
  const [sp, call, name = '', word, caller = '', ...more] = subject.split('.')
  const callClass = callClasses.find((one) => one === word)
  const isCall = sp === 'sp' && call === 'call' && callClass && more.length === 0
  return isCall && FLEET_NAME.test(name) && FLEET_NAME.test(caller) ? { name, callClass, caller } : null
}

/** The maximum size of a NATS message, headers included; a larger one gets 413. */
export const FLEET_MAX_PAYLOAD_BYTES = 2_097_152
/** The maximum size of a body, which leaves space for the headers. */
export const FLEET_MAX_BODY_BYTES = 2_000_000
/** The maximum size of one part of a response. */
export const FLEET_PART_BYTES = 65_536
/** The maximum number of parts of a response. The broker lets a phone answer one call with up to 512 messages within 5 minutes. */
export const FLEET_MAX_PARTS = 500
/** The default window of a call. */
export const FLEET_MAX_WINDOW_BYTES = FLEET_MAX_PARTS * FLEET_PART_BYTES
/** The window for a response that can be resumed. Core NATS has no flow control. */
export const FLEET_WINDOW_BYTES = 1_048_576
/** The maximum duration of one response. */
export const FLEET_MAX_WAIT_MS = 240_000
/** While a phone has nothing to send, it sends an empty part at this interval. After FLEET_SILENT_MS without a part, it counts as unresponsive. */
export const FLEET_HEARTBEAT_MS = 5_000
export const FLEET_SILENT_MS = 12_000
/** A phone counts as online for this long after its last message. */
export const FLEET_ONLINE_SECONDS = 150

/** The NATS headers: the first contains a CallHead or PartHead as JSON, the second a signature (calls only). */
export const HEAD_HEADER = 'Head'
export const SIGNATURE_HEADER = 'Signature'
/** The HTTP response header with the nonce that later signed calls must name. Only the phone and its control planes see it. */
export const NONCE_HEADER = 'call-nonce'

const named = { additionalProperties: false }
const Headers = Type.Record(
  Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
  Type.String({ maxLength: 8192, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' }),
  named,
)

/** One HTTP request to a phone; the payload of the message is its body. */
export const CallHead = Type.Object(
  {
    call: Type.String({ minLength: 1, maxLength: 64, description: 'The id of this call, chosen by the caller' }),
    method: Type.String({ pattern: '^(GET|HEAD|POST|PUT|DELETE)$' }),
    path: Type.String({ pattern: '^/[\\x21\\x22\\x24-\\x7e]*$', maxLength: 16_384 }),
    headers: Headers,
    home: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The id of the intended home; a phone with another home responds with 409 wrong_home',
      }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
        description: 'The caller on whose behalf a control plane makes this call; only control planes send it',
      }),
    ),
    nonce: Type.Optional(
      Type.String({ maxLength: 64, description: "The phone's nonce, which makes a signed call valid only once" }),
    ),
    window: Type.Optional(
      Type.Integer({ minimum: 1, maximum: FLEET_MAX_WINDOW_BYTES, description: 'Maximum bytes of the response' }),
    ),
    wait_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: FLEET_MAX_WAIT_MS })),
    channel: Type.Optional(Channel),
  },
  { additionalProperties: false },
)
export type CallHead = Static<typeof CallHead>

/**
 * One part of a response; its payload is a piece of the body. Parts are numbered from 0 and arrive in order. One of them has `status` and
 * `headers`; empty parts before and after it show that the phone is still working. The last part has `end`: `eof` ends the body, and `more`
 * means that the caller must request the rest. If no part had a status, the phone had nothing to send within the wait.
 */
export const PartHead = Type.Object(
  {
    call: Type.String({ maxLength: 64 }),
    part: Type.Integer({ minimum: 0, maximum: FLEET_MAX_PARTS }),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    headers: Type.Optional(Headers),
    end: Type.Optional(Type.Union([Type.Literal('eof'), Type.Literal('more')])),
    trailers: Type.Optional(Headers),
    channel: Type.Optional(Type.String({ maxLength: 64, description: 'The id of the opened channel' })),
  },
  { additionalProperties: false },
)
export type PartHead = Static<typeof PartHead>

/** The text that the signature of a call covers: the subject (target, class and caller), the head exactly as sent, and the hash of the body. */
export const signedText = (subject: string, head: string, bodySha256: string) => `${subject}\n${head}\n${bodySha256}`

/** The HTTP request headers that a control plane forwards to the phone. It drops all others. */
export const forwardedHeaders = [
  'accept',
  'content-range',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'prefer',
  'range',
  'repr-digest',
  'upload-key',
] as const

/** The response headers that describe a single connection and are not forwarded. */
export const connectionHeaders = ['connection', 'date', 'keep-alive', 'trailer', 'transfer-encoding'] as const

/** The token name in the records of a caller. No real token's name contains a slash. */
export const callerTokenName = (caller: string) => `fleet/${caller}`

const LABEL_KEY = '[a-z][a-z0-9._-]{0,30}'
const LABEL_VALUE = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}'
const labels = Type.Record(
  Type.String({ pattern: `^${LABEL_KEY}$` }),
  Type.String({ pattern: `^(${LABEL_VALUE})?$` }),
  named,
)
/** A label in text form, `lab=berlin` or `arm64`. */
export const LABEL = new RegExp(`^(${LABEL_KEY})(?:=(${LABEL_VALUE}))?$`)

/** Converts a list like ["lab=berlin", "arm64"] to labels. Omits invalid ones. */
export const toLabels = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.flatMap((text) => (LABEL.test(text) ? [[text.split('=')[0]!, text.split('=')[1] ?? '']] : [])),
  )

/** The state that a phone reports every fleet_beat_seconds and at each change. */
export const Presence = Type.Object(
  {
    version: Type.String({ maxLength: 64 }),
    home: Type.String({ maxLength: 64, description: 'The id of its home; a wiped or copied home has another id' }),
    boot: Type.String({ maxLength: 64, description: 'The id of this start of the service' }),
    labels,
    battery: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()]),
    running: Type.Integer(),
    queued: Type.Integer(),
    pending_approvals: Type.Integer(),
    stopping: Type.Optional(Type.Boolean({ description: 'The service is shutting down; this is its last message' })),
  },
  { additionalProperties: false },
)
export type Presence = Static<typeof Presence>

/** An unsolicited message of a phone, on sp.up.NAME. */
export const UpMessage = Type.Union([
  Type.Object({ type: Type.Literal('hello'), home: Type.String(), boot: Type.String(), version: Type.String() }),
  Type.Object({ type: Type.Literal('asked'), approval_id: Type.String(), run_id: Type.String() }),
])
export type UpMessage = Static<typeof UpMessage>

const PublicKey = Type.String({ maxLength: 512, description: 'Ed25519, SPKI, base64' })

/** The body of POST /enrol of a control plane: the invitation from the link, and the public nkey. Its seed stays on the phone. */
export const EnrolRequest = Type.Object(
  {
    invite: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description: 'The invitation' }),
    public_key: Type.String({ pattern: '^U[A-Z2-7]{55}$', description: 'The public nkey of the phone' }),
    home: Type.String({ maxLength: 64, description: 'The id of the home of the service' }),
    version: Type.String({ maxLength: 64, description: 'The version of the service' }),
  },
  { additionalProperties: false },
)
export type EnrolRequest = Static<typeof EnrolRequest>

export const EnrolReply = Type.Object(
  {
    name: Type.String({ pattern: FLEET_NAME.source, description: 'The name of the phone' }),
    jwt: Type.String({ maxLength: 16_384, description: 'The JWT for the broker' }),
    servers: Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: 16, description: 'The brokers' }),
    ca: Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()], {
      description: 'The certificate of the certificate authority, in PEM; null: a public one',
    }),
    plane_keys: Type.Array(PublicKey, {
      maxItems: 8,
      description: 'Calls must be signed by one of these keys; empty: signatures are not required',
    }),
  },
  { additionalProperties: false },
)
export type EnrolReply = Static<typeof EnrolReply>

/** $SHELLPHONE_HOME/fleet.json (0600): the phone's fleet membership. */
export const FleetFile = Type.Composite(
  [
    EnrolReply,
    Type.Object({ seed: Type.String({ pattern: '^SU[A-Z2-7]{56}$' }), plane: Type.String({ maxLength: 2048 }) }),
  ],
  { additionalProperties: false },
)
export type FleetFile = Static<typeof FleetFile>

/** The state of the link for /health and `fleet status`. */
export const LinkStatus = Type.Object({
  name: Type.String({ description: 'The name of this phone in the fleet' }),
  connected: Type.Boolean({ description: 'Whether it is connected to the broker' }),
  since: Type.Union([Type.String(), Type.Null()], {
    description: 'When the current state began, as ISO 8601 in UTC; null: it has never been connected',
  }),
  server: Type.Union([Type.String(), Type.Null()], { description: 'The address of the broker; null: not connected' }),
  trouble: Type.Union([Type.String(), Type.Null()], { description: 'The error of the last attempt' }),
  open: Type.Integer({ description: 'Requests in progress' }),
  requests: Type.Integer({ description: 'Requests since the service started' }),
  refused: Type.Integer({ description: 'Requests that it refused, such as those with a wrong signature' }),
  parts: Type.Integer({ description: 'Parts of responses that it sent' }),
  reconnects: Type.Integer({ description: 'How often the connection was restored' }),
})
export type LinkStatus = Static<typeof LinkStatus>
