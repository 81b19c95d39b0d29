/** The risk classes of agent-world's tool, with its names. The key `tier` in a program's row assigns the program to a class. */
import { type Call, callOf } from '../programs/index.ts'
import { anyLike, has, type Program, textsOf } from '../programs/program.ts'
import { parse } from '../shell/parse.ts'

/** A risk class. `deny`: the command never runs; `ask`: a person must approve it. */
interface Tier {
  name: string
  verdict: 'ask' | 'deny'
  appliesTo: Program['tier']
  matches?: (call: Call) => boolean // default: every call
}

const critical =
  /^(?:\/+\*?|~\/?\*?|\/root\/?|[a-z]:[\\/]?)$|^\/(?:etc|usr|bin|sbin|lib|opt|var|system|library|private|proc|sys|dev)(?:\/|$)/i

/** In order of priority: the first match applies. */
const tiers: readonly Tier[] = [
  {
    name: 'catastrophic_delete_target',
    verdict: 'deny',
    appliesTo: 'deletion',
    matches: (call) =>
      has(call, 'no-preserve-root') ||
      (has(call, 'r R recursive') && has(call, 'f force') && anyLike(textsOf(call), critical)),
  },
  { name: 'catastrophic_disk_operation', verdict: 'deny', appliesTo: 'disk' },
  {
    name: 'catastrophic_disk_write',
    verdict: 'deny',
    appliesTo: 'image',
    matches: (call) => anyLike(textsOf(call), /^of=\/dev\//),
  },
  {
    name: 'destructive_delete_wildcard',
    verdict: 'ask',
    appliesTo: 'deletion',
    matches: ({ command }) => anyLike(command.args, /[*?]/),
  },
  { name: 'destructive_delete', verdict: 'ask', appliesTo: 'deletion' },
  {
    name: 'recursive_permission_change',
    verdict: 'ask',
    appliesTo: 'permission',
    matches: (call) => has(call, 'R recursive'),
  },
  {
    name: 'destructive_git_clean',
    verdict: 'ask',
    appliesTo: 'repository',
    matches: (call) => call.verb === 'clean' && has(call, 'f d x force'),
  },
  {
    name: 'remote_download',
    verdict: 'ask',
    appliesTo: 'download',
    matches: (call) =>
      anyLike(call.command.args, /^[a-z]+:\/\//i) &&
      has(call, 'o O output output-document remote-name remote-name-all'),
  },
]

/** Returns the strictest class of the commands in a script; null: low risk. */
export function tierOf(script: string): Pick<Tier, 'name' | 'verdict'> | null {
  const calls = parse(script, {}).commands.map(callOf)
  const isOf = ({ appliesTo, matches }: Tier) =>
    calls.some((call) => call.program?.tier === appliesTo && (matches === undefined || matches(call)))
  return tiers.find(isOf) ?? null
}
