import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { brokerVersion, RECOMMENDED } from './broker-version.ts'
import { connectOptions } from './broker-link.ts'
import { brokerError } from '../../../shared/schema/index.ts'
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

/** Checks the version and the streams of each broker separately. Never rejects. */
export async function inspectFleet(plane: PlaneFile): Promise<FleetFinding[]> {
  const found = await Promise.all(plane.servers.map((server) => inspectBroker(server, plane)))
  return found.flat()
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
