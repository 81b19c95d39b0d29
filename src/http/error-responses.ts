import { Type } from '@sinclair/typebox'
import { errorMeanings, errorTable, oneWordOf } from '../shared/schema/index.ts'

const ErrorType = oneWordOf([...new Set(Object.values(errorTable).map(({ type }) => type))], {
  $id: 'ErrorType',
  description: [
    'The kind of error, for programs.',
    ...Object.entries(errorMeanings).map(([type, { meaning, advice }]) => `- ${type}: ${meaning}. ${advice}.`),
  ].join('\n'),
})

/** The format of all errors on the wire. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        type: ErrorType,
        message: Type.String({ description: 'What happened and what to do, for people; it may change at any time' }),
        field: Type.Optional(Type.String({ description: 'The invalid field, parameter or header' })),
      },
      { description: 'What went wrong' },
    ),
  },
  { $id: 'Error', description: 'The format of every error' },
)

/** The 403 of every operation. */
export const FOREIGN =
  'forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine'

/** The 403 of an operation that needs a right. `why`: who may call it. */
export const forbidden = (why: string): { 403: string } => ({ 403: `forbidden: ${why}; ${FOREIGN}` })

/** The errors that mean the same in every operation, by status. */
export const commonErrors: Record<CommonStatus, string> = {
  400: 'validation_error: a parameter, header or field is not valid; `field` names it',
  401: 'unauthorized: the token is missing, wrong, expired or revoked, or used from another address',
  ...forbidden('the token lacks the right'),
  413: 'too_large: the body exceeds its limit, which the message names',
  415: 'unsupported_media_type: the route does not accept this Content-Type',
  429: 'rate_limited: too many wrong tokens from this address; wait as long as Retry-After says',
  500: 'execution_error: an internal error; the log names the cause',
}
export type CommonStatus = 400 | 401 | 403 | 413 | 415 | 429 | 500

/** The errors of one operation: what each status means there. */
export type OwnErrors = Partial<Record<CommonStatus | 404 | 409 | 410 | 412 | 416 | 503 | 507, string>>

/** The schemas of error responses. A status without a sentence of its own must mean the same in every operation. */
export function errorResponses(...errors: (CommonStatus | OwnErrors)[]): Record<number, unknown> {
  const sentences = errors.map((one) => (typeof one === 'number' ? { [one]: commonErrors[one] } : withTypes(one)))
  return Object.fromEntries(
    Object.entries(Object.assign({}, ...sentences) as Record<number, string>).map(([status, description]) => [
      status,
      {
        description,
        ...(status in errorHeaders && { headers: errorHeaders[Number(status)] }),
        content: { 'application/json': { schema: ErrorBody } },
      },
    ]),
  )
}

const header = (type: string, description: string) => ({ type, description })
const retryAfter = { 'Retry-After': header('integer', 'After how many seconds to repeat the request') }

/** The headers of an error response that a client should read. */
const errorHeaders: Record<number, object> = {
  401: { 'WWW-Authenticate': header('string', 'Bearer') },
  405: { Allow: header('string', 'The methods of this path') },
  416: { 'Content-Range': header('string', 'bytes */TOTAL: the current size') },
  429: retryAfter,
  503: retryAfter,
}

/** Statuses with several types. Their sentences name the types. */
const severalTypes = ['403', '503']

/** The sentences, each after the `error.type` of its status. */
const withTypes = (own: OwnErrors): Record<string, string> =>
  Object.fromEntries(
    Object.entries(own).map(([status, sentence]) => {
      const row = Object.values(errorTable).find((one) => one.status === Number(status))!
      return [status, severalTypes.includes(status) ? sentence : `${row.type}: ${sentence}`]
    }),
  )
