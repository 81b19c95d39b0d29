/** Programs that read files and print, or look for text. */
import { valuesOf, type Word } from '../shell/script.ts'
import { changes, type Effect, finds, when } from './effect.ts'
import { pathOf, plainPath } from './paths.ts'
import { type Call, files, has, type Rows, textsOf, words } from './program.ts'

// a search in what `ps` prints finds processes
const searches = (call: Call): readonly Effect[] => {
  const texts = textsOf(call).slice(0, has(call, 'e regexp') ? 0 : 1)
  return when(call.command.pipedFrom !== null, finds('line', texts))
}
const greps = {
  operands: 'text read',
  unless: 'e f regexp file files',
  stream: 'names',
  effects: searches,
} as const

const lists = ({ operands }: Call): readonly Effect[] =>
  (operands.length > 0 ? operands.map((word) => pathOf(word)) : [plainPath('.')]).map((path) => ({
    does: 'lists',
    path,
    narrow: false,
  }))

const leafOf = (path: string) => path.replace(/\/+$/, '').replace(/^.*\//, '') || '/'
const folderOf = (path: string) => (path.includes('/') ? path.replace(/\/+[^/]*\/*$/, '') || '/' : '.')
const ofPath =
  (part: (path: string) => string) =>
  ([word]: readonly Word[]) =>
    (word && valuesOf(word)?.map(part)) ?? null

function dateIn(given: readonly Word[]): string[] | null {
  const texts = given.map((word) => (valuesOf(word)?.length === 1 ? valuesOf(word)![0]! : null))
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

export const text: Rows = {
  'cat!': { ...files, stream: 'same', passes: 'alone' },
  'tac shuf': { ...files, options: 'text: n i head-count', stream: 'same' },
  'head! tail!': { ...files, options: 'text: n c lines bytes', stream: 'same' },
  // none of their options is worth a table: a value of one is a file that is not there
  'nl rev strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum xxd od hexdump base64 base32 comm fold fmt tree zcat zless zmore bzcat xzcat zstdcat lzcat hd look tsort pr expand unexpand ptx jpegtran identify lsattr getfacl iconv dos2unix unix2dos catdoc pdftotext':
    files,
  column: { ...files, options: 'text: c s o N' },
  'bat batcat': { operands: 'read', options: 'text: l r theme paging style color; code: pager' },
  'nm objdump readelf size': { operands: 'read', others: /^--plugin|^@/ },
  xmllint: { options: 'text: xpath encode; read: schema dtdvalid; write: o output', others: null },
  xmlstarlet: { verbs: { el: '', '*': 'text: m v o i s u d r' }, others: null },
  uniq: { ...files, options: 'text: f s w skip-fields skip-chars check-chars', stream: 'same' },
  wc: { ...files, prints: (given) => (allLike(given, /^-[clmwL]+$/) ? ['1'] : null) },
  'less more most man info pg': {
    options: 'code: P pager preprocessor; text: x y z b h j prompt; read: k T t',
    others: /^\+|^-[okPKHC]|^--(?:html|browser|lesskey|restore|init|config)/,
  },
  'readlink realpath du df': {
    operands: 'name',
    options: 'text: d max-depth exclude; list: files0-from files-from',
    others: null,
  },
  stat: { operands: 'name', options: 'text: c format printf', others: null },
  file: { operands: 'name', options: 'text: F e P; list: f files-from; read: m magic-file', others: null },
  'diff cmp': { ...files, options: 'text: U C I F x W' },
  'ls! dir vdir': {
    operands: 'name',
    others: null,
    stream: 'names',
    options: 'text: I T w color time-style ignore block-size',
    prints: (given) => (allLike(given, /^(?:[\w*][\w.*-]*|-[adrtA1]+)$/) ? ['./*'] : null),
    effects: lists,
  },
  basename: { ...words, prints: ofPath(leafOf) },
  dirname: { ...words, prints: (given) => (given.length === 1 ? ofPath(folderOf)(given) : null) },
  'cut paste': {
    ...files,
    stream: 'changed',
    options: 'text: d f c b delimiter delimiters fields characters bytes output-delimiter',
  },
  tr: { ...words, stream: 'changed' },
  join: { ...files, options: 'text: t o j 1 2 e' },
  sort: {
    operands: 'read',
    stream: 'same',
    options:
      'text: t k S field-separator key parallel buffer-size batch-size; write: o output T temporary-directory; code: compress-program; list: files0-from',
  },
  'grep! egrep fgrep zgrep ggrep': {
    ...greps,
    options:
      'text: e A B C m D d regexp after-context before-context context max-count include exclude color; read: f file exclude-from',
    others: null,
  },
  'ugrep ag ack': {
    ...greps,
    options: 'text: e A B C m regexp; read: f file ignore-file exclude-from; code: pre pager filter',
  },
  rg: {
    ...greps,
    options:
      'text: e A B C m g t T j M r regexp glob type iglob max-count context type-add type-not color sort max-depth hostname; read: f file ignore-file; code: pre pager hostname-bin filter',
  },
  'jq yq gojq jaq': {
    operands: 'text read',
    unless: 'f from-file',
    options: 'text: arg argjson indent; read: f L from-file',
    others: null,
    effects: named,
  },
  date: {
    ...words,
    options: 'text: d s date set; read: f r file reference',
    prints: dateIn,
    effects: (call) => when(has(call, 's set'), changes),
  },
}
