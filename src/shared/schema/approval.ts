import { type Static, Type } from '@sinclair/typebox'
import { Risk } from './decision.ts'
import { SandboxName } from './request.ts'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])

/** approved, denied, timeout: nobody answered; withdrawn: the run was cancelled; full: too many wait; closed: the service stops; nobody: there was no way to ask. */
export type ApprovalOutcome = 'approved' | 'denied' | 'timeout' | 'withdrawn' | 'full' | 'closed' | 'nobody'

/** What a person said when a rule asked: who, when, how; `by` null where nobody did. `saved_rule`: the rule that answered, or that the answer made. */
export const Approval = Type.Object(
  {
    outcome: Type.Unsafe<ApprovalOutcome>(
      Type.String({ description: 'approved, denied, timeout, withdrawn, full, closed, nobody' }),
    ),
    by: nullable(Type.String()),
    how: nullable(Type.String()),
    at: Type.String(),
    scope: nullable(Type.String()),
    saved_rule: nullable(Type.String()),
  },
  { $id: 'Approval' },
)
export type Approval = Static<typeof Approval>

/** A file that the command runs as a script, as it was when the command was judged. */
export const ScriptFile = Type.Object({ path: Type.String(), sha256: Type.String() }, { $id: 'ScriptFile' })
export type ScriptFile = Static<typeof ScriptFile>

const stdinText = 'The beginning of what is fed, and of all of it the size and the sha256; "open": fed while it runs'

/** What an answer is bound to, as a person reads it. */
const asked = {
  command: Type.String(),
  working_directory: Type.String(),
  dialect: Type.String(),
  token: Type.String({ description: 'The name of the token, or owner' }),
  sandbox: SandboxName,
  network: Type.Boolean(),
  writable: Type.Array(Type.String(), { description: 'Directories that the sandbox leaves writable' }),
  files: Type.Array(ScriptFile, { description: 'Script files that the command runs' }),
}

/** A question that waits. `command` is whole and unredacted, `env` as it is: a person must see what is asked. */
export const PendingApproval = Type.Object(
  {
    id: Type.String(),
    run_id: Type.String(),
    ...asked,
    token_id: Type.Optional(Type.String({ description: 'The id of that token' })),
    env: Type.Record(Type.String(), Type.String()),
    stdin: Type.Union(
      [
        Type.Object({ text: Type.String(), bytes: Type.Integer(), sha256: Type.String() }),
        Type.Literal('open'),
        Type.Null(),
      ],
      { description: stdinText },
    ),
    rule: nullable(Type.String()),
    reason: nullable(Type.String()),
    risk: nullable(Risk),
    requested_at: Type.String(),
    expires_at: Type.String(),
    always: Type.Union([Type.Object({ covers: Type.String(), expires_at: Type.String() }), Type.Null()], {
      description: 'What an answer with scope always would save; null: nothing, because stdin stays open',
    }),
  },
  { $id: 'PendingApproval' },
)
export type PendingApproval = Static<typeof PendingApproval>

/** An answer that was saved: it approves exactly what it was given for, until it expires or is revoked. Secrets in `command` are redacted. */
export const SavedRule = Type.Object(
  {
    id: Type.String(),
    ...asked,
    env_names: Type.Array(Type.String()),
    stdin_sha256: nullable(Type.String()),
    rule: nullable(Type.String()),
    by: Type.String(),
    how: Type.String(),
    created_at: Type.String(),
    expires_at: Type.String(),
  },
  { $id: 'SavedRule' },
)
export type SavedRule = Static<typeof SavedRule>

/** Who answers, for the record: the token's name, and beside it in quotes what its client calls itself. */
export const answererName = (token: string, client = token): string =>
  client === token ? token : `${token} ${JSON.stringify(client)}`

/** How a question ended, as whoever answered it hears; `approved`: may the command run? */
export const ApprovalAnswer = Type.Composite([Approval, Type.Object({ approved: Type.Boolean() })], {
  $id: 'ApprovalAnswer',
})
export type ApprovalAnswer = Static<typeof ApprovalAnswer>
