import { hash, type KeyObject, sign } from 'node:crypto'
import { headers as newHeaders } from '@nats-io/transport-node'
import {
  type CallHead,
  callSubject,
  HEAD_HEADER,
  PLANE_CALLER,
  SIGNATURE_HEADER,
  signedText,
} from '../../../shared/schema/index.ts'
import type { PhoneRequest } from './phone-request.ts'
import type { BrokerLink } from '../broker/broker-link.ts'

type PublishArguments = Parameters<BrokerLink['nc']['publish']>

interface SendOptions {
  /** the id of this call, which every part of the response repeats */
  call: string
  reply: string
  /** signs the call; null: calls are not signed */
  key: KeyObject | null
  /** the nonce from the phone's last response; undefined: none received yet */
  nonce: string | undefined
}

/** The arguments of `publish` for a request to a phone. */
export function toMessage(request: PhoneRequest, { call, reply, key, nonce }: SendOptions): PublishArguments {
  const { name, callClass, body = NOTHING } = request
  const subject = callSubject(name, callClass, PLANE_CALLER)
  const head = JSON.stringify({ ...toHead(request, call), ...(nonce !== undefined && { nonce }) })
  const headers = newHeaders()
  headers.set(HEAD_HEADER, head)
  if (key !== null) {
    const text = signedText(subject, head, hash('sha256', body))
    headers.set(SIGNATURE_HEADER, sign(null, Buffer.from(text), key).toString('base64url'))
  }
  return [subject, body, { reply, headers }]
}

const NOTHING = new Uint8Array()

function toHead(
  { method, path, headers = {}, home, by, window, waitMs, channel }: PhoneRequest,
  call: string,
): CallHead {
  return {
    ...{ call, method, path, headers, by },
    ...(waitMs === undefined ? {} : { wait_ms: waitMs }),
    ...(home === undefined ? {} : { home }),
    ...(window === undefined ? {} : { window }),
    ...(channel && { channel }),
  }
}
