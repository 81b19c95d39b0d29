/** Programs that read files and print, or look for text. */
import { soleOf, valuesOf, type Word } from '../script/script.ts'
import { changes, type Effect, finds, when } from './effect.ts'
import { orHere, pathOf, readWhole } from './paths.ts'
import { type Call, has, textsOf, valuesOfOption } from './program.ts'
import { readTable } from './table.ts'

// a search in what `ps` prints finds processes
function searches(call: Call): readonly Effect[] {
  const texts = textsOf(call).slice(0, has(call, 'e regexp') ? 0 : 1)
  return when(call.command.pipedFrom !== null, finds('line', texts))
}

const lists = ({ operands }: Call): readonly Effect[] =>
  orHere(operands).map((word) => ({ does: 'lists', path: pathOf(word), narrow: false }))

// the files that a search looks into, where it looks into all that lie below
function searched(call: Call): readonly Effect[] {
  const files = call.operands.slice(has(call, 'e regexp f file files') ? 0 : 1)
  const only = valuesOfOption(call, 'include g glob iglob').filter((glob) => !glob.startsWith('!'))
  const not = valuesOfOption(call, 'g glob iglob').filter((glob) => glob.startsWith('!'))
  const except = [...valuesOfOption(call, 'exclude exclude-dir ignore-dir ignore'), ...not.map((glob) => glob.slice(1))]
  return readWhole(orHere(files), { ...(only.length > 0 ? { only } : {}), except })
}

const isRecursive = (call: Call) =>
  call.command.name === 'rgrep' ||
  has(call, 'r R recursive dereference-recursive') ||
  valuesOfOption(call, 'd directories').includes('recurse')

const grep = (call: Call) => [...searches(call), ...(isRecursive(call) ? searched(call) : [])]

// they leave hidden files alone unless they are told otherwise; what a glob names is searched
const looksEverywhere = (call: Call) =>
  has(call, 'hidden . unrestricted') ||
  call.options.filter(({ name }) => name === 'u').length > (call.command.name === 'rg' ? 1 : 0) ||
  valuesOfOption(call, 'g glob iglob').some((glob) => !glob.startsWith('!'))
const search = (call: Call) => [
  ...searches(call),
  ...(call.command.name === 'ack' || looksEverywhere(call) ? searched(call) : []),
]
const compare = (call: Call) => (has(call, 'r recursive') ? readWhole(call.operands) : [])

const leafOf = (path: string) => path.replace(/\/+$/, '').replace(/^.*\//, '') || '/'
const folderOf = (path: string) => (path.includes('/') ? path.replace(/\/+[^/]*\/*$/, '') || '/' : '.')
const ofPath =
  (part: (path: string) => string) =>
  ([word]: readonly Word[]) =>
    (word && valuesOf(word)?.map(part)) ?? null

function dateIn(given: readonly Word[]): string[] | null {
  const texts = given.map(soleOf)
  if (texts.includes(null)) return null
  const format = texts.find((one) => one!.startsWith('+'))
  return [format?.slice(1).replace(/%[-_^#0-9:]*./g, '1') ?? '2026-01-01']
}

// --slurpfile NAME FILE
const named = ({ words }: Call): readonly Effect[] =>
  words
    .filter((_, at) => /^--(?:slurp|raw)file$/.test(words[at - 2]?.literal ?? ''))
    .map((word) => ({ does: 'reads', path: pathOf(word) }))

const allLike = (given: readonly Word[], pattern: RegExp) => given.every(({ source }) => pattern.test(source))

export const text = readTable(
  String.raw`
cat! (read) = plain; stream: same; passes: alone
tac shuf (read) = plain; text: n i head-count; stream: same
head! tail! (read) = plain; text: n c lines bytes; stream: same
nl rev strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum xxd od hexdump base64 base32 comm fold fmt tree zcat zless zmore bzcat xzcat zstdcat lzcat hd look tsort pr expand unexpand ptx jpegtran identify lsattr getfacl iconv dos2unix unix2dos catdoc pdftotext (read) = plain
column (read) = plain; text: c s o N
bat batcat (read) = text: l r theme paging style color; code: pager
nm objdump readelf size (read) = others: /^--plugin|^@/
xmllint = plain; text: xpath encode; read: schema dtdvalid; write: o output
xmlstarlet = plain
  > el
  > * = text: m v o i s u d r
uniq (read) = plain; stream: same; text: f s w skip-fields skip-chars check-chars
wc (read) = plain
less more most man info pg = code: P pager preprocessor; text: x y z b h j prompt; read: k T t;
  others: /^\+|^-[okPKHC]|^--(?:html|browser|lesskey|restore|init|config)/
readlink realpath du df (name) = plain; text: d max-depth exclude; list: files0-from files-from
stat (name) = text: c format printf; plain
file (name) = plain; text: F e P; list: f files-from; read: m magic-file
diff cmp (read) = plain; text: U C I F x W
ls! dir vdir (name) = plain; stream: names; text: I T w color time-style ignore block-size
basename (text) = plain
dirname (text) = plain
cut paste (read) = plain; stream: changed; text: d f c b delimiter delimiters fields characters bytes output-delimiter
tr (text) = plain; stream: changed
join (read) = plain; text: t o j 1 2 e
sort (read) = stream: same;
  text: t k S field-separator key parallel buffer-size batch-size; write: o output T temporary-directory; code: compress-program; list: files0-from
grep! egrep fgrep zgrep ggrep rgrep (text read) = unless: e f regexp file files; stream: names; plain;
  text: e A B C m D d regexp after-context before-context context max-count include exclude exclude-dir directories color; read: f file exclude-from
ugrep ag ack (text read) = unless: e f regexp file files; stream: names;
  text: e A B C m regexp; read: f file ignore-file exclude-from; code: pre pager filter
rg (text read) = unless: e f regexp file files; stream: names;
  text: e A B C m g t T j M r regexp glob type iglob max-count context type-add type-not color sort max-depth hostname; read: f file ignore-file; code: pre pager hostname-bin filter
jq yq gojq jaq (text read) = unless: f from-file; plain; text: arg argjson indent; read: f L from-file
date (text) = plain; text: d s date set; read: f r file reference
`,
  {
    wc: { prints: (given) => (allLike(given, /^-[clmwL]+$/) ? ['1'] : null) },
    ls: {
      prints: (given) => (allLike(given, /^(?:[\w*][\w.*-]*|-[adrtA1]+)$/) ? ['./*'] : null),
      effects: lists,
    },
    basename: { prints: ofPath(leafOf) },
    dirname: { prints: (given) => (given.length === 1 ? ofPath(folderOf)(given) : null) },
    grep,
    'ugrep rg': search,
    diff: compare,
    jq: named,
    date: { prints: dateIn, effects: (call) => when(has(call, 's set'), changes) },
  },
)
