import type { Subcommand } from '../parser/index.ts'
import { type FleetVerb, phoneVerbs } from './phone-verbs.ts'
import { planeVerbs } from './plane-verbs.ts'
import { SettingError } from '../../shared/schema/index.ts'

/** All verbs of `shellphone fleet`. */
const verbs: Record<string, FleetVerb> = { ...phoneVerbs, ...planeVerbs }

/** The subcommand `fleet`. Its first operand names the verb. */
export const fleetSubcommand: Subcommand = {
  operands: `[${Object.entries(verbs)
    .map(([name, { operands }]) => `${name} ${operands}`.trim())
    .join('|')}]`,
  meaning: 'Join, leave and manage a fleet: many phones behind one address',
  options: Object.assign({}, ...Object.values(verbs).map(({ options = {} }) => options)),
  settings: 'place',
  examples: [
    "shellphone fleet join 'https://fleet.example.com/#i=…'",
    'shellphone fleet status',
    'shellphone fleet leave',
  ],
  exitCodes: '3 no response from the service, or not connected',
  run: async ({ operands: [name = 'status', ...operands], options, flags }) => {
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (!verb) throw new SettingError(`fleet ${name}: expected one of ${Object.keys(verbs).join(', ')}`)
    const foreign = [...options.keys()].find((option) => !Object.hasOwn(verb.options ?? {}, option))
    if (foreign !== undefined) throw new SettingError(`fleet ${name}: unknown option --${foreign}`)
    const words = verb.operands.split(' ').filter(Boolean)
    const wanted = words.filter((word) => !word.startsWith('[')).length
    if (operands.length < wanted || operands.length > words.length) {
      throw new SettingError(
        `fleet ${name}: expected ${verb.operands || 'nothing more'}, got ${operands.length} operands`,
      )
    }
    return verb.run({ operands, options, flags })
  },
}
