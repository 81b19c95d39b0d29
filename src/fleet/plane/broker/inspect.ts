import { X509Certificate } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { brokerVersion, RECOMMENDED } from './broker-version.ts'
import { connectOptions } from './broker-link.ts'
import { brokerError, toIso } from '../../../shared/schema/index.ts'
import type { PlaneFile } from '../plane-file.ts'
import { JOBS, WORK } from './job-streams.ts'

interface FleetFinding {
  level: 'ok' | 'warning' | 'error'
  text: string
  /** what to do about the problem; null if all is well */
  fix: string | null
}

const RUN =
  'check that nats-server runs there with the nats.conf that fleet init wrote with this plane.json, and that this machine can reach its port'
const UPGRADE = `install nats-server ${RECOMMENDED} or later on its machine, and restart it`
const CATCH_UP = 'start these brokers; if they run, wait a minute and check again, because a copy catches up on its own'
const CREATE = 'run shellphone fleet serve, which creates it; if it already runs, read the log of the broker'

const RESTORE = 'restore the plane.json that fleet init wrote'
const RENEW = 'create the fleet again in a new directory with shellphone fleet init, and invite the phones again'
/** How long before the certificate expires `fleet doctor` warns: long enough to invite all phones again. */
const WARN_BEFORE_MS = 90 * 86_400_000

/** Checks the version and the streams of each broker separately, and the certificate of all brokers. Never rejects. */
export async function inspectFleet(plane: PlaneFile, nowMs = Date.now()): Promise<FleetFinding[]> {
  const found = await Promise.all(plane.servers.map((server) => inspectBroker(server, plane)))
  return [...found.flat(), ...(plane.ca === null ? [] : [inspectCertificate(plane.ca, nowMs)])]
}

/** Checks the certificate that planes and phones trust, which is also the one that the brokers send. */
function inspectCertificate(pem: string, nowMs: number): FleetFinding {
  try {
    const untilMs = Date.parse(new X509Certificate(pem).validTo)
    const day = toIso(untilMs).slice(0, 10)
    if (untilMs <= nowMs) {
      return { level: 'error', text: `the brokers' certificate expired on ${day}; phones reject it`, fix: RENEW }
    }
    const text = `the brokers' certificate expires on ${day}`
    const isSoon = untilMs - nowMs < WARN_BEFORE_MS
    return isSoon
      ? { level: 'warning', text: `${text}; phones then reject it`, fix: RENEW }
      : { level: 'ok', text, fix: null }
  } catch (error) {
    return { level: 'error', text: `plane.json: ca: ${(error as Error).message}`, fix: RESTORE }
  }
}

async function inspectBroker(server: string, plane: PlaneFile): Promise<FleetFinding[]> {
  try {
    const nc = await connect({
      ...connectOptions({ ...plane, servers: [server] }),
      ...{ reconnect: false, ignoreClusterUpdates: true },
    })
    try {
      const { version, cluster } = nc.info!
      const { warnings: texts } = brokerVersion(version, cluster !== undefined)
      const warnings = texts.map((text): FleetFinding => ({ level: 'warning', text, fix: UPGRADE }))
      const streams = await Promise.all([JOBS, WORK].map((name) => inspectStream(nc, name)))
      return [{ level: 'ok', text: `${server}: nats-server ${version}`, fix: null }, ...warnings, ...streams]
    } finally {
      await nc.close()
    }
  } catch (error) {
    return [{ level: 'error', text: `${server}: ${brokerError(error)}`, fix: RUN }]
  }
}

async function inspectStream(nc: NatsConnection, name: string): Promise<FleetFinding> {
  try {
    const { state, config, cluster } = await (await jetstreamManager(nc, { checkAPI: false })).streams.info(name)
    const late = cluster?.replicas?.filter(({ current }) => !current).map((one) => one.name) ?? []
    if (late.length > 0) {
      return { level: 'warning', text: `${name}: the copies on ${late.join(', ')} are out of date`, fix: CATCH_UP }
    }
    return {
      level: 'ok',
      text: `${name}: ${state.messages} messages, ${state.bytes} bytes, ${config.num_replicas} copies`,
      fix: null,
    }
  } catch (error) {
    return {
      level: 'warning',
      text: `${name}: ${(error as Error).message}`,
      fix: CREATE,
    }
  }
}
