/** Programs that read files and print, or look for text. */
import { valuesOf } from '../shell/script.ts'
import type { Effect } from './effect.ts'
import { pathOf, plainPath } from './paths.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

const files = { operands: 'read', others: null } as const

// a search in what `ps` prints finds processes
const searches = (call: Call): Effect[] =>
  call.command.pipedFrom === null
    ? []
    : [{ does: 'finds', target: { by: 'line', texts: operandTexts(call).slice(0, has(call, 'e regexp') ? 0 : 1) } }]

const folderOf = (path: string) => (path.includes('/') ? path.replace(/\/+[^/]*\/*$/, '') || '/' : '.')

const greps = {
  operands: 'text read',
  unless: 'e f regexp file files',
  others: null,
  stream: 'names',
  effects: searches,
} as const

export const text: readonly Program[] = [
  { ...files, names: 'cat', stream: 'same', passes: 'alone' },
  { ...files, names: 'tac shuf', options: { text: 'n i head-count' }, stream: 'same' },
  { ...files, names: 'head tail', options: { text: 'n c lines bytes' }, stream: 'same' },
  {
    ...files,
    names:
      'nl rev strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum xxd od hexdump base64 base32 comm fold fmt tree zcat zless zmore bzcat xzcat zstdcat lzcat hd look tsort pr expand unexpand ptx jpegtran identify lsattr getfacl iconv dos2unix unix2dos catdoc pdftotext',
    options: { text: 'n c w s t f format' },
  },
  { ...files, names: 'column', options: { text: 'c s o N' } },
  { names: 'bat batcat', operands: 'read', options: { text: 'l r n theme paging style color', code: 'pager' } },
  { names: 'nm objdump readelf size', operands: 'read', options: { text: 'j M m' }, others: /^--plugin|^@/ },
  {
    names: 'xmllint xmlstarlet',
    operands: 'maybe',
    options: { text: 'xpath m v o i s u d r encode format', read: 'schema dtdvalid' },
    others: null,
  },
  { ...files, names: 'uniq', options: { text: 'f s w skip-fields skip-chars check-chars' }, stream: 'same' },
  {
    ...files,
    names: 'wc',
    prints: (words) => (words.every((word) => /^-[clmwL]+$/.test(word.literal ?? '')) ? ['1'] : null),
  },
  {
    names: 'less more most man info pg view rview',
    operands: 'maybe',
    options: { code: 'P pager preprocessor', text: 'x y z b h j prompt', read: 'k T t' },
    others: /^\+|^-[okPKHC]|^--(?:html|browser|lesskey|restore|init|config)/,
  },
  {
    names: 'readlink realpath stat du df',
    operands: 'name',
    options: { text: 'c d format max-depth exclude', list: 'files0-from files-from' },
    others: null,
  },
  {
    names: 'file',
    operands: 'name',
    options: { text: 'F e P', list: 'f files-from', read: 'm magic-file' },
    others: null,
  },
  { ...files, names: 'diff cmp', options: { text: 'U C I F x W' } },
  {
    names: 'ls dir vdir',
    operands: 'name',
    others: null,
    stream: 'names',
    options: { text: 'I T w color time-style ignore block-size' },
    prints: (words) => (words.every((word) => /^(?:[\w*][\w.*-]*|-[adrtA1]+)$/.test(word.source)) ? ['./*'] : null),
    effects: (call) =>
      call.operands.length > 0
        ? call.operands.map((word) => ({ does: 'lists', path: pathOf(word, true), narrow: false }))
        : [
            {
              does: 'lists',
              path: plainPath('.'),
              narrow: false,
            },
          ],
  },
  {
    names: 'basename',
    operands: 'text',
    others: null,
    prints: ([word]) =>
      (word && valuesOf(word)?.map((path) => path.replace(/\/+$/, '').replace(/^.*\//, '') || '/')) ?? null,
  },
  {
    names: 'dirname',
    operands: 'text',
    others: null,
    prints: (words) => (words.length === 1 ? (valuesOf(words[0]!)?.map(folderOf) ?? null) : null),
  },
  {
    names: 'cut paste',
    operands: 'read',
    others: null,
    stream: 'changed',
    options: { text: 'd f c b delimiter delimiters fields characters bytes output-delimiter' },
  },
  { names: 'tr', operands: 'text', others: null, stream: 'changed' },
  { names: 'join', ...files, options: { text: 't o j 1 2 e' } },
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
    names: 'grep egrep fgrep zgrep ggrep',
    options: {
      text: 'e A B C m D d regexp after-context before-context context max-count include exclude color',
      read: 'f file exclude-from',
    },
    ...greps,
  },
  {
    ...greps,
    names: 'rg ugrep ag ack',
    options: {
      text: 'e A B C m g t T j M r regexp glob type iglob max-count context type-add type-not color sort max-depth hostname',
      read: 'f file ignore-file',
      code: 'pre pager hostname-bin filter',
    },
    others: undefined,
  },
  {
    names: 'jq yq gojq jaq',
    operands: 'text read',
    unless: 'f from-file',
    options: { text: 'arg argjson indent tab', read: 'f L from-file slurpfile rawfile' },
    others: null,
  },
  {
    names: 'date',
    operands: 'text',
    options: { text: 'd s date set', read: 'f r file reference' },
    others: null,
    prints: (words) => {
      const texts = words.map((word) => (valuesOf(word)?.length === 1 ? valuesOf(word)![0]! : null))
      if (texts.includes(null)) return null
      const format = texts.find((one) => one!.startsWith('+'))
      return [format?.slice(1).replace(/%[-_^#0-9:]*./g, '1') ?? '2026-01-01']
    },
    effects: (call) => (has(call, 's set') ? [{ does: 'changes' }] : []),
  },
]
