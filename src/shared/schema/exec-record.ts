import { type Static, Type } from '@sinclair/typebox'
import { Approval } from './approval.ts'
import { Risk, SpokenRule, Verdict } from './decision.ts'
import type { ErrorCode } from './errors.ts'
import { Note } from './note.ts'
import { orNull } from './or-null.ts'
import { Encoding, WindowSize } from './request.ts'
import { SessionRecord } from './session-record.ts'
import { Sha256, Timestamp } from './timestamp.ts'
import { OWNER, type Who } from './token.ts'

/** The dialect of requests that no agent's own tool sent: POST /exec, the WebSocket, the page, the command line. It is not worth showing to people. */
export const CANONICAL_DIALECT = 'oneclaw'

/** The five final states. completed: exit code 0. failed: another exit code, or a signal that the service did not send. */
export const endings = ['completed', 'failed', 'timed_out', 'canceled', 'denied'] as const
export const Ending = Type.Union(endings.map((ending) => Type.Literal(ending)))
export type Ending = (typeof endings)[number]

export const statuses = ['queued', 'starting', 'running', ...endings] as const
export const RunStatus = Type.Union(
  statuses.map((status) => Type.Literal(status)),
  {
    $id: 'RunStatus',
    description:
      'queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied',
  },
)
export type RunStatus = (typeof statuses)[number]

/** The allowed transitions of a run; every run reaches exactly one final state. */
export const steps: Record<RunStatus, readonly RunStatus[]> = {
  queued: ['starting', 'failed', 'canceled', 'denied'],
  starting: ['running', 'failed', 'canceled'],
  running: ['completed', 'failed', 'timed_out', 'canceled'],
  completed: [],
  failed: [],
  timed_out: [],
  canceled: [],
  denied: [],
}

export const isEnding = (status: RunStatus): boolean => steps[status].length === 0

/** A file that the request asked about: its size in bytes and its SHA-256 in hexadecimal, or the error that prevented reading it. */
export const Artifact = Type.Object(
  {
    path: Type.String({ description: 'The path as requested' }),
    bytes: Type.Optional(Type.Integer({ description: 'Size in bytes' })),
    sha256: Type.Optional(Sha256('the file')),
    error: Type.Optional(Type.String({ description: 'Why the file could not be read, in place of size and hash' })),
  },
  { $id: 'Artifact', description: 'A file that the request asked about, or that a transfer moved' },
)
export type Artifact = Static<typeof Artifact>

const LeftBehind = Type.Object(
  {
    ended: Type.Integer({ description: 'How many processes the service killed after the command had ended' }),
    survivors: Type.Array(Type.Integer(), { description: 'Process ids that could not be killed' }),
  },
  { description: 'Processes that the command left behind' },
)
const PendingRequest = Type.Object(
  {
    id: Type.String({ description: 'The id of the approval request, for POST /approvals/:id' }),
    expires_at: Timestamp('When it counts as denied if nobody answers'),
  },
  { description: 'The approval request for which the run waits; absent unless it waits for a person' },
)

/** The response of POST /exec, which the history stores: command, decision and result. Sizes are in bytes, durations in milliseconds; times are ISO 8601 in UTC. */
export const ExecRecord = Type.Object(
  {
    id: Type.String({ description: 'The id of the run: 26 characters that sort by time (ULID)' }),
    token: Type.Optional(Type.String({ description: 'The name of the token that started it, or owner' })),
    token_id: Type.Optional(
      Type.String({ description: 'The id of that token; absent from records older than token ids' }),
    ),
    dialect: Type.Optional(Type.String({ description: 'The dialect of the request; oneclaw for POST /exec' })),
    via: Type.Optional(
      Type.String({ description: 'The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec …' }),
    ),
    status: RunStatus,
    exit_code: Type.Integer({
      description: '-1 after a timeout, a cancellation or a denial, and if the shell returned no exit code',
    }),
    signal: orNull(Type.String({ description: 'The signal that killed the command, such as SIGKILL; null: none' })),
    timed_out: Type.Boolean({ description: 'Whether the service killed the command at its timeout' }),
    stdout: Type.String({ description: 'stdout, at most max_length characters together with stderr' }),
    stderr: Type.String({ description: 'stderr, at most max_length characters together with stdout' }),
    stdout_bytes: Type.Integer({ description: 'How many bytes the command wrote to stdout' }),
    stderr_bytes: Type.Integer({ description: 'How many bytes the command wrote to stderr' }),
    stdout_sha256: Type.Optional(orNull(Sha256('all of stdout; null: the service did not see all of it'))),
    stderr_sha256: Type.Optional(orNull(Sha256('all of stderr; null: the service did not see all of it'))),
    truncated: Type.Boolean({
      description: 'Whether the text of the response omits output; GET /runs/:id/output returns what is stored',
    }),
    output: Type.String({ description: 'The formatted text of the exec tool' }),
    command: Type.String({ description: 'The shell command; the history may redact secrets in it' }),
    working_directory: Type.String({ description: 'The directory in which the command started' }),
    timeout_seconds: Type.Number({ description: 'The timeout that applied, in seconds' }),
    max_length: Type.Integer({ description: 'The limit on output in the response that applied, in characters' }),
    sandbox: Type.String({ description: 'The sandbox that applied: none, read-only or workspace-write' }),
    tty: Type.Optional(WindowSize),
    decision: Type.Object(
      {
        verdict: Verdict,
        risk: Type.Optional(Risk),
        rule: orNull(Type.String({ description: 'The rule that decided; null: no rule applied' })),
        reason: orNull(Type.String({ description: 'Why, in a sentence for the person or the model' })),
        rules: Type.Optional(
          Type.Array(SpokenRule, {
            description: 'Every rule that applied, up to 20, if there was more than one',
          }),
        ),
      },
      { $id: 'Decision', description: 'What the policy decided about the command' },
    ),
    approval: Type.Optional(Approval),
    pending_approval: Type.Optional(PendingRequest),
    session: Type.Optional(SessionRecord),
    scratchpad: Type.Optional(Type.String({ description: 'The name under which the complete output is saved (Meka)' })),
    queued_ms: Type.Integer({ description: 'How long it waited for a slot, in milliseconds' }),
    duration_ms: Type.Integer({ description: 'How long the command ran, in milliseconds' }),
    started_at: orNull(Timestamp('When the command started')),
    ended_at: orNull(Timestamp('When the run ended')),
    left_behind: LeftBehind,
    artifacts: Type.Array(Artifact, { description: 'The files of artifact_paths, or those of a transfer' }),
    notes: Type.Array(Note, { description: 'What a person should know about this run, such as a lowered timeout' }),
    failure: Type.Optional(
      Type.Object(
        {
          code: Type.Unsafe<ErrorCode>(Type.String({ description: 'The code of the error, such as NOT_STARTED' })),
          message: Type.String({ description: 'What happened, for people' }),
          about: Type.Optional(Type.String({ description: 'What the error is about, such as a directory' })),
        },
        { description: 'Why no result exists, such as a shell that could not be started' },
      ),
    ),
  },
  { $id: 'ExecRecord', description: 'A run: the command, the decision about it, and its result' },
)
export type ExecRecord = Static<typeof ExecRecord>

