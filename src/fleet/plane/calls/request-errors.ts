import { type ErrorCode, ShellphoneError } from '../../../shared/schema/index.ts'

interface NamedPhone {
  name: string
}

export const offline = ({ name }: NamedPhone) =>
  new ShellphoneError('PHONE_OFFLINE', `${name} is not connected; nothing was sent`, { retryAfterSeconds: 5 })
export const silent = ({ name }: NamedPhone, why: string) =>
  new ShellphoneError(
    'PHONE_SILENT',
    `${name} received the request and did not respond (${why}); retry with the same Idempotency-Key`,
  )
export const garbled = ({ name }: NamedPhone, what: string) =>
  new ShellphoneError('PHONE_GARBLED', `${name} sent a malformed response: ${what}`)

/** Why a request has no response. undelivered: it was not sent to the phone. unanswered: it was sent, but no complete response arrived. */
export type Failure = 'undelivered' | 'unanswered'

const failures: Partial<Record<ErrorCode, Failure>> = {
  PHONE_OFFLINE: 'undelivered',
  BROKER_UNAVAILABLE: 'undelivered',
  PHONE_SILENT: 'unanswered',
  PHONE_GARBLED: 'unanswered',
}

/** The failure behind an error; null for an error that persists if the request is sent again. */
export const failureOf = ({ code }: ShellphoneError): Failure | null => failures[code] ?? null
