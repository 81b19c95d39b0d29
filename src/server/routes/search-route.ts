import { Type } from '@sinclair/typebox'
import { searchOutput, seenBy } from '../exec/index.ts'
import { errorResponses } from '../../http/index.ts'
import { EXPIRED, NO_RUN } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { RunParams, Stream } from './run-input.ts'
import { whoOf } from './security.ts'

/** Limit on the matching lines in one response. */
const MAX_MATCHES = 1000

const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: '^[^\\x00-\\x1f\\x7f]+$',
      description:
        'Text within one line, without control characters. Case, colours and other escape sequences are ignored',
    }),
    stream: Type.Optional(Stream),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Where to start, in bytes: the next_offset of the search before (default: 0)',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MATCHES,
        description: `At most this many lines (default: ${MAX_MATCHES})`,
      }),
    ),
  },
  { additionalProperties: false },
)
const OutputMatches = Type.Object(
  {
    matches: Type.Array(
      Type.Object({
        offset: Type.Integer({ description: 'Where the line starts, in bytes of the stream' }),
        line: Type.Integer({
          description: 'The number of lines between the start of the search and this line',
        }),
        arrived: Type.Integer({ description: 'How many bytes of both streams arrived before the line' }),
        count: Type.Integer({ description: 'How often the line contains the text' }),
      }),
      { description: 'The lines that contain the text' },
    ),
    lines: Type.Integer({ description: 'The number of complete lines that were searched' }),
    next_offset: Type.Integer({ description: 'Where the next search continues, in bytes' }),
    complete: Type.Boolean({ description: 'Whether everything that is stored now was searched' }),
  },
  { $id: 'OutputMatches', description: 'The matching lines of one stream' },
)

/** Finds text in the output of a run. */
export async function searchRoute(app: App, { executor, turn }: RouteParts): Promise<void> {
  const searchSchema = {
    summary:
      'Find the lines of stdout (or, with stream=stderr, stderr) that contain a text; reads at most 16 MiB per request',
    operationId: 'searchOutput',
    tags: ['runs'],
    params: RunParams,
    querystring: SearchQuery,
    response: {
      200: OutputMatches,
      ...errorResponses(400, 401, NO_RUN, EXPIRED, { 416: 'the offset is beyond the end of the output' }),
    },
  }
  app.get('/runs/:id/matches', { schema: searchSchema }, async (request) => {
    const { q: text, stream = 'stdout', offset = 0, limit: maxLines = MAX_MATCHES } = request.query
    const output = await seenBy(executor, whoOf(request)).output(request.params.id)
    return searchOutput(output, stream, { text, offset, maxLines, turn })
  })
}
