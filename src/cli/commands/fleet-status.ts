import type { LinkStatus } from '../../shared/schema/index.ts'
import { connect, type ServiceLocation } from './connect-service.ts'

/** `shellphone fleet status`: prints the state of the connection to the fleet. Resolves with the exit code: 0 if connected, otherwise 3. */
export async function fleetStatus(place: ServiceLocation, options: ReadonlyMap<string, string>): Promise<number> {
  const { fleet = null } = await connect(place).request<{ fleet?: LinkStatus }>('GET', '/health')
  console.log(options.has('json') ? JSON.stringify({ fleet }) : describe(fleet))
  return fleet?.connected ? 0 : 3
}

function describe(fleet: LinkStatus | null): string {
  if (fleet === null) return "not in a fleet; to join one, run shellphone fleet join 'LINK'"
  const { name, connected, since, server, trouble, requests, refused, parts, reconnects } = fleet
  const how = connected ? `connected to ${server} since ${since}` : `not connected${since ? ` since ${since}` : ''}`
  return [
    `${name}: ${how}${trouble === null ? '' : ` (${trouble})`}`,
    `${requests} requests, ${refused} refused, ${parts} parts, ${reconnects} reconnects`,
  ].join('\n')
}
