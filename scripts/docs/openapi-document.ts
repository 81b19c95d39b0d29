import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createApp } from '../../src/server/app.ts'
import type { RouteParts } from '../../src/server/routes/index.ts'
import { readConfig } from '../../src/server/settings.ts'
import { version } from '../../src/shared/package/version.ts'
import { completeDocument, type Examples } from './complete-document.ts'
import { collectNamedSchemas, describeRoute } from './named-schemas.ts'

/** Returns the routes as OpenAPI 3.1 in YAML. A test compares the result with the committed openapi.yaml. */
export async function openapiDocument(): Promise<string> {
  const app = await appOfRoutes((app) => documentOf(app))
  const text = app.swagger({ yaml: true })
  await app.close()
  return text
}

/** Prepares the app, so that `app.swagger()` describes the routes that are registered afterwards. */
export async function documentOf(
  app: FastifyInstance,
  description: Description = serviceDescription,
  examples?: Examples,
): Promise<void> {
  await app.register(swagger, {
    openapi: { ...common, ...description },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    transform: ({ schema, url }) => ({ schema: schema && describeRoute(schema), url }),
    transformObject: (document) => {
      const { openapiObject } = document as unknown as { openapiObject: Parameters<typeof completeDocument>[0] }
      completeDocument(openapiObject, examples)
      return openapiObject as object
    },
  })
  collectNamedSchemas(app)
}

/** The app with all routes, which can be described but not called. `before` runs before the routes are registered. */
export async function appOfRoutes(before: (app: FastifyInstance) => Promise<void>): Promise<FastifyInstance> {
  const machine = { platform: 'linux' as const, home: '/home/you', prefix: undefined }
  const { settings } = await readConfig({ SHELLPHONE_HOME: '/nonexistent' }, new Map(), machine)
  const executor = { close: async () => {} }
  const tokens = { onEnd: () => {} }
  const parts = {
    executor,
    tokens,
    version,
    page: new URL('../../dist/page/', import.meta.url),
    poolLimits: { max_running: 8, max_queued: 256 },
    facts: () => ({}),
  } as unknown as RouteParts
  const app = await createApp(settings, parts, pino({ level: 'silent' }), before)
  await app.ready()
  return app
}

export const license = { name: 'MIT', identifier: 'MIT' }
const common = {
  openapi: '3.1.0',
  security: [{ bearer: [] }],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description:
          'A token, in the header `Authorization: Bearer TOKEN`. `shellphone token create NAME` prints one; on a control plane, `shellphone fleet token NAME --json` does.',
      },
    },
  },
} satisfies FastifyDynamicSwaggerOptions['openapi']

/** What a document says apart from its routes. */
type Description = NonNullable<FastifyDynamicSwaggerOptions['openapi']>

/** What every client should know, in Markdown. */
const manual = [
  '**Authentication**: send `Authorization: Bearer TOKEN` with each request. `shellphone token create NAME` prints a token, once. `GET /health`, `GET /docs`, `POST /pair`, `POST /approvals/press/{nonce}` and the page need none.',
  '**Retries**: if a client disconnects, its command is canceled, unless the command runs in the background or the request has an `Idempotency-Key`. With a key, repeat the request with the same key and body: the response is that of the same run, and nothing runs twice. After 429 and 503, wait as many seconds as `Retry-After` says.',
  '**Errors** have the schema `Error`: programs read `type`, people read `message`, and `field` names invalid input. A command that failed or timed out is not an error: the status is 200, and the record has the exit code. A denied command is a 403 with its record.',
].join('\n\n')

const serviceDescription: Description = {
  info: {
    title: 'Shellphone',
    version,
    summary:
      'Runs shell commands on the phone or Linux machine on which it is installed, for agents elsewhere on the network',
    description: manual,
    license,
  },
  servers: [{ url: 'http://127.0.0.1:8029' }],
  tags: [
    { name: 'exec', description: 'Run commands' },
    { name: 'runs', description: 'Live and past runs' },
    { name: 'sessions', description: 'Sessions: directory and variables for the next command' },
    { name: 'files', description: 'Files' },
    { name: 'approvals', description: 'Approvals' },
    { name: 'policy', description: 'Policy' },
    { name: 'webhooks', description: 'Webhooks' },
    { name: 'access', description: 'Tokens and pairing' },
    { name: 'mcp', description: 'Model Context Protocol (MCP)' },
    { name: 'dialects', description: 'Dialects: the formats of other agents’ shell tools' },
    { name: 'operation', description: 'State of the service' },
  ],
}
