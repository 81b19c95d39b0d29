import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileRun, FileTools } from '../file-tools/index.ts'
import {
  FileEditRequest,
  FileEditResult,
  FilePatchRequest,
  FilePatchResult,
  FileSearchRequest,
  FileSearchResult,
  ShellphoneError,
} from '../../shared/schema/index.ts'
import { disconnectSignal, errorResponses } from '../../http/index.ts'
import { denied, runId } from './file-schemas.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

/** The tools that have a route of their own: its path, and the request and the result of the tool. */
const rows = [
  {
    tool: 'edit',
    summary: 'Replace text in a file: exact, unique, in one step',
    operationId: 'editFile',
    body: FileEditRequest,
    result: FileEditResult,
    errors: [404, 409, 412, 413, 415, 507],
  },
  {
    tool: 'search',
    summary: 'Search files for lines that match a pattern, or list them',
    operationId: 'searchFiles',
    body: FileSearchRequest,
    result: FileSearchResult,
    errors: [404, 409],
  },
  {
    tool: 'patch',
    summary: 'Apply a patch to several files: all changes, or none',
    operationId: 'patchFiles',
    body: FilePatchRequest,
    result: FilePatchResult,
    errors: [404, 409, 412, 413, 415, 507],
  },
] as const satisfies readonly {
  tool: keyof FileTools
  summary: string
  operationId: string
  body: TSchema
  result: TSchema
  errors: number[]
}[]

/** POST /files/edit and /files/search, as in MCP, and POST /files/patch. */
export async function fileToolRoutes(app: App, { fileTools }: RouteParts): Promise<void> {
  for (const { tool, summary, operationId, body, result, errors } of rows) {
    const schema = {
      summary,
      operationId,
      tags: ['files'],
      body,
      response: {
        200: { description: 'Done', headers: { 'Run-Id': runId }, ...content(result) },
        403: denied,
        ...errorResponses(400, 401, 429, 500, 503, ...errors),
      },
    }
    app.post(`/files/${tool}`, { schema }, async (request, reply) => {
      const begin = fileTools[tool] as (body: unknown, caller: ReturnType<typeof callerOf>) => Promise<FileRun<object>>
      const answer = await answerOf(begin(request.body, callerOf(request, reply)), reply)
      return answer ? reply.send(answer) : reply
    })
  }
}

const content = (schema: TSchema) => ({ content: { 'application/json': { schema } } })

/** The caller of a file tool, whose run is canceled if the client disconnects. */
export const callerOf = (request: FastifyRequest, reply: FastifyReply) => ({
  gone: disconnectSignal(reply),
  who: whoOf(request),
  via: `${request.method} ${request.routeOptions.url}`,
})

/** Waits for the result; null: the run was denied, and the reply has been sent. Throws CONFLICT if somebody canceled it. */
export async function answerOf<Result>(begun: Promise<FileRun<Result>>, reply: FastifyReply): Promise<Result | null> {
  const { run, answer } = await begun
  const record = await run.finished
  reply.header('run-id', run.id)
  const answered = answer()
  if (answered !== null) return answered.result
  if (record.status !== 'denied') throw new ShellphoneError('CONFLICT', `Run ${run.id} was canceled`)
  await reply.code(403).send(record)
  return null
}
