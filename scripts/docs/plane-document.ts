import swagger from '@fastify/swagger'
import Fastify, { type FastifySchema } from 'fastify'
import pino from 'pino'
import { PlaneExecRequest } from '../../src/fleet/plane/api/plane-exec-route.ts'
import type { PlaneParts } from '../../src/fleet/plane/api/plane-parts.ts'
import { planeRoutes } from '../../src/fleet/plane/open-plane.ts'
import { type App, appOptions, bodiesAsBytes } from '../../src/http/index.ts'
import { version } from '../../src/shared/package/version.ts'
import { completeDocument } from './complete-document.ts'
import { collectNamedSchemas, describeRoute } from './named-schemas.ts'
import { planeExamples } from './plane-examples.ts'

/** Returns the control plane's own routes as OpenAPI 3.1 in YAML. A test compares the result with the committed document. */
export async function planeDocument(): Promise<string> {
  const app: App = Fastify(appOptions(pino({ level: 'silent' })))
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Shellphone control plane',
        version,
        summary: 'One address for the phones of a fleet',
        description:
          "The control plane's own routes. Below /phones/NAME it serves every route of that phone, with the phone's own contract (openapi.yaml). With the header X-Phone, POST /exec and POST /exec/DIALECT are those of that phone.",
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'http://127.0.0.1:8030' }],
      security: [{ bearer: [] }],
      tags: [
        { name: 'phones', description: 'The phones of the fleet' },
        { name: 'jobs', description: 'Commands for several phones' },
        { name: 'approvals', description: 'Approvals' },
        { name: 'access', description: 'Invitations and tokens' },
        { name: 'operation', description: 'State of the control plane' },
      ],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    transform: ({ schema, url }) => ({ schema: describeRoute(withBody(schema, url)), url }),
    transformObject: (document) => {
      const { openapiObject } = document as unknown as { openapiObject: Parameters<typeof completeDocument>[0] }
      completeDocument(openapiObject, planeExamples)
      return openapiObject as object
    },
  })
  collectNamedSchemas(app)
  app.addHook('onRoute', (route) => void (route.schema = withBody(route.schema ?? {}, route.url)))
  bodiesAsBytes(app)
  for (const route of planeRoutes) await route(app, {} as PlaneParts)
  await app.ready()
  const text = app.swagger({ yaml: true })
  await app.close()
  return text
}

/** POST /exec checks its body itself, because with the header X-Phone it belongs to a phone. */
const withBody = (schema: FastifySchema, url: string): FastifySchema =>
  url === '/exec' ? { ...schema, body: PlaneExecRequest } : schema
