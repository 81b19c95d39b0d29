import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { NAME } from './name.ts'
import { orNull } from './or-null.ts'
import { Timestamp } from './timestamp.ts'

/** What a token allows besides running commands that the guards permit. */
const rights = {
  approves: oneWordOf(['none', 'own', 'all'], {
    description:
      'The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens',
  }),
  read: oneWordOf(['own', 'all'], {
    description: 'The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens',
  }),
  shell: Type.Boolean({ description: 'Whether it may open a terminal' }),
  files: oneWordOf(['none', 'read', 'write'], {
    description: 'The access that it has to /files; the policy controls what its commands do to files',
  }),
  instant_answers: Type.Boolean({
    description:
      'Whether its MCP client may answer an elicitation within a second; otherwise such a fast answer is ignored, because no person can have given it',
  }),
  policy: orNull(
    oneWordOf(['open', 'guarded', 'supervised', 'strict'], {
      description:
        "A preset that applies to its commands in addition to the owner's settings; the stricter decision wins",
    }),
  ),
  dialect: orNull(
    Type.String({
      description: "The dialect whose tool POST /mcp offers to this token, instead of the service's own tools",
    }),
  ),
  addresses: Type.Array(Type.String({ minLength: 2, maxLength: 64 }), {
    maxItems: 32,
    description: 'Addresses or CIDR networks from which it may be used, at most 32; empty: anywhere',
  }),
}

const TokenName = Type.String({
  pattern: NAME.source,
  description: 'What uses it, such as an agent or a browser: 1 to 64 letters, digits, dots, underscores and hyphens',
})

/** A named token as lists show it, without its secret. */
export const Token = Type.Object(
  {
    id: Type.String({
      description:
        'Identifies the owner of runs, keys and approval requests; a new token with the same name has another id',
    }),
    name: TokenName,
    ...rights,
    created_at: Timestamp('When it was created'),
    expires_at: orNull(Timestamp('When it expires; null: never')),
    idle_days: orNull(
      Type.Number({ description: 'It expires after this many days without use; null: only at a fixed time, or never' }),
    ),
    last_used_at: orNull(Timestamp('When it was last used; null: never')),
    last_used_from: Type.Optional(Type.String({ description: 'The address from which it was last used' })),
  },
  { $id: 'Token', description: 'A named token and its rights, without its secret' },
)
export type Token = Static<typeof Token>

/** The default rights of a token: no approvals, its own runs only, files with write access, and no terminal. */
export const DEFAULT_RIGHTS = {
  approves: 'none',
  read: 'own',
  shell: false,
  files: 'write',
  instant_answers: false,
  policy: null,
  dialect: null,
} as const

/** The input for a new token; omitted rights default to DEFAULT_RIGHTS. */
export const TokenInput = Type.Object(
  {
    name: TokenName,
    ...Type.Partial(Type.Object(rights)).properties,
    expires_in_days: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 36_500,
        description: 'Expire after this many days (default: never)',
      }),
    ),
    idle_days: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 36_500,
        description:
          'Expire after this many days without use; each use renews it (default: never, for a paired device 90)',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'TokenInput',
    description: 'A new token; omitted rights get the least, except files, which gets write',
  },
)
export type TokenInput = Static<typeof TokenInput>

/** The token in plaintext, which is shown only once, with its metadata. */
export const NewToken = Type.Composite(
  [
    Token,
    Type.Object({
      token: Type.String({ description: 'The secret, for Authorization: Bearer; returned only this once' }),
    }),
  ],
  { $id: 'NewToken', description: 'The token with its secret' },
)
export type NewToken = Static<typeof NewToken>

/** The authenticated token and its rights. */
export type Who = Pick<Token, 'id' | 'name' | 'created_at' | keyof typeof DEFAULT_RIGHTS>

/** The creation time of tokens that are not in the database. It sorts before any other. */
export const ALWAYS = ''

/** The holder of $SHELLPHONE_HOME/token. */
export const OWNER: Who = {
  ...DEFAULT_RIGHTS,
  id: 'owner',
  name: 'owner',
  created_at: ALWAYS,
  approves: 'all',
  read: 'all',
  shell: true,
}
