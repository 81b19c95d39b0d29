import { invalid, noAnswerOfFleet } from '../parser/index.ts'
import type { Subcommand } from '../parser/index.ts'
import { type FleetVerb, phoneVerbs } from './phone-verbs.ts'
import { planeVerbs } from './plane-verbs.ts'

/** All verbs of `shellphone fleet`. */
const verbs: Record<string, FleetVerb> = { ...phoneVerbs, ...planeVerbs }

/** The subcommand `fleet`. Its first operand names the verb. */
export const fleetSubcommand: Subcommand = {
  group: 'Fleet',
  meaning: 'Join, leave and manage a fleet: many phones behind one address',
  verbs,
  defaultVerb: 'status',
  settings: 'place',
  examples: [
    "shellphone fleet join 'https://fleet.example.com/#i=…'",
    'shellphone fleet status',
    "shellphone fleet exec lab=berlin 'uptime'",
    "shellphone fleet exec '*' 'uname -m' --queue 2d",
    'shellphone fleet leave',
  ],
  exitCodes: `0 done, 1 not done, ${invalid}, ${noAnswerOfFleet}`,
  run: ({ operands: [name = 'status', ...operands], ...given }) => verbs[name]!.run({ operands, ...given }),
}
