import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transfer, TransferResult, TransferTarget, Watched } from '../exec/index.ts'
import { checkFilesRight } from '../file-tools/index.ts'
import { factsAt, listFolder, uploadedBytes } from '../files/index.ts'
import { FileList, FileReadResult } from '../../shared/schema/index.ts'
import { bytesAsTheyCome, drainBody, errorResponses, longUpload } from '../../http/index.ts'
import { replaceFile, sendLines } from './file-content.ts'
import { callerOf, canceledRun } from './file-tool-routes.ts'
import { uploadKeyOf } from './file-headers.ts'
import {
  archive,
  BUSY,
  bytes,
  CHANGED,
  denied,
  empty,
  fileHeaders,
  FULL,
  GetHeaders,
  GetQuery,
  matches,
  MAX_LIST,
  NO_FILE,
  PutHeaders,
  PutQuery,
  runId,
  said,
  tags,
  TAR,
  TargetQuery,
  writtenHeaders,
} from './file-schemas.ts'
import { digestFile, sendFile, sendFolder } from './files-down.ts'
import { archiveKey, createArchiveProgress } from './archive-progress.ts'
import { remove, reportProgress, takeFile, takeFolder, uploadRequestOf } from './files-up.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

/** GET, HEAD, PUT and DELETE of files. Each is judged, approved and recorded like the command that does the same. */
export async function fileRoutes(parent: App, parts: RouteParts): Promise<void> {
  await parent.register(async (scope) => {
    bytesAsTheyCome(scope)
    scope.addHook('onRequest', async (request) => checkRight(request))
    scope.addHook('onSend', async (request, reply) => drainRest(request, reply))
    const app: App = scope.withTypeProvider()
    headRoute(app, parts)
    getRoute(app, parts)
    putRoute(app, parts)
    deleteRoute(app, parts)
  })
}

