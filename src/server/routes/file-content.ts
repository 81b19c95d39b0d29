import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid, MAX_CONTENT_BYTES, type SandboxName, ShellphoneError } from '../../shared/schema/index.ts'
import { TAR } from './file-schemas.ts'
import { answerOf, callerOf } from './file-tool-routes.ts'
import type { RouteParts } from './route-parts.ts'

/** Maximum number of lines in one reply. */
const MAX_LINES = 10_000

/** The file of a request, and the sandbox in which it is used. */
interface FileQuery {
  path: string
  sandbox?: SandboxName
}

/** Sends lines of a text file as JSON. */
export async function sendLines(
  lines: string,
  { path, sandbox }: FileQuery,
  request: FastifyRequest,
  reply: FastifyReply,
  { fileTools }: RouteParts,
): Promise<FastifyReply> {
  const [first, last = ''] = lines.split('-')
  const offset = Number(first)
  const end = lines.includes('-') ? (last === '' ? offset + MAX_LINES - 1 : Number(last)) : offset
  if (end < offset || end - offset >= MAX_LINES) {
    throw invalid(`lines: expected FIRST-LAST with at most ${MAX_LINES} lines, got ${lines}`, 'lines')
  }
  const wanted = { path, sandbox, offset, limit: end - offset + 1 }
  const answer = await answerOf(fileTools.read(wanted, callerOf(request, reply)), reply)
  return answer ? reply.send(answer) : reply
}

/** Writes a file only if it still has the hash that the client knows. */
export async function replaceFile(
  { path, sandbox, mode, if_hash }: FileQuery & { mode?: string; if_hash: string },
  request: FastifyRequest,
  reply: FastifyReply,
  { fileTools }: RouteParts,
): Promise<FastifyReply> {
  const { headers, raw } = request
  if (headers['content-type']?.startsWith(TAR) || headers['content-range'] !== undefined) {
    throw invalid('if_hash: expected the whole content of one file in the body', 'if_hash')
  }
  const body = await wholeBody(raw)
  const octal = mode === undefined ? undefined : Number.parseInt(mode, 8)
  const written = fileTools.write({ path, sandbox, content: body, if_hash, mode: octal }, callerOf(request, reply))
  const answer = await answerOf(written, reply)
  if (answer === null) return reply
  return reply
    .code(answer.created ? 201 : 204)
    .header('file-hash', answer.hash)
    .send()
}

/** Reads a body of bounded size. */
async function wholeBody(raw: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_CONTENT_BYTES) {
      throw new ShellphoneError(
        'TOO_LARGE',
        `body: expected at most ${MAX_CONTENT_BYTES} bytes with if_hash, got more`,
        { field: 'body' },
      )
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
