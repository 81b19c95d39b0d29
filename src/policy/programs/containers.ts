/** Containers, clusters and what is deployed to them. */
import { changes, type Effect, hidden, when } from './effect.ts'
import { deleted } from './paths.ts'
import { literalWord } from '../shell/script.ts'
import { asks, type Call, firstOf, isOn, type Rows, textsOf } from './program.ts'

const reads = (call: Call, verbs: string) => isOn(verbs, firstOf(call)) || call.words.length === 0 || asks(call)
// these start what lies in an image or a file
const starting = /^(?:build|buildx|compose|up|create|start|restart|commit|load|import|plugin|unshare|bake)$/
const looking = /^(?:logs|ps|inspect|stop|start|rm|pull|images|tag)$/

const runs = ({ command: { args } }: Call): boolean => {
  const at = args.slice(0, 6).findIndex((text) => text === 'run' || text === 'exec')
  return at >= 0 && !args.slice(0, at).some((text) => looking.test(text))
}
// -v /home:/x … rm: what is mounted can be deleted
const mounted = (call: Call): Effect[] => {
  if (!call.command.args.some((arg) => /(?:^|\W)(?:rm|shred|wipe|mkfs\S*|-delete)(?:\W|$)/.test(arg))) return []
  const paths = call.arguments
    .filter(({ option }) => /^(?:v|volume|mount)$/.test(option ?? ''))
    .map(({ word }) => /^(?:.*(?:source|src)=)?([^:,]*)/.exec(word.prefix)![1]!)
  return deleted(paths.filter((path) => /^[/~.]/.test(path)).map(literalWord), { recursive: true, how: 'moves' })
}

const contains = (call: Call): readonly Effect[] => [
  ...(runs(call) ? [{ does: 'contains' } as const, hidden, ...mounted(call)] : []),
  ...when(
    textsOf(call)
      .slice(0, 2)
      .some((text) => starting.test(text)),
    hidden,
  ),
  ...when(!reads(call, 'ps images logs inspect version info stats top diff history port search'), changes),
]

export const containers: Rows = {
  'docker podman docker-compose nerdctl udocker lxc': {
    others: /^(?:-H|--host)$|ssh:|^lxc\.|raw\.lxc/,
    remote: true,
    ordered: true,
    known:
      'attach build builder buildx commit compose config container context cp create diff events exec export history image images import info init inspect kill load login logout logs machine manifest network node pause plugin pod port ps pull push rename restart rm rmi run save search secret service stack start stats stop swarm system tag top trust unpause unshare untag up down update version volume wait list ls launch delete move copy file profile project remote storage restore snapshot',
    options: 'text: c H l context host log-level; read: config f file',
    verbs: {
      '*': 'text: e w u p n env workdir user publish name network entrypoint format filter h hostname; maybe: v volume mount f file; read: env-file',
    },
    operands: 'text maybe',
    effects: contains,
  },
  'kubectl oc': {
    remote: true,
    known:
      'alpha annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon cp create debug delete describe diff drain edit events exec explain expose get help kustomize label logs options patch plugin port-forward proxy replace rollout run scale set taint top uncordon version wait rsh login project status',
    operands: 'text maybe',
    options: 'text: n l c o namespace selector container output context; read: f filename kubeconfig; dir: k kustomize',
    effects: (call) => [
      ...when(!reads(call, 'get describe logs explain version top config'), changes),
      ...when(isOn('exec run debug attach edit cp rsh plugin kustomize create apply set', firstOf(call)), hidden),
    ],
  },
  'terraform helm tofu': {
    known:
      'apply console destroy fmt force-unlock get graph import init login logout metadata output plan providers refresh show state taint test untaint validate version workspace completion create dependency env help history install lint list package plugin pull push registry repo rollback search status template uninstall upgrade verify',
    operands: 'text maybe',
    options: 'dir: chdir; read: var-file f values; code: post-renderer',
    effects: (call) =>
      when(
        isOn('apply destroy import init install uninstall upgrade rollback delete plugin', firstOf(call)),
        changes,
        hidden,
      ),
  },
}
