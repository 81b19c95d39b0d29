/** The classes that agent-world's tool has for commands of risk, by its names for them; which programs they are about stands in their rows. */
import { type Call, callOf } from '../programs/index.ts'
import { anyLike, has, type Program, textsOf } from '../programs/program.ts'
import { parse } from '../shell/parse.ts'

/** `deny`: it never runs; `ask`: a person must approve it. */
interface Tier {
  name: string
  verdict: 'ask' | 'deny'
  about: Program['tier']
  fits?: (call: Call) => boolean // absent: every call
}

const critical =
  /^(?:\/+\*?|~\/?\*?|\/root\/?|[a-z]:[\\/]?)$|^\/(?:etc|usr|bin|sbin|lib|opt|var|system|library|private|proc|sys|dev)(?:\/|$)/i

/** In order: the first that fits speaks. */
const tiers: readonly Tier[] = [
  {
    name: 'catastrophic_delete_target',
    verdict: 'deny',
    about: 'deletion',
    fits: (call) =>
      has(call, 'no-preserve-root') ||
      (has(call, 'r R recursive') && has(call, 'f force') && anyLike(textsOf(call), critical)),
  },
  { name: 'catastrophic_disk_operation', verdict: 'deny', about: 'disk' },
  {
    name: 'catastrophic_disk_write',
    verdict: 'deny',
    about: 'image',
    fits: (call) => anyLike(textsOf(call), /^of=\/dev\//),
  },
  {
    name: 'destructive_delete_wildcard',
    verdict: 'ask',
    about: 'deletion',
    fits: ({ command }) => anyLike(command.args, /[*?]/),
  },
  { name: 'destructive_delete', verdict: 'ask', about: 'deletion' },
  {
    name: 'recursive_permission_change',
    verdict: 'ask',
    about: 'permission',
    fits: (call) => has(call, 'R recursive'),
  },
  {
    name: 'destructive_git_clean',
    verdict: 'ask',
    about: 'repository',
    fits: (call) => call.verb === 'clean' && has(call, 'f d x force'),
  },
  {
    name: 'remote_download',
    verdict: 'ask',
    about: 'download',
    fits: (call) =>
      anyLike(call.command.args, /^[a-z]+:\/\//i) &&
      has(call, 'o O output output-document remote-name remote-name-all'),
  },
]

/** The strictest class of the commands in a script; null: low risk. */
export function tierOf(script: string): Pick<Tier, 'name' | 'verdict'> | null {
  const calls = parse(script, {}).commands.map(callOf)
  const isOf = ({ about, fits }: Tier) =>
    calls.some((call) => call.program?.tier === about && (fits === undefined || fits(call)))
  return tiers.find(isOf) ?? null
}
