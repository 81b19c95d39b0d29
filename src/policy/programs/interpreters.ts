/** Programs that read code in a language. */
import type { Effect } from './effect.ts'
import { ours } from './android.ts'
import { pipEffects } from './packages.ts'
import { type Call, has, operandTexts, type Program, valuesOfOption } from './program.ts'

// `node …/main.js approvals` is ours by another name
const ourMain = (call: Call): Effect[] => {
  const at = call.command.args.findIndex((arg) => /(?:^|\/)main\.js$/.test(arg))
  return at < 0 ? [] : ours(call.command.args.slice(at + 1)).filter(({ does }) => does === 'answers')
}

const module = (call: Call): Effect[] => {
  const [name = ''] = valuesOfOption(call, 'm')
  const changes: Effect[] = /^(?:pip|venv|ensurepip)$/.test(name) ? [{ does: 'changes' }] : []
  return [
    ...changes,
    ...(name === 'pip'
      ? pipEffects(
          call.command.args,
          call.command.args.some((arg) => /^--user(?:=|$)/.test(arg)),
        )
      : []),
  ]
}

const script = { ordered: true, operands: 'maybe' } as const
const editor = { language: 'editor', interactive: true } as const

export const interpreters: readonly Program[] = [
  {
    ...script,
    names: 'python* pypy* ipython*',
    options: { source: 'c', text: 'W X m' },
    code: { language: 'python', stdin: true },
    others: /^(?:code|pdb|timeit|c?[pP]rofile|trace|runpy|doctest|idlelib)$|^--cgi/,
    effects: module,
  },
  {
    ...script,
    names: 'node nodejs qjs tsx ts-node',
    options: {
      source: 'e p eval print pe',
      maybe: 'r require import loader experimental-loader',
      text: 'C conditions input-type',
      read: 'env-file',
    },
    code: { language: 'javascript', stdin: true },
    others: /^-r|^--(?:require|import|loader|experimental-loader|run|watch|test-reporter)\b/,
    effects: ourMain,
  },
  {
    ...script,
    names: 'deno',
    options: { read: 'config c import-map' },
    verbs: { eval: {}, '*': { read: 'config c import-map' } },
    code: { language: 'javascript', verb: 'eval', stdin: true },
    effects: ourMain,
  },
  {
    ...script,
    names: 'perl*',
    options: { source: 'e E', read: 'I', text: 'M m F i 0 l d D C' },
    code: { language: 'perl', stdin: true },
    others: /^-[dMmI]/,
  },
  {
    ...script,
    names: 'ruby* jruby*',
    options: { source: 'e', maybe: 'r', read: 'I', dir: 'C', text: 'E K x' },
    code: { language: 'ruby', stdin: true },
    others: /^-[rS]/,
  },
  {
    ...script,
    names: 'php*',
    options: { source: 'r B R E', text: 'd z', read: 'c t', script: 'f F' },
    code: { language: 'php', stdin: true },
    others: /^-[dcSzFtf]/,
  },
  {
    ...script,
    names: 'lua* luajit',
    options: { source: 'e', text: 'l' },
    code: { language: 'lua', stdin: true },
    others: /^-l/,
  },
  {
    ...script,
    names:
      'tclsh* wish* guile* sbcl clisp R Rscript julia octave* elixir iex erl ghc ghci runghc scala groovy jshell swipl gnuplot osascript pwsh powershell fish nu xonsh csh tcsh elvish irb pry jrunscript jjs bpython slsh es rc scsh racket clojure bb kotlin nim dotnet-script raku ocaml sml gosh csi bsh maxima gp',
    options: { source: 'e c g C eval command Command execute exec' },
    code: { language: 'other', stdin: true },
    others: /^--?(?:load|init|init-file|startup|rc|rcfile|config|plugin|s|l|L|r|t|T|x|S)\b/,
  },
  {
    names:
      'vi vim nvim ex ed red emacs view rvim rview vimdiff gvim nano pico joe jmacs jpico jstar rjoe mcedit micro hx kak mg jed zile ne vile elvis vis emacsclient',
    operands: 'write',
    options: { source: 'c S cmd eval', script: 's u l load script', text: 'T' },
    code: editor,
    effects: (call) => [
      { does: 'changes' },
      ...(call.arguments.some(({ kind }) => kind === 'script') ? [{ does: 'runs', what: 'hidden' } as const] : []),
    ],
  },
  {
    names: 'gdb lldb',
    dashed: true,
    options: { source: 'ex eval-command iex one-line o', script: 'x command ix init-command s source' },
    code: editor,
  },
  {
    names: 'awk gawk mawk nawk oawk bwk',
    operands: 'text read',
    unless: 'f file E e source',
    options: {
      text: 'F v field-separator assign',
      source: 'e source',
      script: 'f file E exec i include',
      code: 'l load',
    },
    code: { language: 'awk', operand: 0 },
    others: /^-[fElie]|^--(?:file|exec|load|include|source)|^@load/,
    stream: 'changed',
    effects: (call) => [
      ...(call.command.pipedFrom
        ? [{ does: 'finds', target: { by: 'line', texts: operandTexts(call).slice(0, 1) } } as const]
        : []),
      ...(has(call, 'i') || call.command.args.includes('inplace') ? [{ does: 'changes' } as const] : []),
    ],
  },
  {
    names: 'sed gsed',
    operands: 'text read',
    unless: 'e f expression file',
    options: { source: 'e expression', text: 'l line-length', script: 'f file' },
    code: { language: 'sed', operand: 0 },
    others: /^-[nErsuz]*f|^--file/,
    stream: 'changed',
    effects: (call) => (has(call, 'i in-place') ? [{ does: 'changes' }] : []),
  },
  {
    names: 'sqlite3 duckdb',
    dashed: true,
    operands: 'read text',
    options: { source: 'cmd', script: 'init', text: 'separator newline nullvalue' },
    code: { language: 'sql', operand: 1, interactive: true },
  },
  {
    names: 'mysql psql mariadb usql',
    operands: 'text',
    options: {
      source: 'c e command execute',
      script: 'f file',
      text: 'h p U d u D P host port user database',
      code: 'pager',
      write: 'o output L tee',
    },
    code: { language: 'sql', interactive: true },
    others: /^--defaults|^-f|^--file/,
  },
  {
    names: 'dc',
    operands: 'read',
    options: { source: 'e expression', script: 'f file' },
    code: { language: 'escape', interactive: true },
  },
  { names: 'bc', operands: 'read', options: { text: 'e expression', read: 'f file' } },
]
