import { FLEET_MAX_PAYLOAD_BYTES } from '../../../shared/schema/index.ts'
import type { FleetTokens } from './fleet-keys.ts'

/** The options of a broker's configuration. A port of -1 lets the system choose one. */
export interface BrokerConfig {
  tokens: FleetTokens
  /** public keys of the accounts */
  account: string
  system: string
  host: string
  port: number
  /** the directory for the streams and the accounts' tokens */
  directory: string
  /** PEM files; null: plain TCP, for loopback or behind a proxy that terminates TLS */
  tls: { certificate: string; key: string } | null
  /** this node's configuration in a cluster, with the addresses of the other nodes; null: a single broker */
  cluster: { node: string; name: string; host: string; port: number; routes: string[]; password: string } | null
  /** the directory for a file with the chosen ports; null: no file */
  portsDirectory: string | null
  /** sync each write before the broker acknowledges it (2.10 and later; 2.9 does not start with this option) */
  syncsAlways: boolean
  /** use TLS from the first byte, as on port 443 (2.10 and later) */
  speaksTlsFirst: boolean

  maxConnections: number
}

const quoted = (text: string) => JSON.stringify(text)
const linesIf = (is: unknown, ...lines: string[]) => (is ? lines : [])

/** The text of a configuration file for nats-server. The defaults of nats-server are too strict for slow links (2 s for TLS and login), and detect a dead phone only after minutes. */
export function brokerConfig(config: BrokerConfig): string {
  const { tokens, account, system, host, port, directory, tls, cluster, portsDirectory } = config
  return [
    ...linesIf(cluster, `server_name: ${quoted(cluster?.node ?? '')}`),
    `host: ${quoted(host)}`,
    `port: ${port}`,
    ...linesIf(portsDirectory, `ports_file_dir: ${quoted(portsDirectory ?? '')}`),
    `max_payload: ${FLEET_MAX_PAYLOAD_BYTES}`,
    `max_connections: ${config.maxConnections}`,
    'ping_interval: "60s"', // longer than a phone's heartbeat, so that the broker never wakes a connected phone
    'ping_max: 1',
    'authorization: { timeout: 20 }',
    ...tlsLines(tls, config.speaksTlsFirst),
    'jetstream: {',
    `  store_dir: ${quoted(`${directory}/streams`)}`,
    ...linesIf(config.syncsAlways, '  sync_interval: always'),
    '}',
    `operator: ${quoted(tokens.operator)}`,
    `system_account: ${quoted(system)}`,
    `resolver: { type: full, dir: ${quoted(`${directory}/accounts`)}, allow_delete: false, interval: "2m" }`,
    `resolver_preload: { ${account}: ${quoted(tokens.account)}, ${system}: ${quoted(tokens.system)} }`,
    ...clusterLines(cluster, tls),
    '',
  ].join('\n')
}

function tlsLines(tls: BrokerConfig['tls'], isFirst: boolean): string[] {
  if (tls === null) return []
  return [
    'tls: {',
    `  cert_file: ${quoted(tls.certificate)}`,
    `  key_file: ${quoted(tls.key)}`,
    '  timeout: 20',
    ...linesIf(isFirst, '  handshake_first: true'),
    '}',
  ]
}

function clusterLines(cluster: BrokerConfig['cluster'], tls: BrokerConfig['tls']): string[] {
  if (cluster === null) return []
  const { name, host, port, routes, password } = cluster
  const urls = routes.map((route) => quoted(`nats://${name}:${password}@${route}`))
  return [
    'cluster: {',
    `  name: ${quoted(name)}`,
    `  host: ${quoted(host)}`,
    `  port: ${port}`,
    `  authorization: { user: ${quoted(name)}, password: ${quoted(password)}, timeout: 20 }`,
    ...(tls === null ? [] : [`  tls: ${routeTls(tls)}`]),
    `  routes: [${urls.join(', ')}]`,
    '}',
  ]
}

/** All brokers have the same certificate and accept no other one from each other. */
function routeTls({ certificate, key }: { certificate: string; key: string }): string {
  const [cert, own] = [quoted(certificate), quoted(key)]
  return `{ cert_file: ${cert}, key_file: ${own}, ca_file: ${cert}, timeout: 20 }`
}
