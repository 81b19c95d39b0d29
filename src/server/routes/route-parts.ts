import type { AccessLog, Pairing, Tokens } from '../access/index.ts'
import type { Executor } from '../exec/index.ts'
import type { FileTools } from '../file-tools/index.ts'
import type { Uploads } from '../files/index.ts'
import type { Webhooks } from '../wake/index.ts'
import type {
  DoctorReport,
  LinkStatus,
  LoadSample,
  McpExchange,
  PhoneStatus,
  ShownSetting,
  ToolPart,
} from '../../shared/schema/index.ts'
import type { App } from '../../http/index.ts'
import type { Bounds } from './bounds.ts'
import type { Clients } from './clients.ts'
import type { Deliveries } from './deliveries.ts'
import type { Security } from './security.ts'

/** The part of the MCP module that routes use. */
export interface McpEndpoint {
  /** `dialect`: offers the tool of that dialect; null: our own. `part`: only these tools; null: all. Throws NOT_FOUND for an unknown dialect. */
  answer(exchange: McpExchange, dialect: string | null, part: ToolPart | null): Promise<Response>
}

/** What the owner can see of the device that the service runs on. */
export interface Device {
  /** its display name */
  name(): Promise<string>
  /** battery, network and storage, at most a minute old */
  phone(): Promise<PhoneStatus>
  /** the load of the service over that many minutes, as in GET /load */
  load(minutes?: number): Promise<LoadSample[]>
  /** the settings in force, and the file in which the owner changes them */
  settings(): { config_file: string; settings: ShownSetting[] }
}

/** Everything that routes need. */
export interface RouteParts extends Bounds, Device {
  executor: Executor
  security: Security
  tokens: Tokens
  pairing: Pairing
  accessLog: AccessLog
  /** the URLs of the service, with this code and the hash of its key in the fragment */
  pairingLinks(code: string): Promise<string[]>
  /** unfinished uploads */
  uploads: Uploads
  /** the tools that read, write, edit and search text files */
  fileTools: FileTools
  webhooks: Pick<Webhooks, 'put' | 'get' | 'list' | 'remove'>
  bodyLimitBytes: number
  version: string
  /** the key that our own command line shows in addition to the token */
  cliKey: string
  /** openapi.yaml */
  contract: URL
  /** asyncapi.yaml */
  messages: URL
  /** docs.html, which is generated from openapi.yaml */
  docs: URL
  /** base64 of the SHA-256 of the key of the service's certificate (RFC 7469); null: it serves plain HTTP only */
  certificatePin: string | null
  /** the directory of the browser page, read at startup; null: no page is served */
  page: URL | null
  /** loads MCP and its library at the first call, to save memory */
  openMcp(): Promise<McpEndpoint>
  poolLimits: { max_running: number; max_queued: number }
  /** what /health reports in addition to the pool: spawner, sandbox, warnings */
  facts(): Record<string, unknown>
  clients: Pick<Clients, 'size' | 'authenticated' | 'spare'>
  deliveries: Deliveries
  /** the number of open MCP sessions */
  mcpSessions(): number
  /** the number of unhandled promise rejections since the service started */
  unhandledRejections(): number
  /** the link to the fleet; null: the service is not in a fleet */
  fleet(): LinkStatus | null
  /** checks everything that can go wrong on this machine; takes less than 15 s */
  doctor(): Promise<DoctorReport>
}

export type { App }

/** One route, or a few that belong together. */
export type Route = (app: App, parts: RouteParts) => Promise<void>
