/** Package managers of operating systems and programming languages. */
import { changes, type Effect, hidden, signals, when } from './effect.ts'
import { anyLike, type Call, has, anyOperandLike, textsOf } from './program.ts'
import { type OptionLists, type ProgramParts, table } from './table.ts'

// a package named by a path or URL can run scripts of its own
const local =
  /^\.{1,2}(?:\/|$)|^\/|^(?:file|git\+\w+|link|portal):|\.(?:deb|rpm|apk|ipk|whl|gem|tgz|tar\.gz|zip|txz|snap|zst)$|^https?:/
const runsLocal = (texts: readonly string[]) => when(anyLike(texts, local), hidden)
const given = (call: Call): readonly Effect[] => runsLocal(textsOf(call))

const globally = /^(?:install|i|in|ins|isntall|add|ci|update|up|uninstall|un|remove|rm|link)$/
const ending = /^(?:remove|purge|uninstall|autoremove|un|--purge|-r|-P|--remove|full-upgrade-remove|rm|unlink)$/
const starting =
  /^(?:explore|edit|create|dlx|x|exec|rebuild|run-script|task|runpip|config|workspaces foreach.*|init .*)$/s

function modules(call: Call): Effect[] {
  const texts = textsOf(call)
  const global = texts[0] === 'global' || (has(call, 'g global') && anyOperandLike(call, globally))
  const ends = anyOperandLike(call, ending) && texts.includes('shellphone')
  return [
    // yarn without arguments installs
    ...when(call.command.name === 'yarn' && call.words.length === 0, changes),
    ...given(call),
    ...when(global, { does: 'installs', wide: 'user' }),
    ...when(ends, signals('service', texts)),
    ...when(starting.test(texts[0] ?? '') || starting.test(texts.join(' ')), hidden),
  ]
}

/** Returns the effects of pip, which runs as a program or as a Python module. */
export const pipEffects = (texts: readonly string[], user: boolean): Effect[] => [
  ...when(user && anyLike(texts, /^(?:un)?install$/), { does: 'installs', wide: 'user' }),
  ...runsLocal(texts),
]

const installing =
  /^(?:install|reinstall|remove|purge|add|del|uninstall|upgrade|dist-upgrade|full-upgrade|autoremove|erase|localinstall|in|rm)$/
// Termux's pkg accepts abbreviations of its verbs
const installingByPkg = /^(?:i(?:n.*)?|add|rei.*|un.*|rem.*|rm|del.*|up|upg.*|autoc.*|purge)$/
const installingByOption = /^-[iUreP]|^--(?:install|remove|purge)/
const removing = /^(?:remove|purge|uninstall|autoremove|un|--purge|-r|-P|--remove|full-upgrade-remove)$/
// packages that the service depends on, and patterns that match every package
const vital =
  /^(?:bash|dash|busybox|coreutils|toybox|termux-\w+|libc6?|libc\+\+|apt|dpkg|nodejs(?:-lts)?|openssl|libandroid-\w+|util-linux|systemd|linux-image.*|init|base-files|\*|\.\*|\?\*|~.*)$/

function installs(call: Call): boolean {
  const { name, args, unknownArgs } = call.command
  if (name === 'pkg') return installingByPkg.test(textsOf(call)[0] ?? 'un')
  if (name === 'pacman') return anyLike(args, /^-[SRU]/)
  if (/^(?:dpkg|rpm)$/.test(name)) return anyLike(args, installingByOption)
  return anyLike(args, installing) || (unknownArgs && !call.operands[0]?.literal)
}

function system(call: Call): Effect[] {
  const { args, unknownArgs } = call.command
  // unknown arguments, such as $(dpkg --get-selections …), may name every package
  const everything = unknownArgs || anyLike(args, vital)
  const ends = everything && anyLike(args, removing)
  return [...given(call), ...when(installs(call), { does: 'installs', wide: 'system', vital: ends })]
}

const manifest = {
  read: 'manifest-path f file r requirement c config config-file',
  dir: 'C prefix cwd dir cache cache-dir',
  write: 'log',
  code: 'script-shell shell',
} satisfies OptionLists
const python = {
  runs: true,
  after: 'run',
  startsOthers:
    /^--(?:editor|build-option|global-option|config-settings|no-binary|python|(?:extra-)?index-url|find-links)\b|^(?:build|shell|edit|tool|sync|runpip|self)$/,
  options: { ...manifest, text: 'i index-url extra-index-url' },
  verbs: {
    run: { text: 'with python name n p package', read: 'env-file' },
    '*': { ...manifest, text: 'i index-url python p n name' },
  },
} satisfies ProgramParts
const script = {
  runs: true,
  after: 'exec x dlx',
  changingVerbs: `
  install i in ins isntall add remove uninstall rm un unlink update up upgrade publish ci link dedupe prune
  rebuild init create exec x dlx version set config login logout global
`,
  startsOthers:
    /^--(?:script-shell|node-options|init-module|userconfig|globalconfig|call|shell|editor|viewer|browser|eval|print|preload|plugin|git)\b|^-[epr]$/,
  options: manifest,
  verbs: {
    'exec x dlx': { ...manifest, code: `${manifest.code} c call script-shell`, text: 'p package w workspace' },
    '*': { ...manifest, text: 'w workspace filter F' },
  },
} satisfies ProgramParts

