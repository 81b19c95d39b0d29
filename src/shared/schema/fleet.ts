import { type Static, Type } from '@sinclair/typebox'
import { Channel } from './fleet-channel.ts'

/** A phone's or a caller's name in a fleet: one token of a subject, so that no name widens what its holder may. */
export const FLEET_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/
const FleetName = Type.String({ pattern: FLEET_NAME.source })
/** The name that every plane calls by; what it says of who asked counts. */
export const PLANE_CALLER = 'plane'

/** What a call is about, as its subject says: it runs something, it reads, it answers for a person. */
export const callClasses = ['run', 'read', 'answer'] as const
export type CallClass = (typeof callClasses)[number]

/** Reaches one phone: the broker lets a caller publish its own name alone, so that the phone knows who asks. */
export const callSubject = (name: string, callClass: CallClass, caller: string) =>
  `sp.call.${name}.${callClass}.${caller}`
/** Every call of one phone. */
export const callsOf = (name: string) => `sp.call.${name}.>`
/** What a phone says unasked; to every plane of the queue group. It may be lost. */
export const upSubject = (name: string) => `sp.up.${name}`
/** Where answers go to a caller, and to nobody else. */
export const inboxPrefix = (caller: string) => `_INBOX.${caller}`
/** The memory bucket of presences; a phone writes the one key that is its name. */
export const PRESENCE_BUCKET = 'sp_phones'
export const presenceSubject = (name: string) => `$KV.${PRESENCE_BUCKET}.${name}`
/** Two devices with one identity share their calls instead of running each twice. */
export const DOOR_QUEUE = 'door'
/** How phones show up in `nats micro ls`. */
export const MICRO_NAME = 'shellphone'

/** Class and caller of a call's subject; null: it is none. */
export function readCallSubject(subject: string): { name: string; callClass: CallClass; caller: string } | null {
  const [sp, call, name = '', word, caller = '', ...more] = subject.split('.')
  const callClass = callClasses.find((one) => one === word)
  const isCall = sp === 'sp' && call === 'call' && callClass && more.length === 0
  return isCall && FLEET_NAME.test(name) && FLEET_NAME.test(caller) ? { name, callClass, caller } : null
}

/** A message of NATS, its heads counted; what is larger is 413. */
export const FLEET_MAX_PAYLOAD_BYTES = 2_097_152
/** A body, beside which the heads have room. */
export const FLEET_MAX_BODY_BYTES = 2_000_000
/** A part of an answer, at most. */
export const FLEET_PART_BYTES = 65_536
/** The broker lets a phone answer one call with 512 messages within 5 minutes; so many are parts of an answer, at most. */
export const FLEET_MAX_PARTS = 500
/** An answer in one go where a call names no window. */
export const FLEET_MAX_WINDOW_BYTES = FLEET_MAX_PARTS * FLEET_PART_BYTES
/** What a reader asks for at once of an answer that it can go on with: core NATS has no flow control of its own. */
export const FLEET_WINDOW_BYTES = 1_048_576
/** An answer takes so long, at most. */
export const FLEET_MAX_WAIT_MS = 240_000
/** While there is nothing to say, an empty part says so often that the phone is still there; none for so long, and it is silent. */
export const FLEET_HEARTBEAT_MS = 5_000
export const FLEET_SILENT_MS = 12_000
/** Seconds for which a phone that says nothing counts as online. */
export const FLEET_ONLINE_SECONDS = 150

/** NATS headers: JSON of a CallHead or a PartHead in the first, a signature in the second (of a call alone). */
export const HEAD_HEADER = 'Head'
export const SIGNATURE_HEADER = 'Signature'
/** HTTP header of an answer: what signed calls must name from now on. It stays between a phone and its planes. */
export const NONCE_HEADER = 'call-nonce'

const named = { additionalProperties: false }
const Headers = Type.Record(
  Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
  Type.String({ maxLength: 8192, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' }),
  named,
)

/** One HTTP request to a phone; its body is the message's payload. */
export const CallHead = Type.Object(
  {
    call: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The caller's id for this call; every part carries it",
    }),
    method: Type.String({ pattern: '^(GET|HEAD|POST|PUT|DELETE)$' }),
    path: Type.String({ pattern: '^/[\\x21\\x22\\x24-\\x7e]*$', maxLength: 16_384 }),
    headers: Headers,
    home: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The id of the intended home; another home responds with 409 wrong_home',
      }),
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
 * One part of an answer; its payload is a piece of the body. Parts are numbered from 0 and come in order. One of them has `status` and
 * `headers`: empty ones before it, and between, say that the phone is there. The last has `end`: eof, or more: what came is not all, ask
 * again from there; without a status nothing was to be said within the wait.
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

/** What the signature of a call covers: whom it is for, what it may, by whom, and every byte of it. `head`: as it travels. */
export const signedText = (subject: string, head: string, bodySha256: string) => `${subject}\n${head}\n${bodySha256}`

/** HTTP headers of a request that go to the phone; everything else is between a client and its plane. */
export const carriedHeaders = [
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

/** Of an answer, those that are about one connection stay behind. */
export const uncarriedHeaders = ['connection', 'date', 'keep-alive', 'trailer', 'transfer-encoding'] as const

/** Whose runs a caller's are: no token's name has a slash. */
export const fleetWho = (caller: string) => `fleet/${caller}`

const LABEL_KEY = '[a-z][a-z0-9._-]{0,30}'
const LABEL_VALUE = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}'
const labels = Type.Record(
  Type.String({ pattern: `^${LABEL_KEY}$` }),
  Type.String({ pattern: `^(${LABEL_VALUE})?$` }),
  named,
)
/** A label as it is written, `lab=berlin` or `arm64`. */
export const LABEL = new RegExp(`^(${LABEL_KEY})(?:=(${LABEL_VALUE}))?$`)

/** Labels of a list like ["lab=berlin", "arm64"]; what is none is left out. */
export const toLabels = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.flatMap((text) => (LABEL.test(text) ? [[text.split('=')[0]!, text.split('=')[1] ?? '']] : [])),
  )

/** What a phone writes of itself, every fleet_beat_seconds and when it changes. */
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

/** What a phone says unasked, on sp.up.NAME. */
export const UpMessage = Type.Union([
  Type.Object({ type: Type.Literal('hello'), home: Type.String(), boot: Type.String(), version: Type.String() }),
  Type.Object({ type: Type.Literal('asked'), approval_id: Type.String(), run_id: Type.String() }),
])
export type UpMessage = Static<typeof UpMessage>

const PublicKey = Type.String({ maxLength: 512, description: 'Ed25519, SPKI, base64' })

/** POST /enrol of a plane: the invitation of its link, and the public nkey whose seed stays on the phone. */
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

/** $SHELLPHONE_HOME/fleet.json (0600): the phone's place in its fleet. */
export const FleetFile = Type.Composite(
  [
    EnrolReply,
    Type.Object({ seed: Type.String({ pattern: '^SU[A-Z2-7]{56}$' }), plane: Type.String({ maxLength: 2048 }) }),
  ],
  { additionalProperties: false },
)
export type FleetFile = Static<typeof FleetFile>

/** What /health and `fleet status` tell of the link. */
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
