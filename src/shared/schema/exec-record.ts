import { type Static, Type } from '@sinclair/typebox'
import { Approval } from './approval.ts'
import { Risk, SpokenRule, Verdict } from './decision.ts'
import type { ErrorCode } from './errors.ts'
import { Note } from './note.ts'
import { orNull } from './or-null.ts'
import { WindowSize } from './request.ts'
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
  { $id: 'RunStatus' },
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
    path: Type.String(),
    bytes: Type.Optional(Type.Integer()),
    sha256: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
  },
  { $id: 'Artifact' },
)
export type Artifact = Static<typeof Artifact>

const LeftBehind = Type.Object({ ended: Type.Integer(), survivors: Type.Array(Type.Integer()) })

/** The response of POST /exec, which the history stores: command, decision and result. Sizes are in bytes, durations in milliseconds; times are ISO 8601 in UTC. */
export const ExecRecord = Type.Object(
  {
    id: Type.String(),
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
    signal: orNull(Type.String()),
    timed_out: Type.Boolean(),
    stdout: Type.String(),
    stderr: Type.String(),
    stdout_bytes: Type.Integer(),
    stderr_bytes: Type.Integer(),
    stdout_sha256: Type.Optional(orNull(Type.String())),
    stderr_sha256: Type.Optional(orNull(Type.String())),
    truncated: Type.Boolean(),
    output: Type.String({ description: 'The formatted text of the exec tool' }),
    command: Type.String(),
    working_directory: Type.String(),
    timeout_seconds: Type.Number(),
    max_length: Type.Integer(),
    sandbox: Type.String(),
    tty: Type.Optional(WindowSize),
    decision: Type.Object(
      {
        verdict: Verdict,
        risk: Type.Optional(Risk),
        rule: orNull(Type.String()),
        reason: orNull(Type.String()),
        rules: Type.Optional(
          Type.Array(SpokenRule, {
            description: 'Every rule that applied, up to 20, if there was more than one',
          }),
        ),
      },
      { $id: 'Decision' },
    ),
    approval: Type.Optional(Approval),
    pending_approval: Type.Optional(
      Type.Object(
        { id: Type.String(), expires_at: Type.String() },
        { description: 'The approval request for which the run waits; absent unless it waits for a person' },
      ),
    ),
    scratchpad: Type.Optional(Type.String({ description: 'The name under which the complete output is saved (Meka)' })),
    queued_ms: Type.Integer(),
    duration_ms: Type.Integer(),
    started_at: orNull(Type.String()),
    ended_at: orNull(Type.String()),
    left_behind: LeftBehind,
    artifacts: Type.Array(Artifact),
    notes: Type.Array(Note),
    failure: Type.Optional(
      Type.Object(
        { code: Type.Unsafe<ErrorCode>(Type.String()), message: Type.String(), about: Type.Optional(Type.String()) },
        { description: 'Why no result exists, such as a shell that could not be started' },
      ),
    ),
  },
  { $id: 'ExecRecord' },
)
export type ExecRecord = Static<typeof ExecRecord>

/** A record without the text of its output, for lists. */
export const RunSummary = Type.Omit(ExecRecord, ['stdout', 'stderr', 'output'], { $id: 'RunSummary' })
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

const RunId = Type.String({ description: 'The id of the run' })

export const StatusEvent = Type.Object(
  { type: Type.Literal('status'), id: RunId, status: RunStatus },
  { $id: 'StatusEvent', description: 'A transition to another status' },
)
export const NoteEvent = Type.Object(
  {
    type: Type.Literal('note'),
    id: RunId,
    note: Note,
    approval: Type.Object({ id: Type.String(), expires_at: Type.String() }),
  },
  { $id: 'NoteEvent', description: 'The run waits for approval' },
)
export const OutputEvent = Type.Object(
  {
    type: Type.Literal('output'),
    id: RunId,
    stream: Type.Union([Type.Literal('stdout'), Type.Literal('stderr')]),
    offset: Type.Integer({ description: 'Offset of this piece in its stream, in bytes' }),
    next_offset: Type.Integer({ description: 'The offset to resume from after this piece' }),
    data: Type.String(),
    encoding: Type.Union([Type.Literal('utf8'), Type.Literal('base64')]),
  },
  { $id: 'OutputEvent', description: 'Output of the command' },
)
export const ResultEvent = Type.Object(
  { type: Type.Literal('result'), ...ExecRecord.properties },
  { $id: 'ResultEvent', description: 'The record; the last event, unless an error ends the events' },
)

/** The events of a run: one `status` per transition, a `note` while it waits for a person, `output` with byte offsets of its stream, one `result` at the end. An error (routes/events.ts) replaces the `result`. */
export const RunEvent = Type.Union([StatusEvent, NoteEvent, OutputEvent, ResultEvent], { $id: 'RunEvent' })
export type RunEvent = Static<typeof RunEvent>

/** Epoch milliseconds as ISO 8601 in UTC. */
export const toIso = (epochMs: number): string => new Date(epochMs).toISOString()
