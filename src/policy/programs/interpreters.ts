/** Programs that read code in a language. */
import { ours } from './android.ts'
import { changes, type Effect, finds, hidden, when } from './effect.ts'
import { pipEffects } from './packages.ts'
import { anyLike, type Call, firstOf, has, type Rows, valuesOfOption } from './program.ts'

// `node …/main.js approvals` is ours by another name
const ourMain = ({ command: { args } }: Call): Effect[] => {
  const at = args.findIndex((arg) => /(?:^|\/)main\.js$/.test(arg))
  return at < 0 ? [] : ours(args.slice(at + 1)).filter(({ does }) => does === 'answers')
}

const module = (call: Call): readonly Effect[] => {
  const [name = ''] = valuesOfOption(call, 'm')
  const { args } = call.command
  return [
    ...when(/^(?:pip|venv|ensurepip)$/.test(name), changes),
    ...(name === 'pip' ? pipEffects(args, anyLike(args, /^--user(?:=|$)/)) : []),
  ]
}

const takesScript = ({ arguments: given }: Call) => given.some(({ kind }) => kind === 'script')
// the patterns of a filter behind `ps`
const searched = /\/((?:[^/\\]|\\.)+)\/|[=~]\s*"([^"]*)"/g
const found = (call: Call) =>
  finds(
    'line',
    [...firstOf(call).matchAll(searched)].map((match) => (match[1] ?? match[2])!),
  )
const filters = (call: Call): readonly Effect[] => [
  ...when(call.command.pipedFrom !== null, found(call)),
  ...when(has(call, 'i in-place') || call.command.args.includes('inplace'), changes),
]

const of = (language: string) => ({ ordered: true, code: { language, stdin: true } }) as const
const editor = { language: 'editor', interactive: true } as const

export const interpreters: Rows = {
  'python* pypy* ipython*': {
    ...of('python'),
    options: 'source: c; text: W X m',
    others: /^(?:code|pdb|timeit|c?[pP]rofile|trace|runpy|doctest|idlelib)$|^--cgi/,
    effects: module,
  },
  'node nodejs qjs tsx ts-node': {
    ...of('javascript'),
    options:
      'source: e p eval print pe; maybe: r require import loader experimental-loader; text: C conditions input-type; read: env-file',
    others: /^-r|^--(?:require|import|loader|experimental-loader|run|watch|test-reporter)\b/,
    effects: ourMain,
  },
  deno: {
    ordered: true,
    options: 'read: config c import-map',
    verbs: { eval: '', '*': 'read: config c import-map' },
    code: { language: 'javascript', verb: 'eval', stdin: true },
    effects: ourMain,
  },
  'perl*': { ...of('perl'), options: 'source: e E; read: I; text: M m F', others: /^-[dMmI]/ },
  'ruby* jruby*': { ...of('ruby'), options: 'source: e; maybe: r; read: I; dir: C; text: E', others: /^-[rS]/ },
  'php*': { ...of('php'), options: 'source: r B R E; text: d z; read: c t; script: f F', others: /^-[dcSzFtf]/ },
  'lua* luajit': { ...of('lua'), options: 'source: e; text: l', others: /^-l/ },
  'tclsh* wish* guile* sbcl clisp R Rscript julia octave* elixir iex erl ghc ghci runghc scala groovy jshell swipl gnuplot osascript pwsh powershell fish nu xonsh csh tcsh elvish irb pry jrunscript jjs bpython slsh es rc scsh racket clojure bb kotlin nim dotnet-script raku ocaml sml gosh csi bsh maxima gp':
    {
      ...of('other'),
      options: 'source: e c g C eval command Command execute exec',
      others: /^--?(?:load|init|init-file|startup|rc|rcfile|config|plugin|s|l|L|r|t|T|x|S)\b/,
    },
  'vi vim nvim ex ed red emacs view rvim rview vimdiff gvim nano pico joe jmacs jpico jstar rjoe mcedit micro hx kak mg jed zile ne vile elvis vis emacsclient':
    {
      operands: 'write',
      options: 'source: c S cmd eval; script: s u l load script; text: T',
      code: editor,
      effects: (call) => [changes, ...when(takesScript(call), hidden)],
    },
  'gdb lldb': {
    dashed: true,
    options: 'source: ex eval-command iex one-line o; script: x command ix init-command s source',
    code: editor,
  },
  'awk gawk mawk nawk oawk bwk': {
    operands: 'text read',
    unless: 'f file E e source',
    options: 'text: F v field-separator assign; source: e source; script: f file E exec i include; code: l load',
    code: { language: 'awk', operand: 0 },
    others: /^-[fElie]|^--(?:file|exec|load|include|source)|^@load/,
    stream: 'changed',
    effects: filters,
  },
  'sed! gsed': {
    operands: 'text read',
    unless: 'e f expression file',
    options: 'source: e expression; text: l line-length; script: f file',
    code: { language: 'sed', operand: 0 },
    others: /^-[nErsuz]*f|^--file/,
    stream: 'changed',
    effects: filters,
  },
  'sqlite3 duckdb': {
    dashed: true,
    operands: 'read text',
    options: 'source: cmd; script: init; text: separator newline nullvalue',
    code: { language: 'sql', operand: 1, interactive: true },
  },
  'mysql mariadb': {
    operands: 'text',
    options: 'source: e execute init-command; text: host port user database; code: pager; write: tee',
    code: { language: 'sql', interactive: true },
    others: /^--defaults/,
  },
  'psql usql': {
    operands: 'text',
    options: 'source: c command; script: f file; text: host port username dbname; write: o output L log-file',
    code: { language: 'sql', interactive: true },
    others: /^-f|^--file/,
  },
  dc: {
    operands: 'read',
    options: 'source: e expression; script: f file',
    code: { language: 'escape', interactive: true },
  },
  bc: { operands: 'read', options: 'text: e expression; read: f file' },
}
