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
import { disconnectSignal, errorResponses, type OwnErrors } from '../../http/index.ts'
import { BUSY, CHANGED, denied, FULL, NO_FILE, runId } from './file-schemas.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

const TEXT_ONLY = {
  413: 'the body or a file is larger than the limit that the message names',
  415: 'the body is not JSON, or a file is binary or not UTF-8',
}

/** The tools that have a route of their own: its path, and the request and the result of the tool. */
const rows = [
  {
    tool: 'edit',
    summary: 'Replace text in a file: exact, unique, in one step',
    operationId: 'editFile',
    body: FileEditRequest,
    result: FileEditResult,
    done: 'The file is changed: its new hash and the changed lines',
    errors: {
      ...NO_FILE,
      ...CHANGED,
      ...FULL,
      409: 'an edit matches no text, or several; or the run was canceled',
      ...TEXT_ONLY,
    },
  },
  {
    tool: 'search',
    summary: 'Search files for lines that match a pattern, or list them',
    operationId: 'searchFiles',
    body: FileSearchRequest,
    result: FileSearchResult,
    done: 'The matches, or the names of the files',
    errors: { ...NO_FILE, 409: 'the run was canceled' },
  },
  {
    tool: 'patch',
    summary: 'Apply a patch to several files: all changes, or none',
    operationId: 'patchFiles',
    body: FilePatchRequest,
    result: FilePatchResult,
    done: 'All files are changed',
    errors: {
      ...NO_FILE,
      ...CHANGED,
      ...FULL,
      409: 'the patch does not fit a file, or a new file already exists; or the run was canceled',
      ...TEXT_ONLY,
    },
  },
] as const satisfies readonly {
  tool: keyof FileTools
  summary: string
  operationId: string
  body: TSchema
  result: TSchema
  /** what a 200 says */
  done: string
  errors: OwnErrors
}[]

/** POST /files/edit and /files/search, as in MCP, and POST /files/patch. */
export async function fileToolRoutes(app: App, { fileTools }: RouteParts): Promise<void> {
  for (const { tool, summary, operationId, body, result, done, errors } of rows) {
    const schema = {
      summary,
      operationId,
      tags: ['files'],
      body,
      response: {
        200: { description: done, headers: { 'Run-Id': runId }, ...content(result) },
        403: denied,
        ...errorResponses(400, 401, 413, 429, 500, BUSY, errors),
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
  if (record.status !== 'denied') throw canceledRun(run.id)
  await reply.code(403).send(record)
  return null
}

export const canceledRun = (id: string) => new ShellphoneError('CONFLICT', `Run ${id} was canceled`)
