/** Package managers of systems and languages. */
import type { Effect } from './effect.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

type Table = Readonly<Record<string, { reads?: string; writes?: string }>>

// which verbs change nothing, or which alone do
const verbs: Table = {
  apt: { reads: 'list search show policy depends changelog' },
  'apt-cache': { reads: 'show showpkg showsrc search policy madison depends rdepends pkgnames stats dump' },
  'apt-get': { reads: '--version check' },
  pkg: { reads: 'list-all list-installed search show files' },
  pip: { reads: 'list show freeze check search --version config index debug help' },
  pip3: { reads: 'list show freeze check search --version config index debug help' },
  brew: { reads: 'list info search --version' },
  gem: { reads: 'list search info' },
  dnf: { reads: 'list info search' },
  yum: { reads: 'list info search' },
  pacman: { reads: '-Q -Qi -Ql -Ss -Si' },
  dpkg: { reads: '-l -L -s -S --list --listfiles --status --search' },
  npm: {
    writes:
      'install i in ins isntall add remove uninstall rm un unlink update up upgrade publish ci link dedupe prune rebuild init create exec x version set config login logout',
  },
  pnpm: {
    writes:
      'install i add remove rm uninstall un update up upgrade publish link unlink prune rebuild init create exec dlx',
  },
  yarn: { writes: 'install add remove upgrade up publish link unlink init create dlx global' },
  bun: { writes: 'install i add remove rm update publish link unlink init create x' },
  cargo: { writes: 'add remove install uninstall clean publish update new init fix yank' },
  go: { writes: 'get install clean mod work' },
  uv: { writes: 'add remove sync pip lock publish init venv tool' },
  poetry: { writes: 'add install remove update publish lock init new' },
  pipenv: { writes: 'install uninstall update lock sync' },
  conda: { writes: 'install remove update create' },
  bundle: { writes: 'install update add remove init' },
  composer: { writes: 'install require remove update' },
}

function changes(call: Call): boolean {
  const { name, args } = call.command
  const row = verbs[name]
  const verb = operandTexts(call)[0] ?? ''
  if (row?.writes) {
    return (
      row.writes.split(' ').includes(verb) ||
      (name === 'yarn' && verb === '' && !args.some((arg) => /^--(?:version|help)$/.test(arg)))
    )
  }
  if (!row?.reads) return true
  const reads = row.reads.split(' ')
  return (
    !reads.includes(verb) && !reads.includes(args[0] ?? '') && !args.every((arg) => /^--(?:version|help)$/.test(arg))
  )
}

// what lies here, or comes with a path, brings scripts of its own
const local =
  /^\.{1,2}(?:\/|$)|^\/|^(?:file|git\+\w+|link|portal):|\.(?:deb|rpm|apk|ipk|whl|gem|tgz|tar\.gz|zip|txz|snap|zst)$|^https?:/
const runsLocal = (texts: readonly string[]): Effect[] =>
  texts.some((text) => local.test(text)) ? [{ does: 'runs', what: 'hidden' }] : []
const changed = (call: Call): Effect[] => [
  ...(changes(call) ? [{ does: 'changes' } as const] : []),
  ...runsLocal(operandTexts(call)),
]
const wide = /^(?:install|i|in|ins|isntall|add|ci|update|up|uninstall|un|remove|rm|link)$/
const removing = /^(?:remove|purge|uninstall|autoremove|un|--purge|-r|-P|--remove|full-upgrade-remove)$/
const changing =
  /^(?:install|reinstall|remove|purge|add|del|uninstall|upgrade|dist-upgrade|full-upgrade|autoremove|erase|localinstall|in|rm)$/
// what the service itself stands on, or everything
const vital =
  /^(?:bash|dash|busybox|coreutils|toybox|termux-\w+|libc6?|libc\+\+|apt|dpkg|nodejs(?:-lts)?|openssl|libandroid-\w+|util-linux|systemd|linux-image.*|init|base-files|\*|\.\*|\?\*|~.*)$/

const modules = (call: Call): Effect[] => {
  const texts = operandTexts(call)
  const global = texts[0] === 'global' || (has(call, 'g global') && texts.some((text) => wide.test(text)))
  const ends = texts.some((text) => removing.test(text) || /^(?:rm|unlink)$/.test(text)) && texts.includes('shellphone')
  return [
    ...changed(call),
    ...(global ? [{ does: 'installs', wide: 'user' } as const] : []),
    ...(ends ? [{ does: 'kills', target: { by: 'service', texts }, hard: false } as const] : []),
    ...(/^(?:explore|edit|create|dlx|x|exec|rebuild|run-script|task|runpip|config)$/.test(texts[0] ?? '') ||
    (texts[0] === 'init' && texts.length > 1) ||
    (texts[0] === 'workspaces' && texts[1] === 'foreach')
      ? [{ does: 'runs', what: 'hidden' } as const]
      : []),
  ]
}

/** pip, as a program and as a module of another. */
export const pipEffects = (texts: readonly string[], user: boolean): Effect[] => [
  ...(user && texts.some((text) => /^(?:un)?install$/.test(text)) ? [{ does: 'installs', wide: 'user' } as const] : []),
  ...runsLocal(texts),
]