/** A record without the text of its output, for lists. */
export const RunSummary = Type.Omit(ExecRecord, ['stdout', 'stderr', 'output'], {
  $id: 'RunSummary',
  description: 'The record of a run without the text of its output',
})
export type RunSummary = Static<typeof RunSummary>

export const withoutTexts = ({ stdout: _1, stderr: _2, output: _3, ...rest }: ExecRecord): RunSummary => rest

/** The fields of a record that come from the request. */
type RequestFields = Pick<
  ExecRecord,
  | 'id'
  | 'token'
  | 'token_id'
  | 'dialect'
  | 'via'
  | 'command'
  | 'working_directory'
  | 'timeout_seconds'
  | 'max_length'
  | 'sandbox'
  | 'notes'
>

/** The record of a run that has not ended. */
export const newRecord = (request: RequestFields): ExecRecord => ({
  id: request.id,
  token: request.token ?? OWNER.name,
  token_id: request.token_id ?? OWNER.id,
  dialect: request.dialect ?? CANONICAL_DIALECT,
  ...(request.via !== undefined && { via: request.via }),
  status: 'queued',
  exit_code: -1,
  signal: null,
  timed_out: false,
  stdout: '',
  stderr: '',
  stdout_bytes: 0,
  stderr_bytes: 0,
  truncated: false,
  output: '',
  command: request.command,
  working_directory: request.working_directory,
  timeout_seconds: request.timeout_seconds,
  max_length: request.max_length,
  sandbox: request.sandbox,
  decision: { verdict: 'allow', rule: null, reason: null },
  queued_ms: 0,
  duration_ms: 0,
  started_at: null,
  ended_at: null,
  left_behind: { ended: 0, survivors: [] },
  artifacts: [],
  notes: request.notes,
})

/** Whether a run belongs to this token. A run recorded before token ids existed belongs to the token with its name, if that token existed at the time. */
export const isRunOf = (
  { token, token_id, started_at, ended_at }: Pick<ExecRecord, 'token' | 'token_id' | 'started_at' | 'ended_at'>,
  { id, name, created_at }: Who,
): boolean =>
  token_id === undefined ? token === name && (started_at ?? ended_at ?? '') >= created_at : token_id === id

export const RunId = Type.String({ description: 'The id of the run' })
/** The field that distinguishes the kinds of events and messages. */
export const kind = <const Name extends string>(name: Name) =>
  Type.Literal(name, { description: 'The kind of message' })

export const StatusEvent = Type.Object(
  { type: kind('status'), id: RunId, status: RunStatus },
  { $id: 'StatusEvent', description: 'A transition to another status' },
)
export const NoteEvent = Type.Object(
  {
    type: kind('note'),
    id: RunId,
    note: Note,
    approval: PendingRequest,
  },
  { $id: 'NoteEvent', description: 'The run waits for approval' },
)
export const OutputEvent = Type.Object(
  {
    type: kind('output'),
    id: RunId,
    stream: Type.Union([Type.Literal('stdout'), Type.Literal('stderr')], { description: 'The stream of this piece' }),
    offset: Type.Integer({ description: 'Offset of this piece in its stream, in bytes' }),
    next_offset: Type.Integer({ description: 'The offset to resume from after this piece' }),
    data: Type.String({ description: 'The piece, in the encoding of this event' }),
    encoding: Encoding,
  },
  { $id: 'OutputEvent', description: 'Output of the command' },
)
export const ResultEvent = Type.Object(
  { type: kind('result'), ...ExecRecord.properties },
  { $id: 'ResultEvent', description: 'The record; the last event, unless an error ends the events' },
)

/** The events of a run: one `status` per transition, a `note` while it waits for a person, `output` with byte offsets of its stream, one `result` at the end. An error (routes/events.ts) replaces the `result`. */
export const RunEvent = Type.Union([StatusEvent, NoteEvent, OutputEvent, ResultEvent], { $id: 'RunEvent' })
export type RunEvent = Static<typeof RunEvent>

/** Epoch milliseconds as ISO 8601 in UTC. */
export const toIso = (epochMs: number): string => new Date(epochMs).toISOString()
