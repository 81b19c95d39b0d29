import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import { forbidden } from '../../http/index.ts'

/** The query of a list that contains the objects of one token, or of all. */
export const OwnersQuery = Type.Object(
  {
    all: Type.Optional(
      oneWordOf(['true', 'false'], {
        description: 'true: those of all tokens, if this token may read all runs (default: false, only its own)',
      }),
    ),
  },
  { additionalProperties: false },
)

/** What the error of `listedFor` means, for `errorResponses`. */
export const OWN_ONLY = forbidden('with all=true, the token must have the right read: all')

/** The token whose objects to list; null: those of all tokens. Throws FORBIDDEN if the token may read only its own runs. */
export function listedFor({ all }: Static<typeof OwnersQuery>, who: Who): Who | null {
  if (all !== 'true') return who
  if (who.read === 'all') return null
  throw new ShellphoneError(
    'FORBIDDEN',
    'Only a token with read: all may list what belongs to other tokens: omit all=true to list its own',
  )
}
