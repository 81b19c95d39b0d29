/** Programs that interpret code in a language of their own. */
import { shellphoneEffects } from './android.ts'
import { changes, type Effect, finds, hidden, when } from './effect.ts'
import { pipEffects } from './packages.ts'
import { written } from './paths.ts'
import { anyLike, type Call, firstOf, has, piped, textsOf, valuesOfOption } from './program.ts'
import { table } from './table.ts'

// `node …/main.js approvals` is the shellphone command by another name
function shellphoneMain({ command: { args } }: Call): Effect[] {
  const at = args.findIndex((arg) => /(?:^|\/)main\.js$/.test(arg))
  return at < 0 ? [] : shellphoneEffects(args.slice(at + 1)).filter(({ does }) => does === 'answers')
}

function module(call: Call): readonly Effect[] {
  const [name = ''] = valuesOfOption(call, 'm')
  const { args } = call.command
  return [
    ...when(/^(?:pip|venv|ensurepip)$/.test(name), changes),
    ...(name === 'pip' ? pipEffects(args, anyLike(args, /^--user(?:=|$)/)) : []),
  ]
}

// the patterns that a filter after `ps` searches for
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

export const interpreters = table([
  {
    names: 'python* pypy* ipython*',
    ordered: true,
    language: 'python',
    stdin: true,
    readsInputWith: 'i',
    codeModules: /^timeit$/,
    readsInputModules: /^(?:code|pdb|asyncio|idlelib|IPython|ptpython)(?:\.|$)/,
    startsOthers: /^(?:code|pdb|timeit|c?[pP]rofile|trace|runpy|doctest|idlelib)$|^--cgi/,
    options: { source: 'c', text: 'W X m check-hash-based-pycs' },
    effects: module,
  },
  {
    names: 'node nodejs qjs tsx ts-node',
    ordered: true,
    language: 'javascript',
    stdin: true,
    readsInputWith: 'i interactive',
    startsOthers: /^-r|^--(?:require|import|loader|experimental-loader|run|watch|test-reporter)\b/,
    options: {
      source: 'e p eval print pe',
      maybe: 'r require import loader experimental-loader',
      text: 'C conditions input-type',
      read: 'env-file',
    },
    effects: shellphoneMain,
  },
  {
    names: 'deno',
    ordered: true,
    language: 'javascript',
    codeAfter: 'eval',
    stdin: true,
    options: { read: 'config c import-map' },
    verbs: { eval: {}, '*': { read: 'config c import-map' } },
    effects: shellphoneMain,
  },
  {
    names: 'perl*',
    ordered: true,
    language: 'perl',
    stdin: true,
    readsInputWith: 'd',
    startsOthers: /^-[dMmI]/,
    options: { source: 'e E', read: 'I', text: 'M m F' },
    // <> opens the files that the operands name, and runs an operand that starts or ends with a bar as a command
    codes: (call) => piped(textsOf(call)),
  },
  {
    names: 'ruby* jruby*',
    ordered: true,
    language: 'ruby',
    stdin: true,
    startsOthers: /^-[rS]/,
    options: { source: 'e', maybe: 'r', read: 'I', dir: 'C', text: 'E' },
  },
  {
    names: 'php*',
    ordered: true,
    language: 'php',
    stdin: true,
    startsOthers: /^-[dcSzFtf]/,
    options: { source: 'r B R E', text: 'd z', read: 'c t', script: 'f F' },
  },
  {
    names: 'lua* luajit',
    ordered: true,
    language: 'lua',
    stdin: true,
    readsInputWith: 'i',
    startsOthers: /^-l/,
    options: { source: 'e', text: 'l' },
  },
  {
    names: `
      tclsh* wish* guile* sbcl clisp R Rscript julia octave* elixir iex erl ghc ghci runghc scala groovy jshell
      swipl gnuplot osascript pwsh powershell fish nu xonsh csh tcsh elvish irb pry jrunscript jjs bpython slsh
      es rc scsh racket clojure bb kotlin nim dotnet-script raku ocaml sml gosh csi bsh maxima gp
    `,
    ordered: true,
    language: 'other',
    stdin: true,
    startsOthers: /^--?(?:load|init|init-file|startup|rc|rcfile|config|plugin|s|l|L|r|t|T|x|S)\b/,
    options: { source: 'e c g C eval command Command execute exec' },
  },
  {
    names: `
      vi vim nvim ex ed red emacs view rvim rview vimdiff gvim nano pico joe jmacs jpico jstar rjoe mcedit micro
      hx kak mg jed zile ne vile elvis vis emacsclient
    `,
    operands: 'write',
    does: [changes],
    language: 'editor',
    interactive: true,
    options: { source: 'c S cmd eval', script: 'u l load script', text: 'T' },
    // -s FILE contains keystrokes, unless -s means silent
    effects: (call) =>
      when(call.arguments.some(({ kind }) => kind === 'script') || (has(call, 's') && !has(call, 'e E')), hidden),
  },
  {
    names: 'gdb lldb',
    dashed: true,
    language: 'editor',
    interactive: true,
    options: { source: 'ex eval-command iex one-line o', script: 'x command ix init-command s source' },
  },
  {
    names: 'awk gawk mawk nawk oawk bwk',
    operands: 'text read',
    unless: 'f file E e source',
    language: 'awk',
    codeAt: 0,
    stream: 'changed',
    startsOthers: /^-[fElie]|^--(?:file|exec|load|include|source)|^@load/,
    options: {
      text: 'F v field-separator assign',
      source: 'e source',
      script: 'f file E exec i include',
      code: 'l load',
    },
    effects: filters,
  },
  {
    names: 'sed! gsed',
    operands: 'text read',
    unless: 'e f expression file',
    language: 'sed',
    codeAt: 0,
    startsOthers: /^-[nErsuz]*f|^--file/,
    stream: 'changed',
    options: { source: 'e expression', text: 'l line-length', script: 'f file' },
    effects: (call) => [
      ...filters(call),
      ...when(has(call, 'i in-place'), ...written(call.operands.slice(has(call, 'e f expression file') ? 0 : 1))),
    ],
  },
  {
    names: 'sqlite3 duckdb',
    operands: 'read text',
    dashed: true,
    language: 'sql',
    codeAt: 1,
    interactive: true,
    options: { source: 'cmd', script: 'init', text: 'separator newline nullvalue' },
  },
  {
    names: 'mysql mariadb',
    operands: 'text',
    language: 'sql',
    interactive: true,
    startsOthers: /^--defaults/,
    options: { source: 'e execute init-command', text: 'host port user database', code: 'pager', write: 'tee' },
  },
  {
    names: 'psql usql',
    operands: 'text',
    language: 'sql',
    interactive: true,
    startsOthers: /^-f|^--file/,
    options: { source: 'c command', script: 'f file', text: 'host port username dbname', write: 'o output L log-file' },
    codes: (call) => piped(valuesOfOption(call, 'o output')),
  },
  {
    names: 'dc',
    operands: 'read',
    language: 'escape',
    interactive: true,
    options: { source: 'e expression', script: 'f file' },
  },
  { names: 'bc', operands: 'read', options: { text: 'e expression', read: 'f file' } },
])