function system(call: Call): Effect[] {
  const { name, args } = call.command
  const verb = operandTexts(call)[0]
  const unknown = call.command.unknownArgs && !call.operands[0]?.literal
  const does =
    name === 'pkg'
      ? // Termux's pkg takes any beginning of its verbs
        /^(?:i(?:n.*)?|add|rei.*|un.*|rem.*|rm|del.*|up|upg.*|autoc.*|purge)$/.test(verb ?? 'un')
      : name === 'pacman'
        ? args.some((arg) => /^-[SRU]/.test(arg))
        : /^(?:dpkg|rpm)$/.test(name)
          ? args.some((arg) => /^(?:-[iUreP]|--install|--remove|--purge)/.test(arg))
          : args.some((arg) => changing.test(arg)) || unknown
  const removes = args.some((arg) => removing.test(arg))
  // $(dpkg --get-selections …): everything
  const everything = removes && call.command.unknownArgs
  return [
    ...changed(call),
    ...(does
      ? [
          {
            does: 'installs',
            wide: 'system',
            removes,
            vital: removes && (everything || args.some((arg) => vital.test(arg))),
          } as const,
        ]
      : []),
  ]
}

const manifest = {
  read: 'manifest-path f file r requirement c config config-file',
  dir: 'C prefix cwd dir',
  code: 'script-shell shell',
} as const

export const packages: readonly Program[] = [
  {
    names: 'apt apt-get apt-cache aptitude nala yum dnf zypper apk brew snap port opkg pkg pacman dpkg rpm dpkg-deb',
    operands: 'text maybe',
    options: { text: 'o option t target-release', read: 'c config-file root', code: 'pre-invoke post-invoke eval E' },
    others:
      /(?:Pre|Post)-Invoke|::|^changelog$|^--(?:eval|pipe|config|setopt|hookdir|define|plugin|root|installroot|status-logger|load|rcfile|macros)|^%\(|^-[cDE]$|^(?:edit-sources|x-\w+|bundle|sh|irb|run|shell|alias|hook)$/i,
    effects: system,
  },
  {
    names: 'npm pnpm yarn bun',
    options: manifest,
    verbs: {
      'exec x dlx': { ...manifest, code: 'c call script-shell', text: 'p package w workspace' },
      '*': { ...manifest, text: 'w workspace filter F' },
    },
    operands: 'text maybe',
    runs: { after: 'exec x dlx' },
    others:
      /^--(?:script-shell|node-options|init-module|userconfig|globalconfig|call|shell|editor|viewer|browser|eval|print|preload|plugin|git)\b|^-[epr]$/,
    effects: modules,
  },
  {
    names: 'npx bunx pnpx',
    ordered: true,
    options: { text: 'p package', code: 'c call' },
    runs: {},
    effects: () => [{ does: 'changes' }],
  },
  {
    names: 'pip pip3 easy_install pipx uv poetry pipenv pdm hatch flit conda mamba rye micromamba',
    others:
      /^--(?:editor|build-option|global-option|config-settings|no-binary|python|(?:extra-)?index-url|find-links)\b|^(?:build|shell|edit|tool|sync|runpip|self)$/,
    options: { ...manifest, text: 'i index-url extra-index-url' },
    verbs: {
      run: { text: 'with python name n p package', read: 'env-file' },
      '*': { ...manifest, text: 'i index-url python p n name' },
    },
    operands: 'text maybe',
    runs: { after: 'run' },
    effects: (call) => [...changed(call), ...pipEffects(operandTexts(call), has(call, 'user'))],
  },
  {
    names: 'bundle',
    known:
      'add binstubs cache check clean config doctor exec gem help info init install list lock open outdated platform plugin pristine remove show update version',
    others: /^--gemfile|^(?:config|open|plugin)$/,
    verbs: { exec: {}, '*': {} },
    runs: { after: 'exec' },
    effects: changed,
  },
  {
    names: 'gem cpan cpanm luarocks',
    others: /^(?:exec|open|build|make|[\w.]+spec)$|^--(?:config|plugin)|^-[ej]/,
    effects: changed,
  },
  {
    names: 'composer',
    known:
      'about archive audit browse bump check-platform-reqs clear-cache config create-project depends diagnose dump-autoload fund help info init install licenses list outdated prohibits reinstall remove require search self-update show status suggests update validate why',
    others: /^(?:exec|run-script|run|global)$|^--(?:config|plugin)/,
    effects: changed,
  },
  {
    names: 'cargo',
    options: { ...manifest, text: 'p package features j jobs target bin example color', code: 'config Z' },
    others: /^--config|^-Z|^(?:run|x-\w+|flamegraph|script|bench)$|^--path/,
    known:
      'add bench build check clean clippy doc fetch fix fmt generate-lockfile help init install locate-project login logout metadata new nextest owner package pkgid publish remove report run rustc rustdoc search test tree uninstall update vendor verify-project version yank',
    effects: changed,
  },
  {
    names: 'go',
    dashed: true,
    options: {
      code: 'exec toolexec',
      read: 'overlay modfile',
      write: 'o',
      text: 'run count timeout tags ldflags gcflags p',
      dir: 'C',
    },
    others: /^(?:generate|tool|run|env)$|^-(?:vettool|C|ldflags|modfile|overlay)|-exec/,
    effects: changed,
  },
]
