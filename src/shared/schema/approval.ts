import { type Static, Type } from '@sinclair/typebox'
import { Risk } from './decision.ts'
import { SandboxName } from './request.ts'

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])

/** timeout: nobody answered; withdrawn: the run was canceled; full: too many requests are pending; closed: the service is stopping; nobody: nobody can answer. */
export type ApprovalOutcome = 'approved' | 'denied' | 'timeout' | 'withdrawn' | 'full' | 'closed' | 'nobody'

/** The answer to an approval request: who, when and how; `by` is null if no person answered. `saved_rule`: the saved rule that answered, or that the answer created. */
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

/** A script file that the command runs, with its hash at the time of the policy decision. */
export const ScriptFile = Type.Object({ path: Type.String(), sha256: Type.String() }, { $id: 'ScriptFile' })
export type ScriptFile = Static<typeof ScriptFile>

const stdinText =
  'The first part of stdin, with the size and SHA-256 of the whole; "open": the client sends stdin during the run'

/** The facts that an answer is bound to, in the form that people read. */
const requestFields = {
  command: Type.String(),
  working_directory: Type.String(),
  dialect: Type.String(),
  token: Type.String({ description: 'The name of the token, or owner' }),
  sandbox: SandboxName,
  network: Type.Boolean(),
  writable: Type.Array(Type.String(), { description: 'Directories that the sandbox leaves writable' }),
  files: Type.Array(ScriptFile, { description: 'Script files that the command runs' }),
}

/** A pending approval. `command` and `env` are complete and unredacted, so that a person sees what they approve. */
export const PendingApproval = Type.Object(
  {
    id: Type.String(),
    run_id: Type.String(),
    ...requestFields,
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
      description:
        'The rule that an answer with scope always would save; null: it saves no rule, because stdin stays open',
    }),
  },
  { $id: 'PendingApproval' },
)
export type PendingApproval = Static<typeof PendingApproval>

/** A saved approval. It approves identical requests until it expires or is revoked. Secrets in `command` are redacted. */
export const SavedRule = Type.Object(
  {
    id: Type.String(),
    ...requestFields,
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

/** The answerer's name for the record: the token name, followed by the name that the client reports, in quotes. */
export const answererName = (token: string, client = token): string =>
  client === token ? token : `${token} ${JSON.stringify(client)}`

/** The outcome of an approval request, for the client that answered it. `approved`: the command may run. */
export const ApprovalAnswer = Type.Composite([Approval, Type.Object({ approved: Type.Boolean() })], {
  $id: 'ApprovalAnswer',
})
export type ApprovalAnswer = Static<typeof ApprovalAnswer>
