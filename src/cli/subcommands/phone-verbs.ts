import { json, on } from './asking-subcommands.ts'
import type { Invocation, Option } from '../parser/index.ts'
import { keptFile } from '../../server/host/index.ts'
import { installed, place } from './place.ts'
import { FLEET_FILE } from '../../shared/schema/index.ts'
import { version } from '../../shared/package/index.ts'

/** What `shellphone fleet` does by that word. */
export interface FleetVerb {
  /** of the words behind it */
  operands: string
  options?: Readonly<Record<string, Option>>
  /** resolves with the exit code, if it has one to give */
  run(invocation: Invocation): Promise<unknown>
}

/** The phone's own. To add a verb, add a row. */
export const phoneVerbs: Record<string, FleetVerb> = {
  join: {
    operands: "'LINK'",
    run: async ({ operands: [link = ''], flags }) => {
      const { join } = await import('../../fleet/phone/index.ts')
      const directory = await homeOf(flags)
      const { name, plane } = await join(link, { directory, file: placeIn(directory), version })
      console.log(`joined the fleet of ${plane} as ${name}; a service that runs connects now`)
    },
  },
  leave: {
    operands: '',
    run: async ({ flags }) => {
      const { leave } = await import('../../fleet/phone/index.ts')
      leave(placeIn(await homeOf(flags)))
      console.log('left the fleet; shellphone fleet revoke NAME, where the plane is, ends its credentials')
    },
  },
  status: {
    operands: '',
    options: { ...json, ...on },
    run: async ({ options, flags }) =>
      (await import('../commands/index.ts')).fleetStatus(await place(flags, options), options),
  },
}

const homeOf = async (flags: Map<string, string>) => (await (await installed(flags)).read()).home
const placeIn = (directory: string) => keptFile(`${directory}/${FLEET_FILE}`)
