import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { stringify } from 'yaml'
import { AuthMessage } from '../../src/http/index.ts'
import { messageRows, serverMessageRows } from '../../src/server/routes/index.ts'
import { kind } from '../../src/shared/schema/index.ts'
import { version } from '../../src/shared/package/version.ts'
import { completeDocument } from './complete-document.ts'
import { eachNamed, mapValues, orText, withReferences } from './named-schemas.ts'

type Json = Record<string, unknown>

const ref = Type.Optional(Type.String({ maxLength: 200, description: 'Any text; the response repeats it' }))
const piece = 'u8 stream (0 stdin, 1 stdout, 2 stderr), u64 offset of the first byte (big-endian), the 26 ASCII'
const binary = { type: 'string', format: 'binary', description: `${piece} characters of the run's id, then the bytes` }
const pieces = {
  stdin_piece: 'Bytes of stdin, after the client has requested binary frames',
  output_piece: 'Bytes of stdout or stderr, after the client has requested binary frames',
}
/** The messages with which the service can respond to a message of a client, in addition to those in its row. */
const repliesTo = (name: string) => (/^(exec|attach)$/.test(name) ? ['output_piece', 'error'] : ['error'])

/** Returns the messages of GET /ws as AsyncAPI 3 in YAML, from the schemas that validate them. A test compares the result with the committed asyncapi.yaml. */
export function asyncapiDocument(): string {
  const sent = { auth: AuthMessage, ...Object.fromEntries(Object.entries(messageRows).map(sentMessage)) }
  const schemas: Record<string, Json> = {}
  eachNamed([sent, serverMessageRows], (id, shown) => (schemas[id] ??= shown))
  const messages = { ...messagesOf(sent), ...binaryMessages(), ...messagesOf(serverMessageRows) }
  const document = {
    ...head,
    channels: {
      socket: {
        address: '/ws',
        summary: 'Commands, runs and approvals, many at once on one connection',
        messages: Object.fromEntries(Object.keys(messages).map((name) => [name, at('components', 'messages', name)])),
      },
    },
    operations: operations(),
    components: { ...head.components, messages, schemas: sorted(schemas) },
  }
  const placed = inPlace(document)
  completeDocument(placed)
  return stringify(placed, { lineWidth: 0 })
}

const head = {
  asyncapi: '3.0.0',
  info: {
    title: 'Shellphone',
    version,
    description:
      'The WebSocket messages of Shellphone, which are JSON objects with a type. openapi.yaml describes the HTTP requests.',
    license: { name: 'MIT' },
  },
  defaultContentType: 'application/json',
  servers: {
    here: { host: '127.0.0.1:8029', protocol: 'ws', security: [{ $ref: '#/components/securitySchemes/bearer' }] },
  },
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
}

/** The schema of a client's message: `type`, `ref` and its fields. */
function sentMessage([type, { shown }]: [string, { shown: TSchema }]): [string, TSchema] {
  const whole = ({ properties, additionalProperties }: TObject) => {
    const message = Type.Object({ type: kind(type), ref, ...properties }, { additionalProperties })
    return type === 'exec' ? { ...message, properties: mapValues(message.properties, orText) } : message
  }
  return [type, shown.anyOf ? Type.Union(shown.anyOf.map(whole)) : whole(shown as TObject)]
}

const summaryOf = (name: string, { description }: TSchema) =>
  messageRows[name]?.meaning ?? description ?? 'The token, as the first message, if the upgrade request contained none'

const messagesOf = (rows: Record<string, TSchema>): Json =>
  Object.fromEntries(
    Object.entries(rows).map(([name, schema]) => [
      name,
      { summary: summaryOf(name, schema), payload: withReferences(schema) },
    ]),
  )

const binaryMessages = (): Json =>
  Object.fromEntries(
    Object.entries(pieces).map(([name, summary]) => [
      name,
      { summary, contentType: 'application/octet-stream', payload: binary },
    ]),
  )

/** One `receive` operation for each message that a client may send; AsyncAPI describes the service's view. */
function operations(): Json {
  const rows: [string, string, string[]][] = [
    ['auth', 'Authenticates with the token', ['error']],
    ...Object.entries(messageRows).map(([name, { meaning, replies }]): [string, string, string[]] => [
      name,
      meaning,
      [...replies, ...repliesTo(name)],
    ]),
    ['stdin_piece', pieces.stdin_piece, ['stdin_taken', 'error']],
  ]
  const channel = at('channels', 'socket')
  const messagesAt = (names: string[]) => names.map((name) => at('channels', 'socket', 'messages', name))
  return Object.fromEntries(
    rows.map(([name, summary, replies]) => [
      name,
      {
        action: 'receive',
        summary,
        channel,
        messages: messagesAt([name]),
        reply: { channel, messages: messagesAt(replies) },
      },
    ]),
  )
}

const at = (...path: string[]) => ({ $ref: `#/${path.join('/')}` })

const sorted = (schemas: Record<string, Json>) =>
  Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)))

/** Points the references to named schemas to the components. */
const inPlace = <Document extends Json>(document: Document): Document =>
  JSON.parse(
    JSON.stringify(document, (key, value) =>
      key === '$ref' ? value.replace(/^(\w+)#$/, '#/components/schemas/$1') : value,
    ),
  )
