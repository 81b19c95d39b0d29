/** Containers, clusters, and the tools that deploy to them. */
import { type Effect, hidden, when } from './effect.ts'
import { moved } from './paths.ts'
import { literalWord } from '../script/script.ts'
import { anyLike, type Call, deletes, firstOf, isOn, type RowOf, textsOf } from './program.ts'
import { table } from './table.ts'

// verbs that start programs from an image or a file
const starting = /^(?:build|buildx|compose|up|create|start|restart|commit|load|import|plugin|unshare|bake)$/
const looking = /^(?:logs|ps|inspect|stop|start|rm|pull|images|tag)$/

function runs({ command: { args } }: Call): boolean {
  const at = args.slice(0, 6).findIndex((text) => text === 'run' || text === 'exec')
  return at >= 0 && !anyLike(args.slice(0, at), looking)
}
// a program in the container can delete what is mounted
function mounted(call: Call, rowOf: RowOf): Effect[] {
  const words = call.command.args.flatMap((arg) => arg.split(/[\s;&|()'"`]+/))
  if (!words.some((word) => /^(?:mkfs.*|-delete)$/.test(word) || (deletes(word, rowOf) && !rowOf(word)?.copies))) {
    return []
  }
  const paths = call.arguments
    .filter(({ option }) => /^(?:v|volume|mount)$/.test(option ?? ''))
    .map(({ word }) => /^(?:.*(?:source|src)=)?([^:,]*)/.exec(word.prefix)![1]!)
  return moved(paths.filter((path) => /^[/~.]/.test(path)).map(literalWord))
}

const contains = (call: Call, rowOf: RowOf): readonly Effect[] => [
  ...(runs(call) ? [{ does: 'contains' } as const, hidden, ...mounted(call, rowOf)] : []),
  ...when(anyLike(textsOf(call).slice(0, 2), starting), hidden),
]

export const containers = table([
  {
    names: 'docker podman docker-compose nerdctl udocker lxc',
    operands: 'text maybe',
    remote: true,
    ordered: true,
    readOnlyVerbs: 'ps images logs inspect version info stats top diff history port search',
    startsOthers: /^(?:-H|--host)$|ssh:|^lxc\.|raw\.lxc/,
    knownVerbs: `
      attach build builder buildx commit compose config container context cp create diff events exec export
      history image images import info init inspect kill load login logout logs machine manifest network node
      pause plugin pod port ps pull push rename restart rm rmi run save search secret service stack start stats
      stop swarm system tag top trust unpause unshare untag up down update version volume wait list ls launch
      delete move copy file profile project remote storage restore snapshot
    `,
    options: { text: 'c H l context host log-level', read: 'config f file' },
    verbs: {
      '*': {
        text: 'e w u p n env workdir user publish name network entrypoint format filter h hostname',
        maybe: 'v volume mount f file',
        read: 'env-file',
      },
    },
    effects: contains,
  },
  {
    names: 'kubectl oc',
    operands: 'text maybe',
    remote: true,
    knownVerbs: `
      alpha annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion
      config cordon cp create debug delete describe diff drain edit events exec explain expose get help
      kustomize label logs options patch plugin port-forward proxy replace rollout run scale set taint top
      uncordon version wait rsh login project status
    `,
    readOnlyVerbs: 'get describe logs explain version top config',
    options: {
      text: 'n l c o namespace selector container output context',
      read: 'f filename kubeconfig',
      dir: 'k kustomize',
    },
    effects: (call) =>
      when(isOn('exec run debug attach edit cp rsh plugin kustomize create apply set', firstOf(call)), hidden),
  },
  {
    names: 'terraform helm tofu',
    operands: 'text maybe',
    knownVerbs: `
      apply console destroy fmt force-unlock get graph import init login logout metadata output plan providers
      refresh show state taint test untaint validate version workspace completion create dependency env help
      history install lint list package plugin pull push registry repo rollback search status template uninstall
      upgrade verify
    `,
    changingVerbs: 'apply destroy import init install uninstall upgrade rollback delete plugin',
    options: { dir: 'chdir', read: 'var-file f values', code: 'post-renderer' },
    effects: (call) => when(isOn(call.program!.changingVerbs!, firstOf(call)), hidden),
  },
])
