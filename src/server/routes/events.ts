import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { type EventOptions, eventsOf, type Offsets, type ReaderKind, type Watched } from '../exec/index.ts'
import {
  DialectEvent,
  invalid,
  kind,
  RunEvent,
  ShellphoneError,
  type StreamedRunEvent,
} from '../../shared/schema/index.ts'
import type { Bounds, Ledger } from './bounds.ts'
import { ErrorBody, eventHeaders, eventText, jsonOf, keepAlive, toShellphoneError } from '../../http/index.ts'
import { drained, startCounted } from './bytes.ts'

/** The error that ended a stream early. */
const ErrorEvent = Type.Object(
  { type: kind('error'), ...ErrorBody.properties },
  { $id: 'ErrorEvent', description: 'The error that ended the events early' },
)

const StreamedEvent = Type.Union([...RunEvent.anyOf, ErrorEvent], {
  $id: 'StreamedEvent',
  description: 'The data of an event; the event name is the type',
})

/** A stream of events; the contract describes the data of each. */
export const eventStream = { type: 'string', 'x-event': StreamedEvent }

const StreamedDialectEvent = Type.Union([...DialectEvent.anyOf, ErrorEvent], {
  $id: 'StreamedDialectEvent',
  description: 'The data of an event; the event name is the type',
})

/** The same for a run that begins in a dialect. */
export const dialectEventStream = { type: 'string', 'x-event': StreamedDialectEvent }

interface EventParts extends Pick<Bounds, 'unsent' | 'turn'>, EventOptions {
  /** default: 'watches' */
  kind?: ReaderKind
}

/** Sends a run's events as SSE (WHATWG HTML, 9.2). Each event's id is the position to resume from (Last-Event-ID): `stdout-offset.stderr-offset`. */
export async function sendEvents(
  run: Watched,
  from: Offsets,
  reply: FastifyReply,
  gone: AbortSignal,
  { unsent, turn, kind = 'watches', ...options }: EventParts,
): Promise<FastifyReply> {
  checkReadable(run, from)
  const reader = run.output.reader(kind)
  const raw = startCounted(reply, 200, eventHeaders, unsent)
  keepAlive(raw)
  try {
    for await (const { toEvent, at } of eventsOf(run, from, gone, turn, options)) {
      await writeEvent(raw, toEvent(), at, gone, unsent)
      reader.take('stdout', at.stdout)
      reader.take('stderr', at.stderr)
    }
  } catch (error) {
    const event: Static<typeof ErrorEvent> = { type: 'error', ...toShellphoneError(error as ShellphoneError).toBody() }
    raw.write(eventText('error', event))
  } finally {
    reader.leave()
    raw.end()
  }
  return reply
}

/** Throws OUT_OF_RANGE past the end, and EXPIRED if no output is stored any more, while the response can still have an error status. */
function checkReadable({ id, output }: Watched, from: Offsets): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const size = output.size(stream)
    if (from[stream] > size) {
      throw new ShellphoneError(
        'OUT_OF_RANGE',
        `Last-Event-ID: expected at most ${size} for ${stream}, got ${from[stream]}`,
      )
    }
    if (output.finished() && output.keptBytes(stream) === 0 && from[stream] < size) {
      throw new ShellphoneError('EXPIRED', `The output of run ${id} is no longer stored`)
    }
  }
}

async function writeEvent(
  raw: ServerResponse,
  event: StreamedRunEvent,
  at: Offsets,
  gone: AbortSignal,
  unsent: Ledger<Socket>,
): Promise<void> {
  if (gone.aborted || !raw.socket) return
  raw.cork()
  raw.write(`event: ${event.type}\nid: ${at.stdout}.${at.stderr}${event.type === 'result' ? END : ''}\ndata: `)
  raw.write(jsonOf(event))
  const isRoomy = raw.write('\n\n')
  raw.uncork()
  if (!isRoomy) await drained(raw, gone, unsent)
}

/** The suffix of the last event's id: a client that returns with it has received everything. */
const END = '.end'

/** The offsets in an event's id, at which to resume; null: the client has received everything. */
export function fromEventId(id: string | string[] | undefined): Offsets | null {
  if (id === undefined) return { stdout: 0, stderr: 0 }
  const parts = /^(\d{1,15})\.(\d{1,15})(\.end)?$/.exec(String(id))
  if (parts) return parts[3] === END ? null : { stdout: Number(parts[1]), stderr: Number(parts[2]) }
  throw invalid('Last-Event-ID: expected the id of an event, STDOUT.STDERR in bytes', 'Last-Event-ID')
}
