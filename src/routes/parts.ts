import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Pairing, Tokens } from '../access/index.ts'
import type { Executor } from '../exec/index.ts'
import type { DoctorReport } from '../schema/index.ts'
import type { Bounds } from './bounds.ts'
import type { Security } from './security.ts'

/** What routes are given. */
export interface RouteParts extends Bounds {
  executor: Executor
  security: Security
  tokens: Tokens
  pairing: Pairing
  /** where the service is reached, with this code and the key to expect in the fragment */
  pairingLinks(code: string): string[]
  bodyLimitBytes: number
  version: string
  /** what our own command line shows, beside the token */
  cliKey: string
  /** where openapi.yaml lies */
  contract: URL
  poolLimits: { max_running: number; max_queued: number }
  /** what /health tells beside the pool: spawner, sandbox, warnings */
  facts(): Record<string, unknown>
  /** looks at everything that can go wrong here; under 15 s */
  doctor(): Promise<DoctorReport>
}

/** The Fastify app as routes see it: what a request holds has the types of its schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** One route, or a few that belong together. */
export type Route = (app: App, parts: RouteParts) => Promise<void>
