import { type TSchema, Type } from '@sinclair/typebox'
import { type Desk, eventsOf, type Run } from '../exec/index.ts'
import { check, ExecRequest, ShellphoneError } from '../schema/index.ts'
import { toShellphoneError } from './error-replies.ts'
import type { Connection } from './socket.ts'

/** What a message may touch: the desk, its own connection, and the runs that this connection started. */
export interface Session {
  desk: Desk
  connection: Connection
  runs: Set<Run>
}

interface MessageRow {
  /** the message's fields beside `type` and `ref` */
  schema: TSchema
  handle(session: Session, body: never, ref: string | undefined): void
}

const RunId = Type.String({ minLength: 1, maxLength: 64 })

/** Every message that a client may send. To add one, add a row. */
export const messageRows: Record<string, MessageRow> = {
  exec: { schema: ExecRequest, handle: exec },
  cancel: {
    schema: Type.Object({ id: RunId }, { additionalProperties: false }),
    handle: ({ desk }, { id }: { id: string }) => void desk.running(id).cancel('canceled by the client'),
  },
  ping: {
    schema: Type.Object({}, { additionalProperties: false }),
    handle: ({ connection }) => void connection.send({ type: 'pong' }),
  },
}

/** Runs one message; whatever is wrong with it becomes an `error` message, and the connection lives. */
export function handleMessage(session: Session, text: string): void {
  let ref: string | undefined
  try {
    const { type, ref: given, ...body } = parseMessage(text)
    ref = checkRef(given)
    const row = Object.hasOwn(messageRows, type as string) ? messageRows[type as string] : undefined
    if (!row)
      throw invalid(`type: expected one of ${Object.keys(messageRows).join(', ')}, got ${JSON.stringify(type)}`, 'type')
    row.handle(session, check(row.schema, body) as never, ref)
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
  if (typeof message === 'object' && message !== null && !Array.isArray(message))
    return message as Record<string, unknown>
  throw invalid('message: expected a JSON object')
}

function checkRef(ref: unknown): string | undefined {
  if (ref === undefined || (typeof ref === 'string' && ref.length <= 200)) return ref
  throw invalid('ref: expected a string of at most 200 characters', 'ref')
}

function exec(session: Session, body: ExecRequest, ref: string | undefined): void {
  const run = session.desk.execute(body)
  session.runs.add(run)
  void session.connection.send({ type: 'accepted', ...(ref === undefined ? {} : { ref }), id: run.id })
  pump(session, run, ref).finally(() => session.runs.delete(run))
}

/** Hands a run's events to the connection as fast as it takes them. */
async function pump({ connection }: Session, run: Run, ref: string | undefined): Promise<void> {
  try {
    for await (const { event } of eventsOf(run, { stdout: 0, stderr: 0 }, connection.closed)) {
      await connection.send(event.type === 'result' && ref !== undefined ? { ...event, ref } : event)
    }
  } catch (error) {
    connection.sendError(ref, toShellphoneError(error as ShellphoneError))
  }
}

function invalid(message: string, field?: string): ShellphoneError {
  return new ShellphoneError('VALIDATION_ERROR', message, { field })
}
