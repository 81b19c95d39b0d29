/** Package managers of systems and languages, and what builds programs. */
import { changes, type Effect, hidden, signals, when } from './effect.ts'
import { literalWord, type Word } from '../script/script.ts'
import { anyLike, type Call, firstOf, has, says, textsOf, valuesOfOption } from './program.ts'
import { deleted } from './paths.ts'
import { readTable } from './table.ts'

// what lies here, or comes with a path, brings scripts of its own
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
  const global = texts[0] === 'global' || (has(call, 'g global') && says(call, globally))
  const ends = says(call, ending) && texts.includes('shellphone')
  return [
    // yarn alone installs
    ...when(call.command.name === 'yarn' && call.words.length === 0, changes),
    ...given(call),
    ...when(global, { does: 'installs', wide: 'user' }),
    ...when(ends, signals('service', texts)),
    ...when(starting.test(texts[0] ?? '') || starting.test(texts.join(' ')), hidden),
  ]
}

/** pip, as a program and as a module of another. */
export const pipEffects = (texts: readonly string[], user: boolean): Effect[] => [
  ...when(user && anyLike(texts, /^(?:un)?install$/), { does: 'installs', wide: 'user' }),
  ...runsLocal(texts),
]

const installing =
  /^(?:install|reinstall|remove|purge|add|del|uninstall|upgrade|dist-upgrade|full-upgrade|autoremove|erase|localinstall|in|rm)$/
// Termux's pkg takes any beginning of its verbs
const installingByPkg = /^(?:i(?:n.*)?|add|rei.*|un.*|rem.*|rm|del.*|up|upg.*|autoc.*|purge)$/
const installingByOption = /^-[iUreP]|^--(?:install|remove|purge)/
const removing = /^(?:remove|purge|uninstall|autoremove|un|--purge|-r|-P|--remove|full-upgrade-remove)$/
// what the service itself stands on, or everything
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
  // $(dpkg --get-selections …): everything
  const everything = unknownArgs || anyLike(args, vital)
  const ends = everything && anyLike(args, removing)
  return [...given(call), ...when(installs(call), { does: 'installs', wide: 'system', vital: ends })]
}

const manifest =
  'read: manifest-path f file r requirement c config config-file; dir: C prefix cwd dir cache cache-dir; write: log; code: script-shell shell'
const python = String.raw`runs; after: run; ${manifest}; text: i index-url extra-index-url;
  others: /^--(?:editor|build-option|global-option|config-settings|no-binary|python|(?:extra-)?index-url|find-links)\b|^(?:build|shell|edit|tool|sync|runpip|self)$/
  > run = text: with python name n p package; read: env-file
  > * = ${manifest}; text: i index-url python p n name`
const script = String.raw`runs; after: exec x dlx; ${manifest};
  alters: install i in ins isntall add remove uninstall rm un unlink update up upgrade publish ci link dedupe prune rebuild init create exec x dlx version set config login logout global;
  others: /^--(?:script-shell|node-options|init-module|userconfig|globalconfig|call|shell|editor|viewer|browser|eval|print|preload|plugin|git)\b|^-[epr]$/
  > exec x dlx = ${manifest}; code: c call script-shell; text: p package w workspace
  > * = ${manifest}; text: w workspace filter F`

// cmake -E VERB: its own small tools
function cmakeTool(call: Call): readonly Effect[] {
  if (!call.words.some(({ literal }) => literal === '-E')) return []
  if (/^(?:rm$|remove)/.test(firstOf(call))) return deleted(call.operands.slice(1), { recursive: true })
  return [/^(?:env|time|chdir|cmake_\w+|__\w+)$/.test(firstOf(call)) ? hidden : changes]
}

// the variables of make's own rules that name programs
const ofPrograms =
  /^(?:SHELL|MAKE|AR|AS|CC|CXX|CPP|FC|M2C|PC|CO|GET|LEX|YACC|LINT|MAKEINFO|TEX|TEXI2DVI|WEAVE|TANGLE|CWEAVE|CTANGLE|RM|LD|OBJCOPY|RANLIB|STRIP|INSTALL|NODE|NPM|GO|CARGO|\w*PYTHON3?|PERL|RUBY|\w*_?(?:CMD|COMMAND|PROG|PROGRAM))$/