const installsModules = (call: Call): readonly Effect[] => [
  ...given(call),
  ...pipEffects(textsOf(call), has(call, 'user')),
]

export const packages = table([
  {
    names: `
      apt apt-get apt-cache aptitude nala yum dnf zypper apk brew snap port opkg pkg pacman dpkg rpm dpkg-deb
    `,
    operands: 'text maybe',
    readOnlyVerbs: `
      list search show policy depends rdepends changelog showpkg showsrc madison pkgnames stats dump check
      list-all list-installed files info -Q -Qi -Ql -Ss -Si -l -L -s -S --list --listfiles --status --search
      --version
    `,
    startsOthers:
      /(?:Pre|Post)-Invoke|::|^changelog$|^--(?:eval|pipe|config|setopt|hookdir|define|plugin|root|installroot|status-logger|load|rcfile|macros)|^%\(|^-[cDE]$|^(?:edit-sources|x-\w+|bundle|sh|irb|run|shell|alias|hook)$/i,
    options: { text: 'o option t target-release', read: 'c config-file root', code: 'pre-invoke post-invoke eval E' },
    effects: system,
  },
  { names: 'npm pnpm yarn', operands: 'text maybe', ...script, effects: modules },
  {
    names: 'bun',
    operands: 'text maybe',
    language: 'javascript',
    ...script,
    options: { source: 'e eval p print', ...script.options },
    effects: modules,
  },
  {
    names: 'npx bunx pnpx',
    ordered: true,
    runs: true,
    orShell: true,
    does: [changes],
    options: { text: 'p package', code: 'c call' },
  },
  {
    names: 'pip pip3 easy_install pipx pdm hatch flit mamba rye micromamba',
    operands: 'text maybe',
    readOnlyVerbs: 'list show freeze check search config index debug help --version',
    ...python,
    effects: installsModules,
  },
  {
    names: 'uv poetry pipenv conda',
    operands: 'text maybe',
    changingVerbs: 'add install remove uninstall update lock sync pip publish init venv tool create new',
    ...python,
    effects: installsModules,
  },
  {
    names: 'bundle',
    changingVerbs: 'install update add remove init',
    runs: true,
    after: 'exec',
    knownVerbs: `
      add binstubs cache check clean config doctor exec gem help info init install list lock open outdated
      platform plugin pristine remove show update version
    `,
    startsOthers: /^--gemfile|^(?:config|open|plugin)$/,
    verbs: { exec: {}, '*': {} },
    effects: given,
  },
  {
    names: 'gem cpan cpanm luarocks',
    readOnlyVerbs: 'list search info',
    startsOthers: /^(?:exec|open|build|make|[\w.]+spec)$|^--(?:config|plugin)|^-[ej]/,
    effects: given,
  },
  {
    names: 'composer',
    changingVerbs: 'install require remove update',
    knownVerbs: `
      about archive audit browse bump check-platform-reqs clear-cache config create-project depends diagnose
      dump-autoload fund help info init install licenses list outdated prohibits reinstall remove require search
      self-update show status suggests update validate why
    `,
    startsOthers: /^(?:exec|run-script|run|global)$|^--(?:config|plugin)/,
    effects: given,
  },
  {
    names: 'cargo',
    changingVerbs: 'add remove install uninstall clean publish update new init fix yank',
    startsOthers: /^--config|^-Z|^(?:run|x-\w+|flamegraph|script|bench)$|^--path/,
    knownVerbs: `
      add bench build check clean clippy doc fetch fix fmt generate-lockfile help init install locate-project
      login logout metadata new nextest owner package pkgid publish remove report run rustc rustdoc search test
      tree uninstall update vendor verify-project version yank
    `,
    options: {
      ...manifest,
      text: 'p package features j jobs target bin example color',
      code: `${manifest.code} config Z`,
    },
    effects: given,
  },
  {
    names: 'go',
    changingVerbs: 'get install clean mod work',
    dashed: true,
    startsOthers: /^(?:generate|tool|run|env)$|^-(?:vettool|C|ldflags|modfile|overlay)|-exec/,
    options: {
      code: 'exec toolexec',
      read: 'overlay modfile',
      write: 'o',
      text: 'run count timeout tags ldflags gcflags p',
      dir: 'C',
    },
    effects: given,
  },
])
