import Fastify from 'fastify'
import pino from 'pino'
import { PlaneExecRequest } from '../../src/fleet/plane/api/plane-exec-route.ts'
import type { PlaneParts } from '../../src/fleet/plane/api/plane-parts.ts'
import { planeRoutes } from '../../src/fleet/plane/open-plane.ts'
import { type App, appOptions, bodiesAsBytes } from '../../src/http/index.ts'
import { version } from '../../src/shared/package/version.ts'
import { documentOf, license } from './openapi-document.ts'
import { planeExamples } from './plane-examples.ts'

const description = {
  info: {
    title: 'Shellphone control plane',
    version,
    summary: 'One address for the phones of a fleet',
    description:
      "The control plane's own routes. Below /phones/NAME it serves every route of that phone, with the phone's own contract (openapi.yaml). With the header X-Phone, POST /exec and POST /exec/DIALECT are those of that phone. Such a call can also fail with 409 phone_conflict or wrong_home, 502 phone_garbled, 503 phone_offline or broker_unavailable, and 504 phone_silent.",
    license,
  },
  servers: [{ url: 'http://127.0.0.1:8030' }],
  tags: [
    { name: 'phones', description: 'The phones of the fleet' },
    { name: 'jobs', description: 'Commands for several phones' },
    { name: 'approvals', description: 'Approvals' },
    { name: 'access', description: 'Invitations and tokens' },
    { name: 'operation', description: 'State of the control plane' },
  ],
}

/** Returns the control plane's own routes as OpenAPI 3.1 in YAML. A test compares the result with the committed document. */
export async function planeDocument(): Promise<string> {
  const app: App = Fastify(appOptions(pino({ level: 'silent' })))
  // POST /exec checks its body itself, because with the header X-Phone it belongs to a phone
  app.addHook('onRoute', (route) => {
    if (route.url === '/exec') route.schema = { ...route.schema, body: PlaneExecRequest }
  })
  await documentOf(app, description, planeExamples)
  bodiesAsBytes(app)
  for (const route of planeRoutes) await route(app, {} as PlaneParts)
  await app.ready()
  const text = app.swagger({ yaml: true })
  await app.close()
  return text
}
