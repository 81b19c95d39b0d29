import { type TSchema, Type } from '@sinclair/typebox'
import { type Desk, eventsOf, type Offsets, type Watched } from '../exec/index.ts'
import { check, ExecRequest, ShellphoneError } from '../schema/index.ts'
import { ApprovalInput, answerApproval } from './approvals.ts'
import { toShellphoneError } from './error-replies.ts'
import { requireCommand } from './exec.ts'
import { CANCELED, feedStdin, SignalInput, StdinInput, sendSignal } from './run-input.ts'
import type { Connection } from './socket.ts'

/** What a message may touch: the desk and its own connection. */
export interface Session {
  desk: Desk
  connection: Connection
}

interface MessageRow {
  /** the message's fields beside `type` and `ref` */
  schema: TSchema
  handle(session: Session, body: never, ref: string | undefined): Promise<void>
}

const id = Type.String({ minLength: 1, maxLength: 64 })
const offset = Type.Optional(Type.Integer({ minimum: 0 }))
const only = (fields: Record<string, TSchema>) => Type.Object(fields, { additionalProperties: false })

/** Every message that a client may send. To add one, add a row. */
export const messageRows: Record<string, MessageRow> = {
  exec: { schema: Type.Object({}, { additionalProperties: true }), handle: exec },
  attach: { schema: only({ id, stdout: offset, stderr: offset }), handle: attach },
  cancel: {
    schema: only({ id }),
    handle: async ({ desk }, body: { id: string }) => void (await desk.cancel(body.id, CANCELED)),
  },
  stdin: {
    schema: only({ id, ...StdinInput.properties }),
    handle: async ({ desk }, body: StdinInput & { id: string }) => feedStdin(await desk.running(body.id), body),
  },
  signal: {
    schema: only({ id, ...SignalInput.properties }),
    handle: async ({ desk }, body: SignalInput & { id: string }) => sendSignal(await desk.running(body.id), body),
  },
  watch_approvals: { schema: only({}), handle: watchApprovals },
  approval: {
    schema: only({ id, ...ApprovalInput.properties }),
    handle: async ({ desk }, body: ApprovalInput & { id: string }) =>
      void answerApproval(desk, body.id, body, 'websocket'),
  },
  ping: { schema: only({}), handle: async ({ connection }) => connection.send({ type: 'pong' }) },
}

/** Runs one message; whatever is wrong with it becomes an `error` message, and the connection lives. */
export async function handleMessage(session: Session, text: string): Promise<void> {
  let ref: string | undefined
  try {
    const { type, ref: given, ...body } = parseMessage(text)
    ref = checkRef(given)
    const row = typeof type === 'string' && Object.hasOwn(messageRows, type) ? messageRows[type] : undefined
    if (!row) {
      throw invalid(`type: expected one of ${Object.keys(messageRows).join(', ')}, got ${JSON.stringify(type)}`, 'type')
    }
    await row.handle(session, check(row.schema, body) as never, ref)
  } catch (error) {
    session.connection.sendError(ref, toShellphoneError(error as ShellphoneError))
  }
}

export function parseMessage(text: string): Record<string, unknown> {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw invalid('message: expected JSON')
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>
  }
  throw invalid('message: expected a JSON object')
}

function checkRef(ref: unknown): string | undefined {
  if (ref === undefined || (typeof ref === 'string' && ref.length <= 200)) return ref
  throw invalid('ref: expected a string of at most 200 characters', 'ref')
}

async function exec(session: Session, body: Record<string, unknown>, ref: string | undefined): Promise<void> {
  if ('dialect' in body) return execDialect(session, body, ref)
  requireCommand(body)
  const run = session.desk.execute(check(ExecRequest, body))
  const leave = run.join()
  session.connection.closed.addEventListener('abort', leave, { once: true })
  await session.connection.send({ type: 'accepted', ...refOf(ref), id: run.id })
  await pump(session, run, { stdout: 0, stderr: 0 }, ref)
  session.connection.closed.removeEventListener('abort', leave)
}

/** `dialect` names the tool; its parameters stand beside it, or under `arguments`. */
async function execDialect(session: Session, body: Record<string, unknown>, ref: string | undefined): Promise<void> {
  const { dialect, arguments: given, ...parameters } = body
  const { connection } = session
  const { run, answer } = session.desk.executeDialect(String(dialect), given ?? parameters)
  const leave = run?.join()
  if (leave) connection.closed.addEventListener('abort', leave, { once: true })
  if (run) await connection.send({ type: 'accepted', ...refOf(ref), id: run.id })
  await connection.send({ type: 'result', ...refOf(ref), ...(await answer()) })
  if (leave) connection.closed.removeEventListener('abort', leave)
}

const refOf = (ref: string | undefined) => (ref === undefined ? {} : { ref })

/** Connections that watch: asked twice, one still hears everything once. */
const watching = new WeakSet<Connection>()

/** From now on every question and answer is told here; first what waits already. */
async function watchApprovals({ desk, connection }: Session): Promise<void> {
  if (watching.has(connection)) return
  watching.add(connection)
  const stop = desk.approvals.subscribe((event) => void connection.send(event))
  connection.closed.addEventListener('abort', stop, { once: true })
  for (const approval of desk.approvals.pending()) await connection.send({ type: 'approval_requested', approval })
}

async function attach(
  session: Session,
  body: { id: string } & Partial<Offsets>,
  ref: string | undefined,
): Promise<void> {
  const run = await session.desk.find(body.id)
  await pump(session, run, { stdout: body.stdout ?? 0, stderr: body.stderr ?? 0 }, ref)
}

/** Hands a run's events to the connection as fast as it takes them. */
async function pump({ connection }: Session, run: Watched, from: Offsets, ref: string | undefined): Promise<void> {
  for await (const { event } of eventsOf(run, from, connection.closed)) {
    await connection.send(event.type === 'result' && ref !== undefined ? { ...event, ref } : event)
  }
}

function invalid(message: string, field?: string): ShellphoneError {
  return new ShellphoneError('VALIDATION_ERROR', message, { field })
}
