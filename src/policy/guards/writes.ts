/** Which commands change files, packages or state: the medium level of NullClaw's risk table, and git's verbs for the high one. */
import { hasOption } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'

const set = (names: string) => new Set(names.split(' '))

// always, whatever their arguments
const writers = set(
  'touch mkdir mv cp ln install tee rmdir mktemp mkfifo mknod patch split csplit gunzip gzip bzip2 bunzip2 xz unxz zip 7z cpio rename git-lfs sponge ed ex vi vim nvim nano emacs pipx apk input sv-enable sv-disable termux-sms-send termux-telephony-call termux-camera-photo termux-microphone-record termux-media-player termux-share termux-download termux-setup-storage at batch npx',
)

// but for these first words
const readVerbs = new Map(
  Object.entries({
    apt: 'list search show policy depends',
    'apt-get': '--version check',
    pkg: 'list-all list-installed search show files',
    pip: 'list show freeze check search --version config index debug help',
    pip3: 'list show freeze check search --version config index debug help',
    brew: 'list info search --version',
    gem: 'list search info',
    dnf: 'list info search',
    yum: 'list info search',
    pacman: '-Q -Qi -Ql -Ss -Si',
    dpkg: '-l -L -s -S --list --listfiles --status --search',
    pm: 'list path dump',
    am: 'stack help get-config get-current-user',
    cmd: '-l',
    settings: 'get list',
    content: 'query read gettype',
    docker: 'ps images logs inspect version info stats top diff history port search',
    podman: 'ps images logs inspect version info stats top',
    kubectl: 'get describe logs explain version top config',
    adb: 'devices logcat version get-state',
    sv: 'status check',
    svc: 'help',
    unzip: '-l -v -t -p',
    tar: 't tf tvf -t -tf -tvf --list tzf tjf -tzf',
  }).map(([name, verbs]) => [name, set(verbs)] as const),
)

// only with these first words
const writeVerbs = new Map(
  Object.entries({
    npm: 'install i in ins isntall add remove uninstall rm un unlink update up upgrade publish ci link dedupe prune rebuild init create exec x version set config login logout',
    pnpm: 'install i add remove rm uninstall un update up upgrade publish link unlink prune rebuild init create exec dlx',
    yarn: 'install add remove upgrade up publish link unlink init create dlx global',
    bun: 'install i add remove rm update publish link unlink init create x',
    cargo: 'add remove install uninstall clean publish update new init fix yank',
    go: 'get install clean mod work',
    uv: 'add remove sync pip lock publish init venv tool',
    poetry: 'add install remove update publish lock init new',
    pipenv: 'install uninstall update lock sync',
    conda: 'install remove update create',
    bundle: 'install update add remove init',
    composer: 'install require remove update',
    terraform: 'apply destroy import init',
    helm: 'install uninstall upgrade rollback delete',
    git: 'add commit push reset clean rebase merge cherry-pick revert checkout switch pull am apply mv restore rm init clone fetch gc prune filter-branch worktree submodule notes update-ref update-index read-tree replace bisect format-patch archive sparse-checkout',
  }).map(([name, verbs]) => [name, set(verbs)] as const),
)

const takesValue =
  /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--prefix|--cwd|--dir|-w|--workspace|--filter|-F)$/

/** The first word that is no option, and what follows it. */
export function verbOf(command: SimpleCommand): { verb: string; rest: readonly string[] } {
  const { args } = command
  let at = 0
  while (/^[-+]/.test(args[at] ?? '')) at += takesValue.test(args[at]!) ? 2 : 1
  return { verb: args[at] ?? '', rest: args.slice(at + 1) }
}

/** Whether git would throw away what it cannot bring back, here or at the other end. */
export function gitDestroys(command: SimpleCommand): boolean {
  const { verb, rest } = verbOf(command)
  if (verb === 'push') return rest.some((arg) => /^(?:-f|--force.*|--delete|-d|--mirror|--prune|[+:].*)$/.test(arg))
  if (verb === 'clean') return hasOption(command, 'f', '--force')
  return verb === 'filter-branch' || (verb === 'reset' && rest.includes('--hard'))
}

function gitWrites(command: SimpleCommand): boolean {
  const { verb, rest } = verbOf(command)
  const has = (pattern: RegExp) => rest.some((arg) => pattern.test(arg))
  if (verb === 'stash') return !/^(?:list|show)$/.test(rest[0] ?? '')
  if (verb === 'remote') return /^(?:add|remove|rm|rename|set-.*|prune|update)$/.test(rest[0] ?? '')
  if (verb === 'config') return !has(/^(?:--get.*|-l|--list|get|list)$/) && rest.length > 1
  if (verb === 'branch' || verb === 'tag') {
    if (has(/^-[dDmMcCfu]|^--(?:delete|move|copy|force|set-upstream|unset|edit)/)) return true
    return has(/^[^-]/) && !has(/^(?:-l|--list|--contains|--merged|--no-merged|--points-at|--sort.*|--format.*)$/)
  }
  return verb === '' && command.unknownArgs
}

// longer programs are taken to write
const MAX_AWK = 8_192
const blankStrings = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"/g, '""')

/** Whether a command changes files, packages or state. */
export function isWriting(command: SimpleCommand): boolean {
  const { name, args } = command
  if (writers.has(name)) return true
  const { verb } = verbOf(command)
  const reads = readVerbs.get(name)
  if (reads) {
    return !reads.has(verb) && !reads.has(args[0] ?? '') && !args.every((arg) => /^--(?:version|help)$/.test(arg))
  }
  if (writeVerbs.get(name)?.has(verb)) return true
  if (name === 'git') return gitWrites(command)
  if (name === 'yarn') return verb === '' && !args.some((arg) => /^--(?:version|help)$/.test(arg))
  if (name === 'gh') return args.some((arg) => /^(?:create|delete|merge|close|edit|upload|comment|review)$/.test(arg))
  if (/^python/.test(name)) return args.some((arg, at) => args[at - 1] === '-m' && /^(?:pip|venv|ensurepip)$/.test(arg))
  if (name === 'make') return args.some((arg) => /^(?:un)?install$|^(?:dist)?clean$/.test(arg))
  if (name === 'date') return hasOption(command, 's', '--set')
  const code = command.code?.text ?? ''
  if (/^g?sed$/.test(name)) return hasOption(command, 'i', '--in-place') || /(?:^|[;{}\s\d/$])[wW]\s*\S/.test(code)
  if (/awk$/.test(name)) {
    return args.includes('inplace') || code.length > MAX_AWK || /\bprintf?\b[^;{}\n]*>/.test(blankStrings(code))
  }
  if (name === 'sort') return hasOption(command, 'o', '--output')
  return name === 'find' && args.some((arg) => /^-f(?:print|ls)/.test(arg))
}
