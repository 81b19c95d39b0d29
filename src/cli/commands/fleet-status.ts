import { FLEET_FILE, type LinkStatus } from '../../shared/schema/index.ts'
import { connect, type ServiceLocation } from './connect-service.ts'
import { countText } from './count-text.ts'

const NOT_CONNECTED = 3
/** As for `fleet leave`. */
const NOT_IN_FLEET = 1

/** `shellphone fleet status`: prints the state of the connection to the fleet. Resolves with the exit code: 0 if connected, 1 if not in a fleet, otherwise 3. */
export async function fleetStatus(place: ServiceLocation, options: ReadonlyMap<string, string>): Promise<number> {
  const health = await connect(place).request<{ fleet?: LinkStatus; warnings?: string[] }>('GET', '/health')
  const { fleet = null, warnings = [] } = health
  console.log(options.has('json') ? JSON.stringify({ fleet }) : describe(fleet, warnings))
  if (fleet === null) return NOT_IN_FLEET
  return fleet.connected ? 0 : NOT_CONNECTED
}

function describe(fleet: LinkStatus | null, warnings: string[]): string {
  const failure = warnings.find((warning) => warning.startsWith(`${FLEET_FILE}:`))
  if (fleet === null) return failure ?? "not in a fleet; to join one, run shellphone fleet join 'LINK'"
  const { name, connected, since, server, trouble, requests, refused, parts, reconnects } = fleet
  const how = connected ? `connected to ${server} since ${since}` : `not connected${since ? ` since ${since}` : ''}`
  return [
    `${name}: ${how}${trouble === null ? '' : ` (${trouble})`}`,
    `${countText(requests, 'request')}, ${refused} refused, ${countText(parts, 'part')}, ${countText(reconnects, 'reconnect')}`,
  ].join('\n')
}
