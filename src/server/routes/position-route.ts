import { Type } from '@sinclair/typebox'
import { positionAt, seenBy } from '../exec/index.ts'
import { errorResponses } from '../../http/index.ts'
import { NO_RUN } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { RunParams, Stream } from './run-input.ts'
import { whoOf } from './security.ts'

const PositionQuery = Type.Object(
  {
    stream: Type.Optional(Stream),
    offset: Type.Integer({ minimum: 0, description: 'An offset in the stream, in bytes' }),
  },
  { additionalProperties: false },
)
const OutputPosition = Type.Object(
  {
    stdout: Type.Integer({ description: 'Offset in stdout, in bytes' }),
    stderr: Type.Integer({ description: 'Offset in stderr, in bytes' }),
  },
  { $id: 'OutputPosition', description: 'Where both streams of a run stood at the same time' },
)

/** Finds the place in one stream of a run that belongs to a place in the other. */
export async function positionRoute(app: App, { executor }: RouteParts): Promise<void> {
  const positionSchema = {
    summary: 'Find where both streams stood when a byte of stdout (or, with stream=stderr, of stderr) arrived',
    operationId: 'findPosition',
    tags: ['runs'],
    params: RunParams,
    querystring: PositionQuery,
    response: {
      200: OutputPosition,
      ...errorResponses(400, 401, NO_RUN, { 416: 'the offset is beyond the end of the output' }),
    },
  }
  app.get('/runs/:id/position', { schema: positionSchema }, async (request) => {
    const { stream = 'stdout', offset } = request.query
    return positionAt(await seenBy(executor, whoOf(request)).output(request.params.id), stream, offset)
  })
}