// NAME=PROGRAM, NAME!=CODE, $(shell CODE), and the lines of rules in --eval
function makeCodes(call: Call): Word[] {
  const given = textsOf(call)
  const texts = [...given, ...valuesOfOption(call, 'eval E')]
  const set = given.flatMap((text) => {
    const [, name = '', sign, value = ''] = /^([\w.]+)\s*(:{0,3}|[+?!])=\s*(.*)$/s.exec(text) ?? []
    if (name === '.SHELLFLAGS') return [value.replace(/^(?:-\S+\s+)+/, '')]
    return sign === '!' || ofPrograms.test(name) ? [value] : []
  })
  const called = texts.flatMap((text) => [...text.matchAll(/\$[({]shell\s+([^]*)[)}]/g)].map(([, code]) => code!))
  const lines = texts.flatMap((text) => [...text.matchAll(/[;\t]\s*[-@+]+\s*(.*)/g)].map(([, code]) => code!))
  return [...set, ...called, ...lines].map(literalWord)
}

export const packages = readTable(
  String.raw`
apt apt-get apt-cache aptitude nala yum dnf zypper apk brew snap port opkg pkg pacman dpkg rpm dpkg-deb (text maybe) =
  looks: list search show policy depends rdepends changelog showpkg showsrc madison pkgnames stats dump check list-all list-installed files info -Q -Qi -Ql -Ss -Si -l -L -s -S --list --listfiles --status --search --version;
  text: o option t target-release; read: c config-file root; code: pre-invoke post-invoke eval E;
  others: /(?:Pre|Post)-Invoke|::|^changelog$|^--(?:eval|pipe|config|setopt|hookdir|define|plugin|root|installroot|status-logger|load|rcfile|macros)|^%\(|^-[cDE]$|^(?:edit-sources|x-\w+|bundle|sh|irb|run|shell|alias|hook)$/i
npm pnpm yarn (text maybe) = ${script}
bun (text maybe) = language: javascript; source: e eval p print; ${script}
npx bunx pnpx = ordered; text: p package; code: c call; runs; does: changes
pip pip3 easy_install pipx pdm hatch flit mamba rye micromamba (text maybe) = looks: list show freeze check search config index debug help --version; ${python}
uv poetry pipenv conda (text maybe) = alters: add install remove uninstall update lock sync pip publish init venv tool create new; ${python}
bundle = alters: install update add remove init; runs; after: exec;
  known: add binstubs cache check clean config doctor exec gem help info init install list lock open outdated platform plugin pristine remove show update version;
  others: /^--gemfile|^(?:config|open|plugin)$/
  > exec
  > *
gem cpan cpanm luarocks = looks: list search info; others: /^(?:exec|open|build|make|[\w.]+spec)$|^--(?:config|plugin)|^-[ej]/
composer = alters: install require remove update;
  known: about archive audit browse bump check-platform-reqs clear-cache config create-project depends diagnose dump-autoload fund help info init install licenses list outdated prohibits reinstall remove require search self-update show status suggests update validate why;
  others: /^(?:exec|run-script|run|global)$|^--(?:config|plugin)/
cargo = alters: add remove install uninstall clean publish update new init fix yank;
  ${manifest}; text: p package features j jobs target bin example color; code: config Z;
  others: /^--config|^-Z|^(?:run|x-\w+|flamegraph|script|bench)$|^--path/;
  known: add bench build check clean clippy doc fetch fix fmt generate-lockfile help init install locate-project login logout metadata new nextest owner package pkgid publish remove report run rustc rustdoc search test tree uninstall update vendor verify-project version yank
go = alters: get install clean mod work; dashed;
  code: exec toolexec; read: overlay modfile; write: o; text: run count timeout tags ldflags gcflags p; dir: C;
  others: /^(?:generate|tool|run|env)$|^-(?:vettool|C|ldflags|modfile|overlay)|-exec/
make gmake bmake ninja samu = language: make; dir: C directory; script: f file makefile; read: I include-dir o old-file W; code: eval E
cmake = dashed; read: P C E-none; dir: S B; text: G D; others: /^-[PC]$|^SHELL=|TOOLCHAIN|_LAUNCHER|_COMMAND|_COMPILER=/
cc gcc g++ c++ clang clang++ tcc ld as rustc = dashed;
  read: I isystem iquote idirafter include imacros L B T sysroot isysroot specs o MF; text: D U l x std MT MQ; code: wrapper fplugin;
  others: /^-(?:wrapper|fplugin|B|specs|Xlinker|load|Wl,|run|plugin|fuse-ld|-ld-path|-config|C)|^@|linker=/
`,
  {
    apt: system,
    'npm bun': modules,
    'pip uv': (call) => [...given(call), ...pipEffects(textsOf(call), has(call, 'user'))],
    'bundle gem composer cargo go': given,
    make: {
      codes: makeCodes,
      others: /^--eval|^-E|^SHELL=|=.*[$`!\s]|!=/,
      effects: (call) => when(says(call, /^(?:un)?install$|^(?:dist)?clean$/), changes),
    },
    cmake: cmakeTool,
  },
)
