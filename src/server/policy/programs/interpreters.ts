/** Programs that read code in a language. */
import { ours } from './android.ts'
import { changes, type Effect, finds, hidden, when } from './effect.ts'
import { pipEffects } from './packages.ts'
import { anyLike, type Call, firstOf, has, piped, textsOf, valuesOfOption } from './program.ts'
import { readTable } from './table.ts'

// `node …/main.js approvals` is ours by another name
function ourMain({ command: { args } }: Call): Effect[] {
  const at = args.findIndex((arg) => /(?:^|\/)main\.js$/.test(arg))
  return at < 0 ? [] : ours(args.slice(at + 1)).filter(({ does }) => does === 'answers')
}

function module(call: Call): readonly Effect[] {
  const [name = ''] = valuesOfOption(call, 'm')
  const { args } = call.command
  return [
    ...when(/^(?:pip|venv|ensurepip)$/.test(name), changes),
    ...(name === 'pip' ? pipEffects(args, anyLike(args, /^--user(?:=|$)/)) : []),
  ]
}

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

export const interpreters = readTable(
  String.raw`
python* pypy* ipython* = ordered; language: python; stdin; asksWith: i; source: c; text: W X m check-hash-based-pycs;
  codeModules: /^timeit$/; askingModules: /^(?:code|pdb|asyncio|idlelib|IPython|ptpython)(?:\.|$)/;
  others: /^(?:code|pdb|timeit|c?[pP]rofile|trace|runpy|doctest|idlelib)$|^--cgi/
node nodejs qjs tsx ts-node = ordered; language: javascript; stdin; asksWith: i interactive;
  source: e p eval print pe; maybe: r require import loader experimental-loader; text: C conditions input-type; read: env-file;
  others: /^-r|^--(?:require|import|loader|experimental-loader|run|watch|test-reporter)\b/
deno = ordered; read: config c import-map; language: javascript; codeAfter: eval; stdin
  > eval
  > * = read: config c import-map
perl* = ordered; language: perl; stdin; asksWith: d; source: e E; read: I; text: M m F; others: /^-[dMmI]/
ruby* jruby* = ordered; language: ruby; stdin; others: /^-[rS]/; source: e; maybe: r; read: I; dir: C; text: E
php* = ordered; language: php; stdin; others: /^-[dcSzFtf]/; source: r B R E; text: d z; read: c t; script: f F
lua* luajit = ordered; language: lua; stdin; asksWith: i; source: e; text: l; others: /^-l/
tclsh* wish* guile* sbcl clisp R Rscript julia octave* elixir iex erl ghc ghci runghc scala groovy jshell swipl gnuplot osascript pwsh powershell fish nu xonsh csh tcsh elvish irb pry jrunscript jjs bpython slsh es rc scsh racket clojure bb kotlin nim dotnet-script raku ocaml sml gosh csi bsh maxima gp =
  ordered; language: other; stdin; source: e c g C eval command Command execute exec;
  others: /^--?(?:load|init|init-file|startup|rc|rcfile|config|plugin|s|l|L|r|t|T|x|S)\b/
vi vim nvim ex ed red emacs view rvim rview vimdiff gvim nano pico joe jmacs jpico jstar rjoe mcedit micro hx kak mg jed zile ne vile elvis vis emacsclient (write) =
  does: changes; language: editor; interactive; source: c S cmd eval; script: u l load script; text: T
gdb lldb = dashed; language: editor; interactive; source: ex eval-command iex one-line o; script: x command ix init-command s source
awk gawk mawk nawk oawk bwk (text read) = unless: f file E e source; language: awk; codeAt: 0; stream: changed;
  text: F v field-separator assign; source: e source; script: f file E exec i include; code: l load;
  others: /^-[fElie]|^--(?:file|exec|load|include|source)|^@load/
sed! gsed (text read) = unless: e f expression file; language: sed; codeAt: 0; others: /^-[nErsuz]*f|^--file/; stream: changed;
  source: e expression; text: l line-length; script: f file
sqlite3 duckdb (read text) = dashed; language: sql; codeAt: 1; interactive; source: cmd; script: init; text: separator newline nullvalue
mysql mariadb (text) = language: sql; interactive; others: /^--defaults/;
  source: e execute init-command; text: host port user database; code: pager; write: tee
psql usql (text) = language: sql; interactive; others: /^-f|^--file/;
  source: c command; script: f file; text: host port username dbname; write: o output L log-file
dc (read) = source: e expression; script: f file; language: escape; interactive
bc (read) = text: e expression; read: f file
`,
  {
    'python*': module,
    'node deno': ourMain,
    // <> opens what its operands name, and runs what a bar makes a command
    'perl*': { codes: (call) => piped(textsOf(call)) },
    psql: { codes: (call) => piped(valuesOfOption(call, 'o output')) },
    // -s FILE holds keys to be typed, unless it stands for silence
    vi: (call) =>
      when(call.arguments.some(({ kind }) => kind === 'script') || (has(call, 's') && !has(call, 'e E')), hidden),
    'awk sed': filters,
  },
)
