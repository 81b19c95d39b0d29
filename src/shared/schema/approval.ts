import { type Static, Type } from '@sinclair/typebox'
import { Risk } from './decision.ts'
import { orNull } from './or-null.ts'
import { SandboxName } from './request.ts'
import { Sha256, Timestamp } from './timestamp.ts'

/** timeout: nobody answered; withdrawn: the run was canceled; full: too many requests are pending; closed: the service is stopping; nobody: nobody can answer. */
export type ApprovalOutcome = 'approved' | 'denied' | 'timeout' | 'withdrawn' | 'full' | 'closed' | 'nobody'

/** The answer to an approval request: who, when and how; `by` is null if no person answered. `saved_rule`: the saved rule that answered, or that the answer created. */
export const Approval = Type.Object(
  {
    outcome: Type.Unsafe<ApprovalOutcome>(
      Type.String({
        description:
          'approved; denied; timeout: nobody answered; withdrawn: the run was canceled; full: too many requests are pending; closed: the service is stopping; nobody: nobody can answer',
      }),
    ),
    by: orNull(Type.String({ description: 'The token of the person who answered; null: no person did' })),
    how: orNull(Type.String({ description: 'How the answer arrived: http, websocket, cli, notification …' })),
    at: Timestamp('When the request was decided'),
    scope: orNull(
      Type.String({ description: 'once: for this run; always: saved for identical requests; null: nobody answered' }),
    ),
    saved_rule: orNull(
      Type.String({ description: 'The id of the saved rule that answered, or that the answer created' }),
    ),
  },
  { $id: 'Approval', description: 'How an approval request was decided, and by whom' },
)
export type Approval = Static<typeof Approval>

/** A script file that the command runs, with its hash at the time of the policy decision. */
export const ScriptFile = Type.Object(
  { path: Type.String({ description: 'The path of the file' }), sha256: Sha256('the file when the policy decided') },
  { $id: 'ScriptFile', description: 'A script file that the command runs' },
)
export type ScriptFile = Static<typeof ScriptFile>

/** A file that a file tool would change. An approved change is made only if the file still has the hash `before`. */
export const FileChange = Type.Object(
  {
    path: Type.String({ description: 'The path of the file' }),
    before: orNull(Type.String({ description: 'The hash of the content now; null: no such file' })),
    after: orNull(Type.String({ description: 'The hash of the content afterwards; null: the file is removed' })),
    diff: Type.String({ description: 'The change as a unified diff' }),
    complete: Type.Boolean({ description: 'Whether the diff shows the whole change' }),
  },
  { $id: 'FileChange', description: 'A file that a file tool would change' },
)
export type FileChange = Static<typeof FileChange>

const stdinText =
  'The first part of stdin, with the size and SHA-256 of the whole; "open": the client sends stdin during the run'

/** The facts that an answer is bound to, in the form that people read. */
const requestFields = {
  command: Type.String({ description: 'The shell command' }),
  working_directory: Type.String({ description: 'The directory in which it starts' }),
  dialect: Type.String({ description: 'The dialect of the request; oneclaw for POST /exec' }),
  token: Type.String({ description: 'The name of the token, or owner' }),
  sandbox: SandboxName,
  network: Type.Boolean({ description: 'Whether the sandbox allows the network' }),
  writable: Type.Array(Type.String(), { description: 'Directories that the sandbox leaves writable' }),
  files: Type.Array(ScriptFile, { description: 'Script files that the command runs' }),
}

/** A pending approval. `command` and `env` are complete and unredacted, so that a person sees what they approve. */
export const PendingApproval = Type.Object(
  {
    id: Type.String({ description: 'The id of the approval request, for POST /approvals/:id' }),
    run_id: Type.String({ description: 'The id of the run that waits' }),
    ...requestFields,
    token_id: Type.Optional(Type.String({ description: 'The id of that token' })),
    env: Type.Record(Type.String(), Type.String(), { description: 'The variables that the request adds' }),
    session: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'The name of the session' }),
          set: Type.Array(Type.String(), { description: 'The variables of env that come from the session' }),
          unset: Type.Array(Type.String(), { description: 'The variables that the session has removed' }),
        },
        { description: 'The session in which the command would run' },
      ),
    ),
    stdin: Type.Union(
      [
        Type.Object({
          text: Type.String({ description: 'The first part of stdin' }),
          bytes: Type.Integer({ description: 'The size of all of stdin' }),
          sha256: Sha256('all of stdin'),
        }),
        Type.Literal('open'),
        Type.Null(),
      ],
      { description: stdinText },
    ),
    changes: Type.Optional(Type.Array(FileChange, { description: 'The files that a file tool would change' })),
    rule: orNull(Type.String({ description: 'The rule that asks' })),
    reason: orNull(Type.String({ description: 'Why it asks, in a sentence' })),
    risk: orNull(Risk),
    requested_at: Timestamp('When the command was requested'),
    expires_at: Timestamp('When it counts as denied if nobody answers'),
    always: orNull(
      Type.Object({
        covers: Type.String({ description: 'Which later requests the rule would approve, in a sentence' }),
        expires_at: Timestamp('When the rule would expire'),
      }),
      {
        description:
          'The rule that an answer with scope always would save; null: it saves no rule, because stdin stays open or the answer is bound to one change of a file',
      },
    ),
  },
  { $id: 'PendingApproval', description: 'A command that waits for the answer of a person, complete and unredacted' },
)
export type PendingApproval = Static<typeof PendingApproval>

/** A saved approval. It approves identical requests until it expires or is revoked. Secrets in `command` are redacted. */
export const SavedRule = Type.Object(
  {
    id: Type.String({ description: 'The id of the rule, for DELETE /approvals/rules/:id' }),
    ...requestFields,
    env_names: Type.Array(Type.String(), { description: 'The names of the variables that the request adds' }),
    stdin_sha256: orNull(Sha256('stdin; null: no stdin')),
    rule: orNull(Type.String({ description: 'The rule of the policy that asked' })),
    by: Type.String({ description: 'The token of the person who approved' }),
    how: Type.String({ description: 'How the answer arrived: http, websocket, cli, notification …' }),
    created_at: Timestamp('When it was approved'),
    expires_at: Timestamp('When the rule expires'),
  },
  {
    $id: 'SavedRule',
    description: 'A saved approval: identical requests are approved until it expires or is revoked',
  },
)
export type SavedRule = Static<typeof SavedRule>

/** The answerer's name for the record: the token name, followed by the name that the client reports, in quotes. */
export const answererName = (token: string, client = token): string =>
  client === token ? token : `${token} ${JSON.stringify(client)}`

/** The outcome of an approval request, for the client that answered it. `approved`: the command may run. */
export const ApprovalAnswer = Type.Composite(
  [Approval, Type.Object({ approved: Type.Boolean({ description: 'Whether the command may run' }) })],
  { $id: 'ApprovalAnswer', description: 'How the approval request was decided' },
)
export type ApprovalAnswer = Static<typeof ApprovalAnswer>
