import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import type { Msg } from '@nats-io/transport-node'
import {
  boundedJson,
  type CallClass,
  CallHead,
  check,
  classRowOf,
  FLEET_MAX_BODY_BYTES,
  HEAD_HEADER,
  inboxPrefix,
  invalid,
  isOfClass,
  PLANE_CALLER,
  readCallSubject,
  ShellphoneError,
  SIGNATURE_HEADER,
  signedText,
} from '../../shared/schema/index.ts'
import type { Nonces } from './nonces.ts'

/** A call that passed all checks: its caller, class and request. */
export interface CheckedCall {
  callClass: CallClass
  /** the caller in the subject, or for a call from a control plane, the caller on whose behalf it acts */
  caller: string
  head: CallHead
  body: Uint8Array
  reply: string
}

/** The values against which calls are checked. */
export interface Checks {
  home: string
  /** public keys of control planes; unless empty, one of them must have signed the call */
  keys: KeyObject[]
  /** the nonces that signed calls must name */
  nonces: Nonces
}

/** Parses the public keys in fleet.json. Throws VALIDATION_ERROR for a key that is not Ed25519. */
export const readKeys = (keys: string[]): KeyObject[] => keys.map(readKey)

function readKey(text: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // the error below covers this case
  }
  throw invalid(
    `plane_keys: expected Ed25519 keys as base64 SPKI, got ${JSON.stringify(text.slice(0, 60))}`,
    'plane_keys',
  )
}

/** The reply subject, or null for an invalid call. It must be in the caller's inbox; otherwise a call could make the phone publish to subjects that the caller may not use. */
export function replyOf({ subject, reply = '' }: Msg): string | null {
  const read = readCallSubject(subject)
  return read && reply.startsWith(`${inboxPrefix(read.caller)}.`) ? reply : null
}

/** The id of the call for the parts of an error response; '' if it cannot be read. */
export function callIdOf(msg: Msg): string {
  try {
    return String((boundedJson(Buffer.from(headOf(msg)), HEAD_HEADER) as { call: unknown }).call).slice(0, 64)
  } catch {
    return ''
  }
}

/** Parses and checks a call before it reaches the service. Throws UNAUTHORIZED, VALIDATION_ERROR, FORBIDDEN, WRONG_HOME, TOO_LARGE. */
export function readCall(msg: Msg, { home, keys, nonces }: Checks): CheckedCall {
  const read = readCallSubject(msg.subject)!
  if (keys.length > 0) checkSignature(msg, keys)
  const head = check(CallHead, boundedJson(Buffer.from(headOf(msg)), HEAD_HEADER))
  if (keys.length > 0) nonces.take(head.nonce, head.call)
  checkClass(head, read.callClass)
  if (head.home !== undefined && head.home !== home) {
    throw new ShellphoneError(
      'WRONG_HOME',
      'home: this phone has another home, because it was wiped, copied or set up again',
    )
  }
  if (head.by !== undefined && read.caller !== PLANE_CALLER) {
    throw new ShellphoneError(
      'FORBIDDEN',
      `by: expected only in calls from a control plane, got a call from ${read.caller}`,
    )
  }
  if (msg.data.length > FLEET_MAX_BODY_BYTES) {
    throw new ShellphoneError(
      'TOO_LARGE',
      `body: expected at most ${FLEET_MAX_BODY_BYTES} bytes, got ${msg.data.length}`,
    )
  }
  return { callClass: read.callClass, caller: head.by ?? read.caller, head, body: msg.data, reply: msg.reply! }
}

const headOf = ({ headers }: Msg): string => headers?.get(HEAD_HEADER) ?? ''

function checkSignature(msg: Msg, keys: KeyObject[]): void {
  const text = Buffer.from(signedText(msg.subject, headOf(msg), hash('sha256', msg.data)))
  const signature = Buffer.from(msg.headers?.get(SIGNATURE_HEADER) ?? '', 'base64url')
  if (keys.some((key) => verify(null, text, key, signature))) return
  throw new ShellphoneError(
    'UNAUTHORIZED',
    `${SIGNATURE_HEADER}: expected a signature of a control plane that this phone trusts`,
  )
}

function checkClass({ method, path }: CallHead, callClass: CallClass): void {
  const row = classRowOf(method, path)
  if (row && isOfClass(row, callClass)) return
  const route = `${method} ${path.split('?', 1)[0]!.slice(0, 100)}`
  const why = row === null ? 'the route does not exist' : (row.why ?? `the route has class ${row.callClass}`)
  const wanted = row?.callClass ? `${route} as ${row.callClass}` : `a route that is available through a fleet`
  throw new ShellphoneError('FORBIDDEN', `expected ${wanted}, got ${route} as ${callClass}: ${why}`)
}
