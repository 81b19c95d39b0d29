import { FLEET_MAX_PAYLOAD_BYTES } from '../../../shared/schema/index.ts'
import type { FleetTokens } from './fleet-keys.ts'

/** What a broker of the fleet is to be. Ports: -1 lets the system choose. */
export interface BrokerConfig {
  tokens: FleetTokens
  /** public keys of the accounts */
  account: string
  system: string
  host: string
  port: number
  /** streams; tokens of accounts lie beside them */
  directory: string
  /** PEM files; null: plain TCP, which is for loopback and for what a proxy in front wraps */
  tls: { certificate: string; key: string } | null
  /** a node of a cluster has a name of its own, and knows the others */
  cluster: { node: string; name: string; host: string; port: number; routes: string[] } | null
  /** where it writes which ports it got; null: nowhere */
  portsDirectory: string | null
  /** acknowledged is on the disk (2.10 and later); 2.9 does not know it, and does not start with it */
  syncsAlways: boolean
  /** TLS before the first word, as on port 443 (2.10 and later) */
  speaksTlsFirst: boolean
  /** the largest number of connections */
  maxConnections: number
}

const quoted = (text: string) => JSON.stringify(text)
const when = (is: unknown, ...lines: string[]) => (is ? lines : [])

/** nats-server's configuration file. Its defaults give slow links 2 s for TLS and login, and notice a dead phone after minutes. */
export function brokerConfig(config: BrokerConfig): string {
  const { tokens, account, system, host, port, directory, tls, cluster, portsDirectory } = config
  return [
    ...when(cluster, `server_name: ${quoted(cluster?.node ?? '')}`),
    `host: ${quoted(host)}`,
    `port: ${port}`,
    ...when(portsDirectory, `ports_file_dir: ${quoted(portsDirectory ?? '')}`),
    `max_payload: ${FLEET_MAX_PAYLOAD_BYTES}`,
    `max_connections: ${config.maxConnections}`,
    'ping_interval: "60s"', // a phone's beat comes sooner: the broker wakes nobody that is there
    'ping_max: 1',
    'authorization: { timeout: 20 }',
    ...tlsLines(tls, config.speaksTlsFirst),
    'jetstream: {',
    `  store_dir: ${quoted(`${directory}/streams`)}`,
    ...when(config.syncsAlways, '  sync_interval: always'),
    '}',
    `operator: ${quoted(tokens.operator)}`,
    `system_account: ${quoted(system)}`,
    `resolver: { type: full, dir: ${quoted(`${directory}/accounts`)}, allow_delete: false, interval: "2m" }`,
    `resolver_preload: { ${account}: ${quoted(tokens.account)}, ${system}: ${quoted(tokens.system)} }`,
    ...clusterLines(cluster),
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
    ...when(isFirst, '  handshake_first: true'),
    '}',
  ]
}

function clusterLines(cluster: BrokerConfig['cluster']): string[] {
  if (cluster === null) return []
  const { name, host, port, routes } = cluster
  const lines = [`name: ${quoted(name)}`, `host: ${quoted(host)}`, `port: ${port}`]
  return ['cluster: {', ...lines.map((line) => `  ${line}`), `  routes: [${routes.map(quoted).join(', ')}]`, '}']
}
