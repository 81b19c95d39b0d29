import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import {
  type EventForm,
  eventsOf,
  feedStdin,
  type Offsets,
  type OpenStdin,
  resizeTerminal,
  sendSignal,
  type Watched,
} from '../exec/index.ts'
import {
  check,
  ExecRequest,
  invalid,
  note,
  ShellphoneError,
  shown,
  type Stream,
  WindowSize,
} from '../../shared/schema/index.ts'
import { ApprovalInput, answerApproval } from './approval-routes.ts'
import { jsonWithRef, parseMessage, requireCommand, toShellphoneError } from '../../http/index.ts'
import { IdempotencyKey } from './exec-route.ts'
import { FramesInput, SignalInput, StdinInput } from './run-input.ts'
import { CallQuery, DialectName, nameOfTool, splitCall } from './tool-formats.ts'
import { toFrame } from './ws-frames.ts'
import { watchApprovals, watchRuns } from './ws-watch.ts'
import type { WsSession } from './ws-session.ts'
import type { ServerMessageName } from './server-messages.ts'

/** How many runs one connection may follow at once, in addition to those that it has started. */
const MAX_ATTACHED = 32
/** Limit on the bytes of one connection's messages whose commands have not ended; above it, another exec is refused. */
const MAX_HELD_BYTES = 16_777_216

type Handle<Body> = (session: WsSession, body: Body, ref: string | undefined) => Promise<unknown>

interface MessageRow {
  meaning: string
  /** the messages that the service may send for it, in addition to an error */
  replies: readonly ServerMessageName[]
  /** the message's fields except `type` and `ref`, for validation */
  schema: TSchema
  /** the same fields for the contract */
  shown: TSchema
  /** `body` is valid for `schema` */
  handle(session: WsSession, body: unknown, ref: string | undefined): Promise<unknown>
}

type MessageDescription = Pick<MessageRow, 'meaning'> & Partial<Pick<MessageRow, 'replies' | 'shown'>>

const row = <Schema extends TSchema>(
  description: MessageDescription,
  schema: Schema,
  handle: Handle<Static<Schema>>,
): MessageRow => ({ replies: [], shown: schema, ...description, schema, handle })

const only = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false })

const id = Type.String({ minLength: 1, maxLength: 64, description: 'The id of the run or of the approval request' })
const DialectCall = only({ dialect: DialectName, ...CallQuery.properties })
const offset = Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes of this stream (default: 0)' }))

/** An exec: the fields of POST /exec, or a dialect and its tool's own arguments. */
const shownExec = Type.Union([
  only({ ...ExecRequest.properties, idempotency_key: Type.Optional(IdempotencyKey) }),
  Type.Object(
    {
      ...DialectCall.properties,
      arguments: Type.Optional(
        Type.Unknown({ description: "The tool's own arguments; they may also be fields of the message" }),
      ),
      idempotency_key: Type.Optional(IdempotencyKey),
    },
    { additionalProperties: true },
  ),
])
const events = ['status', 'note', 'output', 'result'] as const
const dialectEvents = ['tool_stream', 'dialect_result'] as const

/** Every message that a client may send. To add one, add a row. */
export const messageRows: Record<string, MessageRow> = {
  exec: row(
    { meaning: 'Runs a command', replies: ['accepted', ...events, ...dialectEvents], shown: shownExec },
    Type.Object({ idempotency_key: Type.Optional(IdempotencyKey) }, { additionalProperties: true }),
    exec,
  ),
  attach: row(
    { meaning: 'Follows a run from these byte offsets', replies: [...events, 'stdin_taken'] },
    only({ id, stdout: offset, stderr: offset }),
    attach,
  ),
  frames: row(
    { meaning: 'Switches output to binary messages, or back to text', replies: ['stdin_taken'] },
    FramesInput,
    async (session, { frames }) => {
      session.frames = frames
    },
  ),
  output_taken: row(
    { meaning: 'Confirms receipt of all bytes before these offsets, so that a waiting run may continue' },
    only({ id, stdout: offset, stderr: offset }),
    outputTaken,
  ),
  cancel: row({ meaning: 'Cancels a run and kills its whole process tree' }, only({ id }), ({ executor }, body) =>
    executor.cancel(body.id, note('CANCELED_BY_CLIENT')),
  ),
  stdin: row(
    { meaning: 'Feeds the stdin of a run', replies: ['stdin_taken'] },
    only({ id, ...StdinInput.properties }),
    async ({ executor }, body) => feedStdin(await executor.running(body.id), body),
  ),
  signal: row(
    { meaning: "Sends a signal to a run's process group" },
    only({ id, ...SignalInput.properties }),
    async ({ executor }, body) => sendSignal(await executor.running(body.id), body.signal),
  ),
  resize: row(
    { meaning: 'Sets the size of the terminal of a run' },
    only({ id, ...WindowSize.properties }),
    async ({ executor }, { id: run, ...size }) => resizeTerminal(await executor.running(run), size),
  ),
  watch_approvals: row(
    {
      meaning: 'Reports every approval request and its answer from now on',
      replies: ['approval_requested', 'approval_decided'],
    },
    only({}),
    watchApprovals,
  ),
  watch_runs: row({ meaning: 'Reports every step of every run from now on', replies: ['run'] }, only({}), watchRuns),
  approval: row(
    { meaning: 'Answers an approval request' },
    only({ id, ...ApprovalInput.properties }),
    async ({ executor, who, how, from }, body) => answerApproval(executor, body.id, body, { who, how, from }),
  ),
  ping: row(
    { meaning: 'Checks whether the service responds', replies: ['pong'] },
    only({}),
    ({ connection }, _body, ref) => connection.send({ type: 'pong', ref }),
  ),
}

