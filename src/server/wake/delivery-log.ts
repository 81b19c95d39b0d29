import { type Static, Type } from '@sinclair/typebox'
import { firstError, orNull, WakeEvent } from '../../shared/schema/index.ts'
import type { Log } from './webhook-rows.ts'

/** The file is written again when it has this many lines more than it needs. */
const MAX_SPARE_LINES = 2000

/** An event that waits for its next try at a webhook. */
const Waiting = Type.Object({
  id: Type.String(),
  webhook: Type.String(),
  event: WakeEvent,
  tries: Type.Integer(),
  /** when the next try is due, in ms since 1970 */
  due_ms: Type.Number(),
  /** the position of the event in the history; null: it has none */
  position: orNull(Type.String()),
})
export type Waiting = Static<typeof Waiting>
const Line = Type.Union([
  Type.Object({ waiting: Waiting }),
  Type.Object({ done: Type.String() }),
  Type.Object({ webhook: Type.String(), at: Type.String() }),
])

/** A file of lines that is appended to, and replaced when it has become long. */
export interface LogFile {
  read(): string | null
  write(text: string): void
  append(text: string): void
}

/** The events that wait for a webhook, which outlive a restart and kill -9. */
export interface DeliveryLog {
  readonly waiting: ReadonlyMap<string, Waiting>
  /** Adds an event, or replaces it after a try. */
  put(waiting: Waiting): void
  remove(id: string): void
  /** Records that a webhook has all its events up to this position in the history. */
  reached(webhook: string, position: string): void
  positionOf(webhook: string): string | null
  forget(webhook: string): void
}

/** Opens the log. If the disk refuses a line, the event is only in memory, with a warning. */
export function createDeliveryLog(file: LogFile, log: Log): DeliveryLog {
  const { waiting, positions, lines } = readLog(file, log)
  let count = lines
  const append = (line: object) => {
    try {
      count++
      if (count > waiting.size + positions.size + MAX_SPARE_LINES) count = rewrite(file, waiting, positions)
      else file.append(`${JSON.stringify(line)}\n`)
    } catch (error) {
      log({ reason: (error as Error).message }, 'webhook-queue.jsonl cannot be written: events are only in memory')
    }
  }
  const remove = (id: string) => {
    if (waiting.delete(id)) append({ done: id })
  }
  return {
    waiting,
    put(one) {
      waiting.set(one.id, one)
      if (one.position !== null && one.tries === 0) positions.set(one.webhook, one.position)
      append({ waiting: one })
    },
    remove,
    reached(webhook, at) {
      positions.set(webhook, at)
      append({ webhook, at })
    },
    positionOf: (webhook) => positions.get(webhook) ?? null,
    forget(webhook) {
      positions.delete(webhook)
      for (const one of waiting.values()) if (one.webhook === webhook) remove(one.id)
    },
  }
}

/** Replaces the file by what is still needed; returns the number of its lines. */
function rewrite(file: LogFile, waiting: Map<string, Waiting>, positions: Map<string, string>): number {
  const lines = [
    ...[...waiting.values()].map((one) => ({ waiting: one })),
    ...[...positions].map(([webhook, at]) => ({ webhook, at })),
  ]
  file.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return lines.length
}

/** Reads the lines. A line that is cut off, as after a power loss, is ignored. */
function readLog(file: LogFile, log: Log) {
  const waiting = new Map<string, Waiting>()
  const positions = new Map<string, string>()
  const lines = linesOf(file, log)
  for (const line of lines) {
    if ('waiting' in line) {
      const { id, webhook, position } = line.waiting
      waiting.set(id, line.waiting)
      if (position !== null && line.waiting.tries === 0) positions.set(webhook, position)
    } else if ('done' in line) waiting.delete(line.done)
    else positions.set(line.webhook, line.at)
  }
  return { waiting, positions, lines: lines.length }
}

function linesOf(file: LogFile, log: Log): Static<typeof Line>[] {
  try {
    const text = file.read() ?? ''
    if (text !== '' && !text.endsWith('\n')) file.append('\n') // the next line must not continue it
    return text.split('\n').flatMap((line) => {
      const value = parsed(line)
      return firstError(Line, value) === null ? [value as Static<typeof Line>] : []
    })
  } catch (error) {
    log({ reason: (error as Error).message }, 'webhook-queue.jsonl cannot be read: waiting events are lost')
    return []
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null // it was cut off
  }
}
