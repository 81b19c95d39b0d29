/** Programs that read files and print them, or search for text. */
import { soleOf, valuesOf, type Word } from '../script/script.ts'
import { changes, type Effect, finds, when } from './effect.ts'
import { orHere, pathOf, readWhole } from './paths.ts'
import { type Call, has, textsOf, valuesOfOption } from './program.ts'
import { table } from './table.ts'

// a search in the output of `ps` finds processes
function searches(call: Call): readonly Effect[] {
  const texts = textsOf(call).slice(0, has(call, 'e regexp') ? 0 : 1)
  return when(call.command.pipedFrom !== null, finds('line', texts))
}

const lists = ({ operands }: Call): readonly Effect[] =>
  orHere(operands).map((word) => ({ does: 'lists', path: pathOf(word), narrow: false }))

// the files that a recursive search reads
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

// rg, ag and ugrep skip hidden files unless an option includes them; a glob includes the files that it matches
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

export const text = table([
  { names: 'cat!', operands: 'read', plain: true, stream: 'same', passesInput: 'alone' },
  { names: 'tac shuf', operands: 'read', plain: true, stream: 'same', options: { text: 'n i head-count' } },
  { names: 'head! tail!', operands: 'read', plain: true, stream: 'same', options: { text: 'n c lines bytes' } },
  {
    names: `
      nl rev strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum xxd od hexdump
      base64 base32 comm fold fmt tree zcat zless zmore bzcat xzcat zstdcat lzcat hd look tsort pr expand
      unexpand ptx jpegtran identify lsattr getfacl iconv dos2unix unix2dos catdoc pdftotext
    `,
    operands: 'read',
    plain: true,
  },
  { names: 'column', operands: 'read', plain: true, options: { text: 'c s o N' } },
  { names: 'bat batcat', operands: 'read', options: { text: 'l r theme paging style color', code: 'pager' } },
  { names: 'nm objdump readelf size', operands: 'read', startsOthers: /^--plugin|^@/ },
  { names: 'xmllint', plain: true, options: { text: 'xpath encode', read: 'schema dtdvalid', write: 'o output' } },
  { names: 'xmlstarlet', plain: true, verbs: { el: {}, '*': { text: 'm v o i s u d r' } } },
  {
    names: 'uniq',
    operands: 'read',
    plain: true,
    stream: 'same',
    options: { text: 'f s w skip-fields skip-chars check-chars' },
  },
  { names: 'wc', operands: 'read', plain: true, prints: (given) => (allLike(given, /^-[clmwL]+$/) ? ['1'] : null) },
  {
    names: 'less more most man info pg',
    startsOthers: /^\+|^-[okPKHC]|^--(?:html|browser|lesskey|restore|init|config)/,
    options: { code: 'P pager preprocessor', text: 'x y z b h j prompt', read: 'k T t' },
  },
  {
    names: 'readlink realpath du',
    operands: 'name',
    plain: true,
    options: { text: 'd max-depth exclude', list: 'files0-from files-from' },
  },
  { names: 'df', operands: 'name', plain: true, stream: 'devices', options: { text: 'B t x block-size type output?' } },
  { names: 'stat', operands: 'name', plain: true, options: { text: 'c format printf' } },
  {
    names: 'file',
    operands: 'name',
    plain: true,
    options: { text: 'F e P', list: 'f files-from', read: 'm magic-file' },
  },
  { names: 'diff cmp', operands: 'read', plain: true, options: { text: 'U C I F x W' }, effects: compare },
  {
    names: 'ls! dir vdir',
    operands: 'name',
    plain: true,
    stream: 'names',
    options: { text: 'I T w color time-style ignore block-size' },
    prints: (given) => (allLike(given, /^(?:[\w*][\w.*-]*|-[adrtA1]+)$/) ? ['./*'] : null),
    effects: lists,
  },
  { names: 'basename', operands: 'text', plain: true, prints: ofPath(leafOf) },
  {
    names: 'dirname',
    operands: 'text',
    plain: true,
    prints: (given) => (given.length === 1 ? ofPath(folderOf)(given) : null),
  },
  {
    names: 'cut paste',
    operands: 'read',
    plain: true,
    stream: 'changed',
    options: { text: 'd f c b delimiter delimiters fields characters bytes output-delimiter' },
  },
  { names: 'tr', operands: 'text', plain: true, stream: 'changed' },
  { names: 'join', operands: 'read', plain: true, options: { text: 't o j 1 2 e' } },
  {
    names: 'sort',
    operands: 'read',
    stream: 'same',
    options: {
      text: 't k S field-separator key parallel buffer-size batch-size',
      write: 'o output T temporary-directory',
      code: 'compress-program',
      list: 'files0-from',
    },
  },
  {
    names: 'grep! egrep fgrep zgrep ggrep rgrep',
    operands: 'text read',
    unless: 'e f regexp file files',
    stream: 'names',
    plain: true,
    options: {
      text: `
        e A B C m D d regexp after-context before-context context max-count include exclude exclude-dir
        directories color
      `,
      read: 'f file exclude-from',
    },
    effects: grep,
  },
  {
    names: 'ugrep ag ack',
    operands: 'text read',
    unless: 'e f regexp file files',
    stream: 'names',
    options: { text: 'e A B C m regexp', read: 'f file ignore-file exclude-from', code: 'pre pager filter' },
    addsWords: 'pre',
    effects: search,
  },
  {
    names: 'rg',
    operands: 'text read',
    unless: 'e f regexp file files',
    stream: 'names',
    options: {
      text: `
        e A B C m g t T j M r regexp glob type iglob max-count context type-add type-not color sort max-depth
        hostname
      `,
      read: 'f file ignore-file',
      code: 'pre pager hostname-bin filter',
    },
    addsWords: 'pre',
    effects: search,
  },
  {
    names: 'jq yq gojq jaq',
    operands: 'text read',
    unless: 'f from-file',
    plain: true,
    options: { text: 'arg argjson indent', read: 'f L from-file' },
    effects: named,
  },
  {
    names: 'date',
    operands: 'text',
    plain: true,
    options: { text: 'd s date set', read: 'f r file reference' },
    prints: dateIn,
    effects: (call) => when(has(call, 's set'), changes),
  },
])