/** Handles one message. Any error is sent as an `error` message, and the connection stays open. Never rejects. */
export async function handleMessage(session: WsSession, bytes: Buffer): Promise<void> {
  let ref: string | undefined
  const heldBytes = session.heldBytes
  session.heldBytes += bytes.length
  try {
    const { type, ref: rawRef, ...body } = parseMessage(bytes)
    ref = checkRef(rawRef)
    if (type === 'exec' && heldBytes > MAX_HELD_BYTES) {
      throw new ShellphoneError(
        'RATE_LIMITED',
        `exec: the commands that this connection is running already total ${heldBytes} bytes`,
      )
    }
    const row = typeof type === 'string' && Object.hasOwn(messageRows, type) ? messageRows[type] : undefined
    if (!row) {
      throw invalid(`type: expected one of ${Object.keys(messageRows).join(', ')}, got ${shown(type)}`, 'type')
    }
    await row.handle(session, check(row.schema, body), ref)
  } catch (error) {
    session.connection.sendError({ ref }, toShellphoneError(error as ShellphoneError))
  } finally {
    session.heldBytes -= bytes.length
  }
}

function checkRef(ref: unknown): string | undefined {
  if (ref === undefined || (typeof ref === 'string' && ref.length <= 200)) return ref
  throw invalid('ref: expected a string of at most 200 characters', 'ref')
}

type ExecBody = Record<string, unknown> & { idempotency_key?: string }

async function exec(session: WsSession, { idempotency_key: key, ...body }: ExecBody, ref?: string): Promise<void> {
  const { executor, connection, who } = session
  const caller = { key, gone: connection.gone, who, via: 'WebSocket' }
  if ('dialect' in body) {
    const { fields, given } = splitCall(body)
    const { dialect, tool, session: own } = check(DialectCall, fields)
    const call = await executor.executeDialect(nameOfTool(dialect, tool), given, { ...caller, session: own })
    if (!call.run) return connection.send({ type: 'result', ref, ...(await call.reply()).answer })
    return accept(session, call.run, ref, call.form)
  }
  await requireCommand({ body })
  const run = await executor.execute(check(ExecRequest, body), caller)
  session.readers.of(run)
  await accept(session, run, ref)
}

async function accept(session: WsSession, run: Watched, ref: string | undefined, form?: EventForm): Promise<void> {
  await session.connection.send({ type: 'accepted', ref, id: run.id })
  await session.deliveries.add(pump(session, run, { stdout: 0, stderr: 0 }, ref, form))
}

/** Records what the client has read, so that a run that waits for it may continue; no effect if the run has ended. */
async function outputTaken(
  { executor, readers }: WsSession,
  { id, ...taken }: { id: string } & Partial<Offsets>,
): Promise<void> {
  const reader = readers.of(await executor.find(id))
  for (const [stream, offset] of Object.entries(taken)) reader.take(stream as Stream, offset)
}

async function attach(session: WsSession, body: { id: string } & Partial<Offsets>, ref?: string): Promise<void> {
  if (session.attached >= MAX_ATTACHED) {
    throw new ShellphoneError('RATE_LIMITED', `attach: this connection already follows ${MAX_ATTACHED} runs`)
  }
  session.attached++
  try {
    const run = await session.executor.find(body.id)
    await session.deliveries.add(pump(session, run, { stdout: body.stdout ?? 0, stderr: body.stderr ?? 0 }, ref))
  } finally {
    session.attached--
  }
}

/** Sends a run's events as fast as the client reads them. */
async function pump(
  session: WsSession,
  run: Watched,
  from: Offsets,
  ref: string | undefined,
  form?: EventForm,
): Promise<void> {
  const { connection, turn } = session
  if (run.stdin) void reportTaken(session, run.id, run.stdin, ref)
  for await (const { id, piece, toEvent } of eventsOf(run, from, connection.gone, turn, { form })) {
    const isFrame = piece !== null && session.frames === 'binary'
    await connection.send(() => (isFrame ? toFrame(id, piece) : jsonWithRef(toEvent(), ref)), isFrame)
    await connection.room()
  }
}

/** Reports to a client that uses binary messages how many stdin bytes the command has taken, now and at each change, until the run has ended. Never rejects. */
async function reportTaken(session: WsSession, id: string, stdin: OpenStdin, ref: string | undefined): Promise<void> {
  const { connection } = session
  const { gone } = connection
  const wake = () => stdin.wake()
  gone.addEventListener('abort', wake)
  for (let reported = -1; !gone.aborted && !stdin.closed.aborted; await connection.room()) {
    if (stdin.taken === reported || session.frames === 'text') await stdin.changed()
    else void connection.send({ type: 'stdin_taken', ref, id, offset: (reported = stdin.taken) })
  }
  gone.removeEventListener('abort', wake)
}
