/** Programs that read code in a language. */
import { ours } from './android.ts'
import { changes, type Effect, hidden, when } from './effect.ts'
import { pipEffects } from './packages.ts'
import { type Call, has, type Program, textsOf, valuesOfOption } from './program.ts'

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
    ...(name === 'pip'
      ? pipEffects(
          args,
          args.some((arg) => /^--user(?:=|$)/.test(arg)),
        )
      : []),
  ]
}

const takesScript = ({ arguments: given }: Call) => given.some(({ kind }) => kind === 'script')
const filters = (call: Call): readonly Effect[] => [
  ...when(call.command.pipedFrom !== null, { does: 'finds', target: { by: 'line', texts: textsOf(call).slice(0, 1) } }),
  ...when(has(call, 'i') || call.command.args.includes('inplace'), changes),
]

const of = (language: string) => ({ ordered: true, code: { language, stdin: true } }) as const
const editor = { language: 'editor', interactive: true } as const

export const interpreters: readonly Program[] = [
  {
    ...of('python'),
    names: 'python* pypy* ipython*',
    options: 'source: c; text: W X m',
    others: /^(?:code|pdb|timeit|c?[pP]rofile|trace|runpy|doctest|idlelib)$|^--cgi/,
    effects: module,
  },
  {
    ...of('javascript'),
    names: 'node nodejs qjs tsx ts-node',
    options:
      'source: e p eval print pe; maybe: r require import loader experimental-loader; text: C conditions input-type; read: env-file',
    others: /^-r|^--(?:require|import|loader|experimental-loader|run|watch|test-reporter)\b/,
    effects: ourMain,
  },
  {
    ordered: true,
    names: 'deno',
    options: 'read: config c import-map',
    verbs: { eval: '', '*': 'read: config c import-map' },
    code: { language: 'javascript', verb: 'eval', stdin: true },
    effects: ourMain,
  },
  { ...of('perl'), names: 'perl*', options: 'source: e E; read: I; text: M m F i 0 l d D C', others: /^-[dMmI]/ },
  {
    ...of('ruby'),
    names: 'ruby* jruby*',
    options: 'source: e; maybe: r; read: I; dir: C; text: E K x',
    others: /^-[rS]/,
  },
  { ...of('php'), names: 'php*', options: 'source: r B R E; text: d z; read: c t; script: f F', others: /^-[dcSzFtf]/ },
  { ...of('lua'), names: 'lua* luajit', options: 'source: e; text: l', others: /^-l/ },
  {
    ...of('other'),
    names:
      'tclsh* wish* guile* sbcl clisp R Rscript julia octave* elixir iex erl ghc ghci runghc scala groovy jshell swipl gnuplot osascript pwsh powershell fish nu xonsh csh tcsh elvish irb pry jrunscript jjs bpython slsh es rc scsh racket clojure bb kotlin nim dotnet-script raku ocaml sml gosh csi bsh maxima gp',
    options: 'source: e c g C eval command Command execute exec',
    others: /^--?(?:load|init|init-file|startup|rc|rcfile|config|plugin|s|l|L|r|t|T|x|S)\b/,
  },
  {
    names:
      'vi vim nvim ex ed red emacs view rvim rview vimdiff gvim nano pico joe jmacs jpico jstar rjoe mcedit micro hx kak mg jed zile ne vile elvis vis emacsclient',
    operands: 'write',
    options: 'source: c S cmd eval; script: s u l load script; text: T',
    code: editor,
    effects: (call) => [changes, ...when(takesScript(call), hidden)],
  },
  {
    names: 'gdb lldb',
    dashed: true,
    options: 'source: ex eval-command iex one-line o; script: x command ix init-command s source',
    code: editor,
  },
  {
    names: 'awk gawk mawk nawk oawk bwk',
    operands: 'text read',
    unless: 'f file E e source',
    options: 'text: F v field-separator assign; source: e source; script: f file E exec i include; code: l load',
    code: { language: 'awk', operand: 0 },
    others: /^-[fElie]|^--(?:file|exec|load|include|source)|^@load/,
    stream: 'changed',
    effects: filters,
  },
  {
    names: 'sed gsed',
    operands: 'text read',
    unless: 'e f expression file',
    options: 'source: e expression; text: l line-length; script: f file',
    code: { language: 'sed', operand: 0 },
    others: /^-[nErsuz]*f|^--file/,
    stream: 'changed',
    effects: (call) => when(has(call, 'i in-place'), changes),
  },
  {
    names: 'sqlite3 duckdb',
    dashed: true,
    operands: 'read text',
    options: 'source: cmd; script: init; text: separator newline nullvalue',
    code: { language: 'sql', operand: 1, interactive: true },
  },
  {
    names: 'mysql psql mariadb usql',
    operands: 'text',
    options:
      'source: c e command execute; script: f file; text: h p U d u D P host port user database; code: pager; write: o output L tee',
    code: { language: 'sql', interactive: true },
    others: /^--defaults|^-f|^--file/,
  },
  {
    names: 'dc',
    operands: 'read',
    options: 'source: e expression; script: f file',
    code: { language: 'escape', interactive: true },
  },
  { names: 'bc', operands: 'read', options: 'text: e expression; read: f file' },
]
