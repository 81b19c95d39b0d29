import { generateKeyPairSync } from 'node:crypto'
import { isIP } from 'node:net'
import { isLoopback, PLANE_CALLER, SettingError, UsageError } from '../../../shared/schema/index.ts'
import { brokerConfig, type BrokerConfig } from './config-file.ts'
import type { BrokerVersion } from '../broker/broker-version.ts'
import {
  type FleetKeys,
  type FleetTokens,
  makeIdentity,
  makeKeys,
  makeTokens,
  publicKeyOf,
  signUser,
} from './fleet-keys.ts'
import { PLANE_FILE, type PlaneFile } from '../plane-file.ts'
import { newSecret } from './roles.ts'

/** The options of a new fleet. */
interface FleetPlan {
  /** the absolute path of the directory for its files */
  directory: string
  /** the address at which phones and agents reach the control planes */
  url: string
  /** the brokers' host names: one, or three for a cluster */
  nodes: string[]
  port: number
  version: BrokerVersion
  /** creates the brokers' certificate in PEM for this private key and these host names */
  makeCertificate(
    keyPem: string,
    names: string[],
    options: { validDays: number; isForClient: boolean },
  ): Promise<string>
}

/** The content of DIRECTORY/offline, which must stay offline, because it gives full control of the fleet. */
export interface Offline {
  keys: FleetKeys
  tokens: FleetTokens
}

/** 20 years, because nothing renews the brokers' certificate, and phones trust only the one that they received when they joined. */
const CERTIFICATE_DAYS = 7_305
const CLUSTER_PORT = 6222
const FLEET = 'shellphone'
const MAX_CONNECTIONS = 65_536
export const OFFLINE_FILE = 'offline/keys.json'

/** Creates the files of a new fleet, by path: `offline/` to store offline, `broker/` for each broker, `plane/` for each control plane. Throws SettingError for invalid options. */
export async function newFleet(plan: FleetPlan): Promise<Map<string, string>> {
  checkPlan(plan)
  const keys = makeKeys()
  const tokens = await makeTokens(keys, FLEET)
  const isLocal = plan.nodes.every(isLoopback)
  const tls = isLocal ? null : await certificateFor(plan)
  const offline: Offline = { keys, tokens }
  const files = new Map([
    [OFFLINE_FILE, jsonText(offline)],
    [`plane/${PLANE_FILE}`, jsonText(await planeFileOf(plan, keys, tls?.certificate ?? null))],
  ])
  const parts = { tokens, keys, hasTls: tls !== null, clusterPassword: newSecret() }
  for (const node of plan.nodes) {
    const folder = folderOf(plan, node)
    files.set(`${folder}/nats.conf`, brokerConfig(configOf(plan, node, parts)))
    if (tls === null) continue
    files.set(`${folder}/certificate.pem`, tls.certificate)
    files.set(`${folder}/key.pem`, tls.key)
  }
  return files
}

const jsonText = (value: object) => `${JSON.stringify(value, null, 2)}\n`
const folderOf = ({ nodes }: FleetPlan, node: string) => (nodes.length === 1 ? 'broker' : `broker-${node}`)

function checkPlan({ url, nodes, version }: FleetPlan): void {
  if (!/^https?:\/\/[^/]+$/.test(url)) throw new UsageError(`--url: expected https://HOST, got ${url}`)
  if (nodes.length !== 1 && nodes.length !== 3) {
    throw new UsageError(`--nodes: expected one name or three, got ${nodes.length}`)
  }
  if (nodes.every(isLoopback)) return
  const address = nodes.find((node) => isIP(node) !== 0)
  if (address !== undefined) {
    throw new UsageError(`--nodes: expected host names for the certificate, got ${address}`)
  }
  if (!version.speaksTlsFirst) {
    throw new SettingError(
      `nats-server ${version.text}: expected 2.10 or later, because phones use TLS from the first byte`,
    )
  }
}

/** Creates one key and certificate for all brokers. Phones receive the certificate when they join. */
async function certificateFor({ nodes, makeCertificate }: FleetPlan): Promise<{ key: string; certificate: string }> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const options = { validDays: CERTIFICATE_DAYS, isForClient: nodes.length > 1 }
  return { key, certificate: await makeCertificate(key, nodes, options) }
}

/** What the configurations of all brokers have in common. */
interface ConfigParts {
  tokens: FleetTokens
  keys: FleetKeys
  hasTls: boolean
  /** with which the brokers connect to each other */
  clusterPassword: string
}

function configOf(
  plan: FleetPlan,
  node: string,
  { tokens, keys, hasTls, clusterPassword: password }: ConfigParts,
): BrokerConfig {
  const folder = `${plan.directory}/${folderOf(plan, node)}`
  const routes = plan.nodes.filter((other) => other !== node).map((other) => `${other}:${CLUSTER_PORT}`)
  const host = isLoopback(node) ? node : '0.0.0.0'
  return {
    ...{ tokens, account: publicKeyOf(keys.account), system: publicKeyOf(keys.system) },
    host,
    port: plan.port,
    directory: folder,
    tls: hasTls ? { certificate: `${folder}/certificate.pem`, key: `${folder}/key.pem` } : null,
    cluster: routes.length === 0 ? null : { node, name: FLEET, host, port: CLUSTER_PORT, routes, password },
    portsDirectory: null,
    syncsAlways: plan.version.syncsAlways,
    speaksTlsFirst: plan.version.speaksTlsFirst,
    maxConnections: MAX_CONNECTIONS,
  }
}

async function planeFileOf(plan: FleetPlan, keys: FleetKeys, ca: string | null): Promise<PlaneFile> {
  const identity = makeIdentity()
  const account = publicKeyOf(keys.account)
  const user = { role: 'plane', name: PLANE_CALLER, publicKey: identity.publicKey } as const
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const scheme = ca === null ? 'nats' : 'tls'
  return {
    url: plan.url,
    servers: plan.nodes.map((node) => `${scheme}://${node}:${plan.port}`),
    ...{ ca, account, seed: identity.seed },
    jwt: await signUser(user, { roleSeed: keys.roles.plane, account }),
    phone_role_seed: keys.roles.phone,
    signer: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    plane_keys: [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    token: newSecret(),
  }
}
