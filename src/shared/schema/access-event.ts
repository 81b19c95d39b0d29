import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { orNull } from './or-null.ts'

/** Something that changed or used the rights to this service, as the access log keeps it. */
export const AccessEvent = Type.Object(
  {
    at: Type.String(),
    what: oneWordOf(
      [
        'code_created',
        'paired',
        'token_created',
        'token_rotated',
        'token_revoked',
        'token_expired',
        'token_edited',
        'approved',
        'denied',
        'rule_revoked',
      ],
      {
        description:
          'token_edited: the token was added, removed or changed in tokens.json; rule_revoked: a saved approval was revoked',
      },
    ),
    token: orNull(
      Type.String({
        description: 'The name of the token that it concerns; for an answer, the token that sent the command',
      }),
    ),
    by: orNull(Type.String({ description: 'Who did it: the name of a token; null: no token' })),
    how: orNull(Type.String({ description: 'How an answer arrived, such as http, cli or notification' })),
    from: orNull(Type.String({ description: 'The address of the client; null: unknown' })),
    run_id: orNull(Type.String({ description: 'The run that an answer concerns' })),
    is_saved: Type.Boolean({ description: 'Whether the answer was saved for identical requests' }),
  },
  { $id: 'AccessEvent' },
)
export type AccessEvent = Static<typeof AccessEvent>
