import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { FileSearchResult } from '../../src/shared/schema/index.ts'
import { type Service, startService, wants } from '../support/helper.ts'
import { newFolder } from '../support/folders.ts'

wants(t, spawnSync('rg', ['--version']).status === 0 ? null : 'ripgrep is not installed (apt-get install ripgrep)')

const KELVIN = '\u212a'
const LONG_S = '\u017f'
const folder = newFolder(t, 'preselect')
const tree = join(folder, 'tree')
/** A line of 2000 characters that only the cut ends after `needle`. */
const cutLine = `${'x'.repeat(1994)}needletail`

const files: [name: string, content: string | Buffer][] = [
  ['plain.txt', 'a needle in here\nfoo(bar) { baz }\nNEEDLE\n\tindented 1234-56\nend of line\n'],
  ['crlf.txt', 'a needle\r\nends here\r\nneedle\r\n'],
  ['invalid.txt', Buffer.from('caf\xe9 needle\nx\xffy\nnee\xffdle\n\xe2\x82needle\n', 'latin1')],
  ['late-nul.txt', `${'line\n'.repeat(2000)}needle\0 late\n`],
  ['early-nul.bin', 'needle\0\n'],
  ['long.txt', `${cutLine}\n${'y'.repeat(2100)}needle\n${'é'.repeat(1997)}needle\n`],
  ['bom.txt', '\ufeffneedle at the start\nneedle\n'],
  ['utf16-bom.txt', Buffer.from([0xff, 0xfe, ...Buffer.from('needle and more\n')])],
  ['kelvin.txt', `${KELVIN}elvin and mas${LONG_S}\n273 ${KELVIN}\nkelvin mass\n`],
  ['unicode.txt', 'naïve ÉCOLE école 😀x needle\n日本語\nß straße\nx\u00a0needle\n'],
  ['.hidden', 'needle\n'],
  ['.gitignore', 'ignored*\n'],
  ['ignored.txt', 'needle\n'],
  ['empty', ''],
  ['no-end', 'needle'],
  ['only-lines', '\n\n\r\n'],
  ['-e', 'needle of a dash\n'],
  ['new\nline', 'needle of a newline\n'],
  [`quote' "$(x)\\`, 'needle of quotes\n'],
  ['unreadable', 'needle\n'],
  ['deep/a/b/c.ts', 'import { needle } from "x"\nconst needles = [needle_1, needle_2]\n'],
  ['deep/z.ts', 'export function needle() {}\na.b.c a+b [x] ^y $z |w\n'],
  ['tab\\file', 'one\ttwo needle\x0bthree\x0cfour\n'],
  ['large', Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(16_777_216, 'x\n')])],
  ...Array.from({ length: 80 }, (_, at): [string, string] => [`more/${at}.txt`, `line ${at}\nno match, ${at * 7}\n`]),
]

