import { type Static, Type } from '@sinclair/typebox'
import { Channel } from './fleet-channel.ts'

/** The name of a phone or a caller in a fleet: one token of a subject, so that no name widens its holder's rights. */
export const FLEET_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/
const FleetName = Type.String({ pattern: FLEET_NAME.source })
/** The caller name of every control plane; a phone trusts the `by` field of this caller only. */
export const PLANE_CALLER = 'plane'

/** The class of a call, which is part of its subject: it runs something, it reads, or it answers for a person. */
export const callClasses = ['run', 'read', 'answer'] as const
export type CallClass = (typeof callClasses)[number]

/** The subject for calls to one phone. The broker lets a caller publish under its own name only, so that the phone knows the caller. */
export const callSubject = (name: string, callClass: CallClass, caller: string) =>
  `sp.call.${name}.${callClass}.${caller}`
/** Every call to one phone. */
export const callsOf = (name: string) => `sp.call.${name}.>`
/** Unsolicited messages of a phone, to one control plane of the queue group. They may be lost. */
export const upSubject = (name: string) => `sp.up.${name}`
/** The prefix of a caller's reply subjects; only that caller can subscribe to it. */
export const inboxPrefix = (caller: string) => `_INBOX.${caller}`
/** The in-memory bucket of presences; a phone writes only the key that is its name. */
export const PRESENCE_BUCKET = 'sp_phones'
export const presenceSubject = (name: string) => `$KV.${PRESENCE_BUCKET}.${name}`
/** Two devices with one identity share their calls, so that no call runs twice. */
export const PHONE_QUEUE = 'door'
/** The service name of phones in `nats micro ls`. */
export const MICRO_NAME = 'shellphone'

/** Phone, class and caller from a call's subject; null: not a call's subject. */
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
/** The broker lets a phone answer one call with 512 messages within 5 minutes; a response uses at most this many. */
export const FLEET_MAX_PARTS = 500
/** The window of a call that names none. */
export const FLEET_MAX_WINDOW_BYTES = FLEET_MAX_PARTS * FLEET_PART_BYTES
/** The window for a response that can be resumed: core NATS has no flow control of its own. */
export const FLEET_WINDOW_BYTES = 1_048_576
/** The maximum duration of one response. */
export const FLEET_MAX_WAIT_MS = 240_000
/** While there is nothing to send, an empty part goes out this often to show that the phone is still there; without one for FLEET_SILENT_MS it counts as silent. */
export const FLEET_HEARTBEAT_MS = 5_000
export const FLEET_SILENT_MS = 12_000
/** A phone counts as online for this many seconds after its last message. */
export const FLEET_ONLINE_SECONDS = 150

/** NATS headers: the first is the JSON of a CallHead or PartHead, the second a signature (calls only). */
export const HEAD_HEADER = 'Head'
export const SIGNATURE_HEADER = 'Signature'
/** HTTP response header: the nonce that signed calls must name from now on. It stays between a phone and its control planes. */
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
      Type.String({ maxLength: 64, description: 'The intended home; another answers 409 wrong_home' }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
        description: 'The caller of the control plane; sent by control planes only',
      }),
    ),
    nonce: Type.Optional(
      Type.String({ maxLength: 64, description: "The phone's nonce: a signed call is valid for this one, once" }),
    ),
    window: Type.Optional(
      Type.Integer({ minimum: 1, maximum: FLEET_MAX_WINDOW_BYTES, description: 'Bytes of the response' }),
    ),
    wait_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: FLEET_MAX_WAIT_MS })),
    channel: Type.Optional(Channel),
  },
  { additionalProperties: false },
)
export type CallHead = Static<typeof CallHead>

/**
 * One part of a response; its payload is a piece of the body. Parts are numbered from 0 and arrive in order. One of them has `status` and
 * `headers`; empty parts before and after it show that the phone is there. The last has `end`: eof, or more: the response is incomplete,
 * request the rest; if there was no status, there was nothing to send within the wait.
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

/** The text that the signature of a call covers: target, class, caller and every byte. `head`: exactly as sent. */
export const signedText = (subject: string, head: string, bodySha256: string) => `${subject}\n${head}\n${bodySha256}`

/** HTTP request headers that are passed on to the phone; all others stay between a client and its control plane. */
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
  'mcp-protocol-version',
  'mcp-session-id',
  'prefer',
  'range',
  'repr-digest',
  'upload-key',
] as const

/** Response headers that concern one connection and are not passed on. */
export const connectionHeaders = ['connection', 'date', 'keep-alive', 'trailer', 'transfer-encoding'] as const

/** The token name in the records of a caller: no real token's name has a slash. */
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

/** Labels of a list like ["lab=berlin", "arm64"]; invalid ones are left out. */
export const toLabels = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.flatMap((text) => (LABEL.test(text) ? [[text.split('=')[0]!, text.split('=')[1] ?? '']] : [])),
  )

/** What a phone reports about itself, every fleet_beat_seconds and when it changes. */
export const Presence = Type.Object(
  {
    version: Type.String({ maxLength: 64 }),
    home: Type.String({ maxLength: 64, description: 'The id of its stored keys; a wiped or copied home has another' }),
    boot: Type.String({ maxLength: 64, description: 'The id of this start of the service' }),
    labels,
    battery: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()]),
    running: Type.Integer(),
    queued: Type.Integer(),
    pending_approvals: Type.Integer(),
    stopping: Type.Optional(Type.Boolean({ description: 'The last message: the service stops in order' })),
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

/** POST /enrol of a control plane: the invitation from its link, and the public nkey whose seed stays on the phone. */
export const EnrolRequest = Type.Object(
  {
    invite: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
    public_key: Type.String({ pattern: '^U[A-Z2-7]{55}$' }),
    home: Type.String({ maxLength: 64 }),
    version: Type.String({ maxLength: 64 }),
  },
  { additionalProperties: false },
)
export type EnrolRequest = Static<typeof EnrolRequest>

export const EnrolReply = Type.Object(
  {
    name: FleetName,
    jwt: Type.String({ maxLength: 16_384 }),
    servers: Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: 16 }),
    ca: Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()], {
      description: 'The certificate authority, PEM; null: a public one',
    }),
    plane_keys: Type.Array(PublicKey, {
      maxItems: 8,
      description: 'Calls must be signed by one of these keys; empty: no signature needed',
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
  name: Type.String(),
  connected: Type.Boolean(),
  since: Type.Union([Type.String(), Type.Null()], {
    description: 'Since when it is connected or not; null: it was never connected',
  }),
  server: Type.Union([Type.String(), Type.Null()]),
  trouble: Type.Union([Type.String(), Type.Null()], { description: 'The error of the last attempt' }),
  open: Type.Integer({ description: 'Requests in progress' }),
  requests: Type.Integer(),
  refused: Type.Integer(),
  parts: Type.Integer(),
  reconnects: Type.Integer(),
})
export type LinkStatus = Static<typeof LinkStatus>