/** Throws FORBIDDEN unless the token's right `files` allows the method. */
const checkRight = (request: FastifyRequest): void =>
  checkFilesRight(whoOf(request), request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write')

/** Reads the rest of a rejected body, within bounds: a client that is still sending reads the response only afterwards. */
async function drainRest({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!raw.complete) await drainBody(raw)
  if (!raw.complete) reply.header('connection', 'close')
}

/** A transfer of one file or directory. */
type FileTransfer = Omit<Transfer, 'targets'> & TransferTarget

/**
 * Resolves to the run of the transfer when it has ended; null: the transfer was denied, and the response has been sent. Throws CONFLICT if somebody
 * canceled it before it began.
 */
async function transfer(
  { act, path, ...wanted }: FileTransfer,
  request: FastifyRequest,
  reply: FastifyReply,
  { executor }: RouteParts,
): Promise<Watched | null> {
  const run = await executor.transfer({ ...wanted, targets: [{ act, path }] }, callerOf(request, reply))
  const record = await run.finished
  if (!reply.sent) reply.header('run-id', run.id)
  if (record.started_at !== null) return run
  if (record.status !== 'denied') throw canceledRun(run.id)
  await reply.code(403).send(record)
  return null
}

function headRoute(app: App, parts: RouteParts): void {
  const schema = {
    operationId: 'headFile',
    summary: 'Get the size, time, ETag and sha256 of a file',
    tags,
    querystring: TargetQuery,
    headers: Type.Object(matches),
    response: {
      200: empty('The file exists', {
        ...writtenHeaders,
        'Content-Length': { type: 'integer', description: 'Size in bytes' },
      }),
      304: empty('The file still has an ETag of If-None-Match'),
      403: denied,
      ...errorResponses(400, 401, 429, 500, NO_FILE, BUSY, CHANGED, {
        409: 'the path is neither a file nor a directory; or the run was canceled',
      }),
    },
  }
  app.head(
    '/files',
    { schema, config: { streams: true, swagger: { exposeHeadRoute: true } } },
    async (request, reply) => {
      const { path, sandbox } = request.query
      const at = await parts.executor.resolvePath(path, true)
      const { type } = await factsAt(at)
      if (type === 'directory') return reply.type('application/json; charset=utf-8').send()
      const work: Transfer['work'] = (context) => digestFile(at, request, reply, context)
      return (await transfer({ act: 'digest', path: at, sandbox, work }, request, reply, parts)) ? reply.send() : reply
    },
  )
}

function getRoute(app: App, parts: RouteParts): void {
  const schema = {
    operationId: 'getFile',
    summary: 'Read a file, or a directory as a list or as tar',
    tags,
    querystring: GetQuery,
    headers: GetHeaders,
    response: {
      200: {
        description: 'The whole file',
        headers: fileHeaders,
        content: { ...bytes, 'application/json': { schema: Type.Union([FileList, FileReadResult]) }, [TAR]: archive },
      },
      206: {
        description: 'The requested range',
        headers: { ...fileHeaders, 'Content-Range': said('bytes FIRST-LAST/TOTAL') },
        content: bytes,
      },
      304: empty('The file still has an ETag of If-None-Match'),
      403: denied,
      ...errorResponses(400, 401, 429, 500, NO_FILE, BUSY, CHANGED, {
        409: 'the path is neither a file nor a directory, or it changed during the request; or the run was canceled',
        415: 'with lines: the file is not UTF-8 text',
        416: 'the Range begins beyond the end of the file',
      }),
    },
  }
  app.get('/files', { schema, config: { streams: true } }, async (request, reply) => {
    const { path, sandbox, after = '', limit = MAX_LIST, lines } = request.query
    if (lines !== undefined) return sendLines(lines, request.query, request, reply, parts)
    const at = await parts.executor.resolvePath(path, true)
    const { type } = await factsAt(at)
    const isDirectory = type === 'directory'
    const act = !isDirectory ? 'read' : request.headers.accept?.includes(TAR) ? 'pack' : 'list'
    let list: FileList | null = null
    const works = {
      read: (context) => sendFile(at, request, reply, context),
      pack: (context) => sendFolder(at, after, reply, context),
      async list({ hides }): Promise<TransferResult> {
        list = await listFolder(at, { after, limit }, hides)
        return { ending: 'completed', artifacts: [], notes: [] }
      },
    } satisfies Record<string, Transfer['work']>
    const run = await transfer({ act, path: at, sandbox, work: works[act] }, request, reply, parts)
    return run && list ? reply.send(list) : reply
  })
}

function putRoute(app: App, parts: RouteParts): void {
  const { uploads } = parts
  const archives = createArchiveProgress()
  const schema = {
    operationId: 'putFile',
    summary: 'Write a file in one step, or unpack tar into a directory',
    tags,
    querystring: PutQuery,
    headers: PutHeaders,
    body: { content: { ...bytes, [TAR]: archive } },
    response: {
      201: empty('The file is created', writtenHeaders),
      204: empty('The file is replaced, or the archive is unpacked', writtenHeaders),
      308: empty('The bytes or names received so far; send the rest', {
        Range: said('bytes=0-LAST: the bytes received'),
        'Unpacked-Through': said('Of an archive: the last complete name, percent-encoded'),
      }),
      403: denied,
      ...errorResponses(400, 401, 429, 500, BUSY, CHANGED, FULL, {
        404: 'the directory of the file does not exist',
        409: 'the path is a directory, or the upload continues at another byte; or the run was canceled',
        413: 'the file is larger than the limit that the message names, or than the file system allows',
      }),
    },
  }
  app.put('/files', { schema, config: { streams: true } }, async (request, reply) => {
    longUpload(request)
    const { path, sandbox, mode, if_hash } = request.query
    if (if_hash !== undefined) return replaceFile({ ...request.query, if_hash }, request, reply, parts)
    const at = await parts.executor.resolvePath(path, true)
    if (request.headers['content-type']?.startsWith(TAR)) {
      const word = uploadKeyOf(request.headers)
      const key = word === null ? null : archiveKey(whoOf(request).id, at, word)
      if (key !== null && request.headers['content-range'] === 'bytes */*') {
        return replyUnpackedThrough(await archives.through(key), reply)
      }
      const work: Transfer['work'] = (context) =>
        archives.track(key, request.raw.socket, (note) => takeFolder(at, uploads, note, request, context))
      return (await transfer({ act: 'unpack', path: at, sandbox, work }, request, reply, parts))
        ? reply.code(204).send()
        : reply
    }
    const wanted = uploadRequestOf(request, at, whoOf(request))
    if (wanted.onlyAsks) return reportProgress(await uploadedBytes(wanted.key!, uploads), reply).send()
    const octal = mode === undefined ? null : Number.parseInt(mode, 8)
    const work: Transfer['work'] = (context) => takeFile(at, wanted, octal, uploads, { request, reply, context })
    return (await transfer({ act: 'write', path: at, sandbox, work }, request, reply, parts)) ? reply.send() : reply
  })
}

/** Sends the client the name after which to resume an archive. */
function replyUnpackedThrough(through: string | null, reply: FastifyReply): FastifyReply {
  if (through !== null) reply.header('unpacked-through', encodeURIComponent(through))
  return reply.code(308).send()
}

function deleteRoute(app: App, parts: RouteParts): void {
  const schema = {
    operationId: 'deleteFile',
    summary: 'Delete a file, a link or an empty directory',
    tags,
    querystring: TargetQuery,
    headers: Type.Object(matches),
    response: {
      204: empty('The file, link or directory is deleted', { 'Run-Id': runId }),
      403: denied,
      ...errorResponses(400, 401, 429, 500, NO_FILE, BUSY, CHANGED, {
        409: 'the directory is not empty, or in use by the system; or the run was canceled',
      }),
    },
  }
  app.delete('/files', { schema }, async (request, reply) => {
    const { path, sandbox } = request.query
    const at = await parts.executor.resolvePath(path, false)
    const act = (await factsAt(at)).type === 'directory' ? 'removeDirectory' : 'remove'
    const work = () => remove(at, request)
    return (await transfer({ act, path: at, sandbox, work }, request, reply, parts)) ? reply.code(204).send() : reply
  })
}