const rgOf = (name: string, script: string) => {
  const bin = join(folder, name)
  fs.mkdirSync(bin)
  fs.writeFileSync(join(bin, 'rg'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return bin
}
const start = async (PATH: string) => {
  const service = await startService({ env: { PATH, PREFIX: '' } })
  t.teardown(() => service.stop())
  return service
}

let without: Service
let withRg: Service
/** Its ripgrep claims that no file matches, so that a search finds nothing if it relies on ripgrep. */
let withLiar: Service

t.before(async () => {
  for (const [name, content] of files) {
    const path = join(tree, name)
    fs.mkdirSync(join(path, '..'), { recursive: true })
    fs.writeFileSync(path, content)
  }
  fs.chmodSync(join(tree, 'unreadable'), 0)
  fs.symlinkSync('plain.txt', join(tree, 'link.txt'))
  fs.symlinkSync('/etc', join(tree, 'link'))
  fs.writeFileSync(Buffer.concat([Buffer.from(`${tree}/bad-`), Buffer.from([0xff])]), 'needle\n')
  without = await start(join(folder, 'nothing'))
  withRg = await start(process.env.PATH!)
  withLiar = await start(`${rgOf('liar', String.raw`printf '<stdin>\0'`)}:${process.env.PATH}`)
})

interface Query {
  pattern: string
  ignore_case?: boolean
  glob?: string
  limit?: number
  context?: number
}
const search = async (service: Service, query: Query): Promise<FileSearchResult> =>
  (await (await service.post('/files/search', { path: tree, ...query })).json()) as FileSearchResult

/** Patterns that ripgrep preselects for. Each matches in at least one line. */
const preselected = [
  'needle',
  'NEEDLE',
  '(?i)needle',
  '^needle',
  'needle$',
  '^needle$',
  'x{5}needle$',
  'needl.$',
  String.raw`\bneedle\b`,
  String.raw`needle\b`,
  String.raw`dle\B`,
  'nee.dle',
  'x.y',
  'e.{0,4}needle',
  '.{5,}needle',
  'n[e]{2}dle',
  'nee[a-f]le',
  'nee[^x]le',
  String.raw`nee[^\n]?dle`,
  String.raw`nee[\w-]le`,
  String.raw`needle_\d`,
  String.raw`\d{4}-\d\d`,
  String.raw`needle\s`,
  String.raw`\sneedle`,
  String.raw`two needle\Wthree`,
  String.raw`x\Sneedle`,
  'needle|ends',
  '(?:needle|café) in',
  '(foo|bar)\\(',
  'foo(.*)baz',
  '(needle)?ends',
  'needles?',
  'needle+?',
  'bar\\) { baz',
  'bar\\) { baz }',
  String.raw`a\.b\.c`,
  String.raw`a\+b \[x\] \^y \$z \|w`,
  String.raw`\tindented`,
  'école',
  '日本',
  '😀x',
  '😀..needle',
  'x.needle',
  'caf.',
  'caf. needle',
  'of a (?:dash|newline)',
  String.raw`needle\z`,
]
const preselectedIgnoringCase = [
  'needle',
  'kelvin',
  'KELVIN',
  'mass',
  '[k]elvin',
  'ma[s]s?',
  'ma[r-t]+',
  String.raw`\welvin`,
  String.raw`273 \w`,
  '[^x]elvin',
  'nEEd[A-Z]e',
  'needle|ends',
]
/** Patterns for which every file is read: the meaning may differ, or almost every file would match. */
const others = [
  '.',
  '.*',
  '.+',
  'n',
  '^$',
  '^',
  String.raw`\w+`,
  '(needle)?',
  'needle|',
  'needle|x*',
  '\ufffd',
  'caf\ufffd needle',
  String.raw`\x6eeedle`,
  String.raw`\Qneedle\E`,
  String.raw`\pLeedle`,
  '[[:alpha:]]eedle',
  '[é]cole',
  '(?s)needle.',
  '(?P<name>needle)',
  'nee(?i:D)le',
  String.raw`needle\x20`,
  String.raw`[\x6e]eedle`,
  '[]n]eedle',
]
const othersIgnoringCase = ['école', '日本', 'n', 'ß s']

const table: [query: Query, isPreselected: boolean][] = [
  ...preselected.map((pattern): [Query, boolean] => [{ pattern }, true]),
  ...preselectedIgnoringCase.map((pattern): [Query, boolean] => [{ pattern, ignore_case: true }, true]),
  ...others.map((pattern): [Query, boolean] => [{ pattern }, false]),
  ...othersIgnoringCase.map((pattern): [Query, boolean] => [{ pattern, ignore_case: true }, false]),
]

t.test('finds the same with ripgrep, and relies on it only where it cannot miss a match', async (t) => {
  for (const [query, isPreselected] of table) {
    const name = JSON.stringify(query)
    const expected = await search(without, query)
    t.ok(expected.found > 0, `${name} matches`)
    t.same(await search(withRg, query), expected, name)
    const { found } = await search(withLiar, query)
    t.equal(found === 0, isPreselected, `${name}: ${isPreselected ? 'preselected' : 'all files are read'}`)
  }
})

t.test('counts and cuts the same at limits, with context and with globs', async (t) => {
  const queries: Query[] = [
    ...[1, 2, 5, 9].map((limit) => ({ pattern: 'needle', limit })),
    { pattern: 'needle', context: 2 },
    { pattern: 'needle', glob: '*.txt' },
    { pattern: 'needle', glob: '!*.txt' },
    { pattern: 'needle', glob: '.*' },
    { pattern: 'needle', glob: 'deep/**' },
    { pattern: 'no match, 49', context: 1 },
  ]
  for (const query of queries) {
    const expected = await search(without, query)
    t.ok(expected.found > 0)
    t.same(await search(withRg, query), expected, JSON.stringify(query))
  }
  const { skipped, files: searched } = await search(withRg, { pattern: 'never there' })
  const expected = await search(without, { pattern: 'never there' })
  t.same({ skipped, files: searched }, { skipped: expected.skipped, files: expected.files })
  t.ok(skipped > 0, 'files that are too large are skipped')
})

t.test('reads every file if ripgrep fails', async (t) => {
  const scripts = {
    fails: 'exit 2',
    'finds nothing': 'exit 1',
    'prints nothing': 'exit 0',
    dies: 'kill -9 $$',
    hangs: 'while :; do :; done',
    'prints half a name': String.raw`printf '<stdin>\0./plain'`,
    'prints another name': String.raw`printf '<stdin>\0./other\0'`,
    'prints a name without its start': String.raw`printf '<stdin>\0plain.txt\0'`,
    'prints lines': 'echo plain.txt',
    'prints without end': 'while :; do echo garbage; done',
    'fails at the end': String.raw`printf '<stdin>\0'; exit 2`,
    'is no program': '#!/missing/interpreter',
  }
  const expected = await search(without, { pattern: 'needle' })
  const bin = rgOf('faulty', 'exit 2')
  const service = await start(`${bin}:${process.env.PATH}`)
  for (const [name, script] of Object.entries(scripts)) {
    fs.writeFileSync(join(bin, 'rg'), script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`)
    t.same(await search(service, { pattern: 'needle' }), expected, name)
  }
})

t.test('a search that stops at its limit leaves no directory open', async (t) => {
  const before = withRg.descriptors().length
  for (let at = 0; at < 20; at++) await search(withRg, { pattern: 'n', limit: 1 })
  t.ok(withRg.descriptors().length < before + 10, 'closes the directories')
})
