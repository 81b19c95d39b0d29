import type { Pairing, Tokens } from '../access/index.ts'
import type { Executor } from '../exec/index.ts'
import type { Uploads } from '../files/index.ts'
import type {
  DoctorReport,
  LinkStatus,
  LoadSample,
  McpExchange,
  PhoneStatus,
  ShownSetting,
} from '../../shared/schema/index.ts'
import type { App } from '../../http/index.ts'
import type { Bounds } from './bounds.ts'
import type { Clients } from './clients.ts'
import type { Security } from './security.ts'

/** The room of MCP as routes see it. */
export interface McpEndpoint {
  /** `dialect`: whose own tool is offered; null: ours. Throws NOT_FOUND for an unknown one. */
  answer(exchange: McpExchange, dialect: string | null): Promise<Response>
}

/** What the owner sees of the device that the service lives on. */
export interface Device {
  /** what to call it */
  name(): Promise<string>
  /** battery, network, storage, at most a minute old */
  phone(): Promise<PhoneStatus>
  /** the last ten minutes of the service */
  load(): Promise<LoadSample[]>
  /** those in force, and the file that the owner changes them in */
  settings(): { config_file: string; settings: ShownSetting[] }
}

/** What routes are given. */
export interface RouteParts extends Bounds, Device {
  executor: Executor
  security: Security
  tokens: Tokens
  pairing: Pairing
  /** where the service is reached, with this code and the key to expect in the fragment */
  pairingLinks(code: string): Promise<string[]>
  /** files that have come in part */
  uploads: Uploads
  bodyLimitBytes: number
  version: string
  /** what our own command line shows, beside the token */
  cliKey: string
  /** where openapi.yaml lies */
  contract: URL
  /** where docs.html, made of it, lies */
  docs: URL
  /** the folder of the page that a browser shows, read at the start; null: none is served */
  page: URL | null
  /** loads MCP, whose library nobody pays for before the first call */
  openMcp(): Promise<McpEndpoint>
  poolLimits: { max_running: number; max_queued: number }
  /** what /health tells beside the pool: spawner, sandbox, warnings */
  facts(): Record<string, unknown>
  /** who is connected */
  clients: Pick<Clients, 'size' | 'known'>
  /** sessions of MCP that are open */
  mcpSessions(): number
  /** promises of the service that were rejected and nobody handled, since the start */
  unhandledRejections(): number
  /** the link to a fleet; null: in none */
  fleet(): LinkStatus | null
  /** looks at everything that can go wrong here; under 15 s */
  doctor(): Promise<DoctorReport>
}

export type { App }

/** One route, or a few that belong together. */
export type Route = (app: App, parts: RouteParts) => Promise<void>
