import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import type { Watched } from '../exec/index.ts'
import { isEnding, note, runIdMs, ShellphoneError } from '../../shared/schema/index.ts'
import type { McpParts, McpToolCall } from './mcp-parts.ts'
import { recordResult } from './result.ts'
import { standard } from './standard-schema.ts'
import { seenIn } from './who.ts'

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

const POLL_INTERVAL_MS = 2000

/** Converts a run to a task of the extension (SEP-2663) with the same id. A task is available as long as its run is in the history. */
function taskOf({ id, status }: Pick<Watched, 'id' | 'status'>) {
  const createdAt = new Date(runIdMs(id)).toISOString()
  const taskStatus = !isEnding(status) ? 'working' : status === 'canceled' ? 'cancelled' : 'completed'
  return {
    taskId: id,
    status: taskStatus,
    createdAt,
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  }
}

/** The task that tools/call returns instead of a handle. */
export type TaskResult = ReturnType<typeof toTask>
export const toTask = (run: Pick<Watched, 'id' | 'status'>) => ({
  content: [],
  resultType: 'task',
  ...taskOf(run),
})

/** Handles tasks/get, tasks/cancel and tasks/update from the record of the run. */
export function serveTasks(server: Server, { executor }: McpParts, resultOf: McpToolCall['resultOf']): void {
  server.setRequestHandler('tasks/get', { params: standard(TaskId) }, async ({ taskId }, ctx) => {
    const runs = seenIn(ctx, executor)
    const record = await runs.recordOf(taskId).catch(throwInvalidParams)
    const status = runs.callOf(taskId)?.isOver() === false ? 'running' : record.status
    const task = { resultType: 'complete', ...taskOf({ id: record.id, status }) }
    if (task.status !== 'completed') return task
    const run = await runs.find(taskId).catch(() => null) // its output may no longer be stored
    const result = run ? await resultOf(run) : recordResult(record)
    return { ...task, result: { resultType: 'complete', ...result } }
  })
  server.setRequestHandler('tasks/cancel', { params: standard(TaskId) }, async ({ taskId }, ctx) => {
    await seenIn(ctx, executor).cancel(taskId, note('CANCELED_BY_CLIENT')).catch(throwInvalidParams)
    return { resultType: 'complete' }
  })
  // tasks never request input, because a person answers elsewhere by then
  server.setRequestHandler('tasks/update', { params: standard(TaskId) }, async () => ({ resultType: 'complete' }))
}

/** Throws the protocol's error for a task that does not exist, or else the error itself. */
function throwInvalidParams(error: unknown): never {
  throw error instanceof ShellphoneError ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error
}

const TaskId = Type.Object({ taskId: Type.String({ maxLength: 64 }) })
