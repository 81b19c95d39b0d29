import { invalid } from '../parser/index.ts'
import { json, on } from './shared-options.ts'
import type { Invocation, Verb } from '../parser/index.ts'
import { privateFile } from '../../server/host/index.ts'
import { installed, locateService } from './locate-service.ts'
import { FLEET_FILE } from '../../shared/schema/index.ts'
import { version } from '../../shared/package/index.ts'

/** One verb of `shellphone fleet`. */
export interface FleetVerb extends Verb {
  /** gets the operands after the verb; resolves with an exit code, or with nothing for 0 */
  run(invocation: Invocation): Promise<unknown>
}

/** The verbs for a phone. To add a verb, add a row. */
export const phoneVerbs: Record<string, FleetVerb> = {
  join: {
    settings: 'home',
    operands: "'LINK'",
    meaning: 'Join a fleet with the link that fleet invite printed',
    run: async ({ operands: [link = ''], flags }) => {
      const { join } = await import('../../fleet/phone/index.ts')
      const directory = await homeOf(flags)
      const { name, plane } = await join(link, { directory, file: placeIn(directory), version })
      console.log(`joined the fleet of ${plane} as ${name}; a running service connects now`)
    },
  },
  leave: {
    settings: 'home',
    meaning: 'Leave the fleet',
    run: async ({ flags }) => {
      const { leave } = await import('../../fleet/phone/index.ts')
      leave(placeIn(await homeOf(flags)))
      console.log('left the fleet; to revoke its credentials, run shellphone fleet revoke NAME on the control plane')
    },
  },
  status: {
    meaning: 'Show the connection to the fleet',
    exitCodes: `0 connected, 1 not in a fleet, ${invalid}, 3 not connected, or no response from the service`,
    options: { ...json, ...on },
    run: async ({ options, flags }) =>
      (await import('../commands/index.ts')).fleetStatus(await locateService(flags, options), options),
  },
}

const homeOf = async (flags: Map<string, string>) => (await (await installed(flags)).read()).home
const placeIn = (directory: string) => privateFile(`${directory}/${FLEET_FILE}`)
