import { type ErrorCode, ShellphoneError } from '../../../shared/schema/index.ts'

interface NamedPhone {
  /** the phone's */
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

/** Why a request to a phone has no answer. unheard: nobody listened, it was not sent. unanswered: it was sent, and no whole answer came. */
export type Failure = 'unheard' | 'unanswered'

const failures: Partial<Record<ErrorCode, Failure>> = {
  PHONE_OFFLINE: 'unheard',
  BROKER_UNAVAILABLE: 'unheard',
  PHONE_SILENT: 'unanswered',
  PHONE_GARBLED: 'unanswered',
}

/** null: another error, which asking again would not change. */
export const failureOf = ({ code }: ShellphoneError): Failure | null => failures[code] ?? null
