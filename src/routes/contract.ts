import { readFile } from 'node:fs/promises'
import type { App, RouteParts } from './parts.ts'

/** GET /openapi.yaml: the contract, as it lies beside the code. */
export async function contractRoute(app: App, { contract }: RouteParts): Promise<void> {
  const schema = {
    summary: 'This contract',
    tags: ['operation'],
    response: { 200: { description: 'OpenAPI 3.1', content: { 'application/yaml': { schema: { type: 'string' } } } } },
  }
  app.get('/openapi.yaml', { schema }, async (_request, reply) => {
    return reply.type('application/yaml').send(await readFile(contract, 'utf8'))
  })
}
