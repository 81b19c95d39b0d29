import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { orNull } from './or-null.ts'
import { Timestamp } from './timestamp.ts'
import { Token } from './token.ts'

/** Something that changed or used the rights to this service, as the access log keeps it. */
export const AccessEvent = Type.Object(
  {
    at: Timestamp('When it happened'),
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
        'wrong_token',
        'wrong_code',
      ],
      {
        description:
          'What happened. wrong_token, wrong_code: a failed sign-in; token_edited: added, removed or changed in tokens.json; rule_revoked: a saved approval',
      },
    ),
    token: orNull(
      Type.String({
        description: 'The token that it concerns; for an answer, the token that sent the command',
      }),
    ),
    by: orNull(Type.String({ description: 'The token that did it' })),
    how: orNull(Type.String({ description: 'How an answer arrived, such as http' })),
    from: orNull(Type.String({ description: 'The address of the client' })),
    run_id: orNull(Type.String({ description: 'The run that an answer concerns' })),
    is_saved: Type.Boolean({ description: 'Whether the answer was saved for identical requests' }),
    rights: orNull(
      Type.Pick(Token, ['approves', 'read', 'shell', 'files', 'policy'], {
        $id: 'GrantedRights',
        description: 'The rights of the token, or of the token that the pairing code grants',
      }),
    ),
    attempts: orNull(
      Type.Integer({
        description:
          'The number of wrong tokens or codes from this address, each within an hour of the one before; at is the time of the last',
      }),
    ),
  },
  { $id: 'AccessEvent', description: 'Something that changed or used the rights to this service' },
)
export type AccessEvent = Static<typeof AccessEvent>
