import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { contentHash } from '../../../src/server/files/index.ts'
import type { ExecRecord, FileReadResult } from '../../../src/shared/schema/index.ts'
import { type Service, startService } from '../../support/helper.ts'
import { newFolder, partsIn } from '../../support/folders.ts'
import { mountSmall } from '../../support/small-disk.ts'

let service: Service
let folder: string
t.before(async () => {
  service = await startService()
  folder = newFolder(t, 'file-tools')
})
t.teardown(() => service.stop())

const put = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  fs.writeFileSync(path, content)
  return path
}
const text = (path: string) => fs.readFileSync(path, 'utf8')
const hashOf = (content: string | Buffer) => contentHash(Buffer.from(content))
const query = (more: Record<string, string>) => `/files?${new URLSearchParams(more)}`

interface Reply {
  status: number
  headers: Headers
  body: Record<string, unknown> & { error?: { type: string; message: string; field?: string } }
}

const replyOf = async (response: Response): Promise<Reply> => {
  const said = await response.text()
  return { status: response.status, headers: response.headers, body: said ? JSON.parse(said) : {} }
}
const read = async (path: string, lines = '1-') => replyOf(await service.request(query({ path, lines })))
const edit = async (body: object) => replyOf(await service.post('/files/edit', body))
const search = async (body: object) => replyOf(await service.post('/files/search', body))
const write = async (path: string, body: string | Buffer, if_hash: string) =>
  replyOf(await service.request(query({ path, if_hash }), { method: 'PUT', body }))

t.test('reads numbered lines with the hash of the whole file', async (t) => {
  const path = put('three', 'one\ntwo\nthree\n')
  const whole = await read(path)
  t.equal(whole.status, 200)
  t.same(whole.body, {
    path,
    text: '     1\tone\n     2\ttwo\n     3\tthree\n',
    hash: hashOf('one\ntwo\nthree\n'),
    lines: 3,
    next: null,
    truncated: false,
    eol: 'lf',
  })
  t.match((await read(path, '2')).body, { text: '     2\ttwo\n', next: 3, truncated: true, lines: 3 })
  t.match((await read(path, '2-3')).body, { text: '     2\ttwo\n     3\tthree\n', next: null, truncated: false })
  t.match((await read(path, '9-')).body, { text: '', lines: 3, next: null })
  const run = (await (await service.request(`/runs/${whole.headers.get('run-id')}`)).json()) as ExecRecord
  t.match(run, { status: 'completed', exit_code: 0, command: `cat '${path}'`, via: 'GET /files', dialect: 'files' })
  t.match(
    run.stdout,
    /^ {5}1\tone\n.*\[lines 1 to 3 of 3, lf, hash sha256:[0-9a-f]{16}\]\n$/s,
    'the text is its stdout',
  )
})

t.test('shows line endings, long lines and odd files', async (t) => {
  const long = 'é'.repeat(5000)
  const rows: [name: string, content: string | Buffer, expected: Partial<FileReadResult>][] = [
    ['empty', '', { text: '', lines: 0, eol: null, truncated: false }],
    ['crlf', 'a\r\nb\r\n', { text: '     1\ta\n     2\tb\n', eol: 'crlf', lines: 2 }],
    ['mixed', 'a\r\nb\n', { text: '     1\ta\r\n     2\tb\n', eol: 'mixed' }],
    ['only a CR', '\r', { text: '     1\t\r\n', eol: null, lines: 1 }],
    ['only a BOM', '\ufeff', { text: '     1\t\n', eol: null, lines: 1 }],
    ['no end', 'a\nb', { text: '     1\ta\n     2\tb\n', lines: 2 }],
    ['long', `${long}\nb\n`, { text: `     1\t${'é'.repeat(2000)}…\n     2\tb\n`, truncated: true, next: null }],
  ]
  for (const [name, content, expected] of rows) {
    t.match((await read(put(name.replaceAll(' ', '-'), content))).body, { ...expected, hash: hashOf(content) }, name)
  }
})

t.test('limits an answer to 100 kB, and says where to continue', async (t) => {
  const path = put('big', `${'x'.repeat(99)}\n`.repeat(5000))
  const { body } = await read(path)
  t.match(body, { truncated: true, lines: 5000 })
  const first = body as unknown as FileReadResult
  t.ok(Buffer.byteLength(first.text) <= 110_000 && first.next! > 900, `continues at ${first.next}`)
  t.match((await read(path, `${first.next}-`)).body.text, new RegExp(`^ *${first.next}\\t`))
})

t.test('refuses what contains no text', async (t) => {
  const fifo = join(folder, 'fifo')
  spawnSync('mkfifo', [fifo])
  fs.symlinkSync('loop', join(folder, 'loop'))
  const rows: [path: string, status: number, message: RegExp][] = [
    [put('binary', Buffer.from([65, 0, 66])), 415, /NUL character at byte 1/],
    [put('latin', Buffer.from('caf\xe9\n', 'latin1')), 415, /expected UTF-8 text/],
    [fifo, 400, /expected a file, got a fifo/],
    ['/dev/null', 400, /expected a file, got a character_device/],
    [join(folder, 'loop'), 409, /too many symbolic links/],
    [join(folder, 'missing'), 404, /no such file/],
    ['relative', 400, /expected an absolute path/],
    [`${folder}/../x`, 400, /without \.\./],
  ]
  for (const [path, status, message] of rows) {
    const reads = await read(path)
    t.equal(reads.status, status, `read ${path}`)
    t.match(reads.body.error?.message, message, path)
    const edits = await edit({ path, edits: [{ old: 'a', new: 'b' }] })
    t.equal(edits.status, status, `edit ${path}`)
    t.match(edits.body.error?.message, message, path)
  }
  t.equal((await edit({ path: folder, edits: [{ old: 'a', new: 'b' }] })).status, 400, 'a directory')
})

t.test('reads a growing file up to the size that it had', async (t) => {
  const lines = 1_000_000
  const path = put('growing', 'x\n'.repeat(lines))
  const growing = setInterval(() => fs.appendFileSync(path, 'more\n'.repeat(1000)), 1)
  const reads = await Promise.all([read(path, '999999-'), read(path, '1-1')])
  clearInterval(growing)
  for (const { status, body } of reads) {
    t.equal(status, 200)
    const bytes = 2 * lines + 'more\n'.length * (Number(body.lines) - lines)
    t.equal(body.hash, hashOf(fs.readFileSync(path).subarray(0, bytes)), `the hash of its ${body.lines} lines`)
  }
})

t.test('edits exactly what is named, and keeps mode, BOM and line endings', async (t) => {
  const path = put('edited', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n')
  fs.chmodSync(path, 0o640)
  const done = await edit({
    path,
    edits: [
      { old: 'six', new: '6' },
      { old: 'one\n', new: '' },
    ],
    if_hash: hashOf(text(path)),
  })
  t.equal(done.status, 200)
  t.equal(text(path), 'two\nthree\nfour\nfive\n6\nseven\n')
  t.match(done.body, { replaced: 2, hash: hashOf(text(path)) })
  t.equal(done.body.snippet, '     1\ttwo\n     2\tthree\n     3\tfour\n     4\tfive\n     5\t6\n     6\tseven\n')
  t.equal(fs.statSync(path).mode & 0o777, 0o640)
  const run = (await (await service.request(`/runs/${done.headers.get('run-id')}`)).json()) as ExecRecord
  t.match(run, { command: `sed -i '' '${path}'`, via: 'POST /files/edit', artifacts: [{ path }] })

  const rows: [what: string, before: string, edits: object[], after: string][] = [
    ['CRLF', 'a\r\nb\r\n', [{ old: 'a\nb', new: 'a\nc\nb' }], 'a\r\nc\r\nb\r\n'],
    ['CRLF, sent as such', 'a\r\nb\r\n', [{ old: 'a\r\nb', new: 'x\r\ny' }], 'x\r\ny\r\n'],
    ['mixed, byte for byte', 'a\r\nb\n', [{ old: 'a\r\nb', new: 'a\nb' }], 'a\nb\n'],
    ['a BOM', '\ufeffa\n', [{ old: 'a', new: 'b' }], '\ufeffb\n'],
    ['tabs', '\ta\n', [{ old: '\ta', new: '\tb' }], '\tb\n'],
    ['what a shell or sed would change', 'a\n', [{ old: 'a', new: '$1 & \\1 $& `b`' }], '$1 & \\1 $& `b`\n'],
    ['all', 'a.a.a', [{ old: 'a', new: 'aa', replace_all: true }], 'aa.aa.aa'],
    [
      'neighbours',
      'ab',
      [
        { old: 'b', new: 'B' },
        { old: 'a', new: 'A' },
      ],
      'AB',
    ],
    [
      'an edit does not match the text of another',
      'ab',
      [
        { old: 'a', new: 'b2' },
        { old: 'b', new: 'c' },
      ],
      'b2c',
    ],
  ]
  for (const [what, before, edits, after] of rows) {
    const path = put('row', before)
    t.equal((await edit({ path, edits })).status, 200, what)
    t.equal(text(path), after, what)
  }
})

t.test('refuses edits that do not apply, and leaves the file alone', async (t) => {
  const one = (old: string, more: object = {}) => [{ old, new: 'x', ...more }]
  const rows: [what: string, before: string, edits: object[], status: number, message: RegExp][] = [
    ['not found', 'a\n', one('b'), 409, /^edits\.0\.old: not found$/],
    ['other space', 'if (x) {\n  go\n', one('go\n}'), 409, /a line with the same words is at line 2/],
    ['twice', 'a\nb\na\n', one('a'), 409, /expected one match, found 2 times, at lines 1, 3;/],
    ['twice, overlapping', 'aaa', one('aa'), 409, /found 2 times, at lines 1, 1/],
    ['empty', 'a\n', one(''), 400, /edits\.0\.old: expected text, got nothing/],
    ['no change', 'x\n', one('x'), 400, /expected text that differs from new/],
    ['overlapping', 'abc', [...one('ab'), ...one('bc')], 409, /^edits\.1\.old: overlaps with edits\.0\.old at line 1/],
    ['the same twice', 'abc', [...one('b'), ...one('b')], 409, /overlaps/],
    ['only a BOM', '\ufeff', one('a'), 409, /not found/],
    ['only a CR', '\r', one('\n'), 409, /not found/],
    ['no edits', 'a', [], 400, /edits/],
    ['too many', 'a', Array(51).fill({ old: 'a', new: 'b' }), 400, /edits/],
    ['half a surrogate pair', 'a', [{ old: 'a', new: '\ud800' }], 400, /half of a surrogate pair/],
    ['an unknown field', 'a', [{ old: 'a', new: 'b', neww: 'c' }], 400, /edits\.0\.neww: unknown field/],
  ]
  for (const [what, before, edits, status, message] of rows) {
    const path = put('row', before)
    const reply = await edit({ path, edits })
    t.equal(reply.status, status, what)
    t.match(reply.body.error?.message, message, what)
    t.equal(text(path), before, what)
  }
  const path = put('row', 'a'.repeat(3_000_000))
  const grown = await edit({ path, edits: [{ old: 'a', new: 'bbb', replace_all: true }] })
  t.equal(grown.status, 409, 'more replacements than one request may make')
  const large = put('large', 'a'.repeat(6_000_000))
  t.equal((await edit({ path: large, edits: one('a') })).status, 413, 'a file that is too large')
  t.same(partsIn(folder), [])
})

t.test('changes a file only if it has the expected hash', async (t) => {
  const path = put('guarded', 'a\n')
  const stale = await edit({ path, edits: [{ old: 'a', new: 'b' }], if_hash: hashOf('old\n') })
  t.equal(stale.status, 412)
  t.match(stale.body.error, { type: 'precondition_failed', field: 'if_hash' })
  t.match(stale.body.error?.message, hashOf('a\n'), 'says which hash it has')
  t.equal((await write(path, 'b\n', hashOf('old\n'))).status, 412)
  t.equal((await write(path, 'b\n', 'none')).status, 412, 'the file exists')
  t.equal(text(path), 'a\n')
  const replaced = await write(path, 'b\n', hashOf('a\n'))
  t.equal(replaced.status, 204)
  t.equal(replaced.headers.get('file-hash'), hashOf('b\n'))
  const fresh = join(folder, 'fresh')
  t.equal((await write(fresh, 'new', hashOf('new'))).status, 412, 'no such file')
  t.equal((await write(fresh, 'new', 'none')).status, 201)
  t.equal(text(fresh), 'new')
  t.equal((await write(fresh, Buffer.alloc(5_242_881), hashOf('new'))).status, 413)
  t.equal((await write(join(folder, 'no', 'x'), 'x', 'none')).status, 404, 'no such directory')
  t.equal((await write(path, 'b\n', 'sha256:1')).status, 400)
  const tar = { 'content-type': 'application/x-tar' }
  const archive = await service.request(query({ path, if_hash: 'none' }), { method: 'PUT', body: 'x', headers: tar })
  t.equal(archive.status, 400)
})

t.test('leaves the old file when the disk is full', async (t) => {
  const small = join(folder, 'small')
  fs.mkdirSync(small)
  const skip = mountSmall(t, small)
  if (skip !== null) return t.pass('full', { skip })
  const path = join(small, 'file')
  fs.writeFileSync(path, `a${'x'.repeat(600_000)}`)
  const reply = await edit({ path, edits: [{ old: 'a', new: 'b' }] })
  t.equal(reply.status, 507)
  t.match(reply.body.error?.message, /the disk is full; the existing file is unchanged/)
  t.match(text(path), /^ax/)
  t.same(partsIn(small), [])
})

t.test('searches files for a pattern, and lists them', async (t) => {
  const root = join(folder, 'tree')
  for (const name of ['.git', 'src/deep', 'node_modules/x']) fs.mkdirSync(join(root, name), { recursive: true })
  const files: Record<string, string> = {
    '.gitignore': '# comment\nnode_modules/\n*.log\n!keep.log\n',
    '.git/config': 'needle\n',
    '.hidden': 'needle\n',
    'a.ts': 'one\nneedle here\nthree\nfour\n',
    'b.log': 'needle\n',
    'keep.log': 'needle\n',
    'node_modules/x/i.js': 'needle\n',
    'src/c.ts': 'Needle\r\nother\r\n',
    'src/deep/d.md': 'x needle y needle\n',
    'src/binary': 'needle\0',
  }
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(join(root, name), content)
  fs.symlinkSync('/etc', join(root, 'etc'))
  fs.symlinkSync('a.ts', join(root, 'link.ts'))
  const lines = async (body: object) => (await search({ path: root, ...body })).body.text

  t.equal(
    await lines({ pattern: 'needle' }),
    'a.ts:2:needle here\nkeep.log:1:needle\nsrc/deep/d.md:1:x needle y needle\n',
  )
  t.equal(await lines({ pattern: '^needle$', ignore_case: true }), 'keep.log:1:needle\nsrc/c.ts:1:Needle\n')
  t.equal(await lines({ pattern: 'n..dle', glob: '*.{ts,log}' }), 'a.ts:2:needle here\nkeep.log:1:needle\n')
  t.equal(await lines({ pattern: 'needle', glob: 'src/**' }), 'src/deep/d.md:1:x needle y needle\n')
  t.equal(await lines({ pattern: 'needle', glob: '!*.log' }), 'a.ts:2:needle here\nsrc/deep/d.md:1:x needle y needle\n')
  t.equal(await lines({ pattern: 'needle', glob: '.hid*' }), '.hidden:1:needle\n')
  t.equal(await lines({ pattern: 'here', context: 1 }), 'a.ts-1-one\na.ts:2:needle here\na.ts-3-three\n')
  t.equal(
    await lines({ pattern: 'one|four', context: 1 }),
    'a.ts:1:one\na.ts-2-needle here\na.ts-3-three\na.ts:4:four\n',
  )
  t.equal(await lines({}), 'a.ts\nkeep.log\nsrc/binary\nsrc/c.ts\nsrc/deep/d.md\n')
  const limited = await search({ path: root, pattern: 'needle', limit: 1 })
  t.match(limited.body, { found: 1, truncated: true, text: 'a.ts:2:needle here\n' })
  const none = await search({ path: root, pattern: 'nowhere' })
  t.match(none.body, { found: 0, files: 4, truncated: false, text: '' })
  const run = (await (await service.request(`/runs/${none.headers.get('run-id')}`)).json()) as ExecRecord
  t.match(run, { command: `rg -n -e 'nowhere' -- '${root}'`, via: 'POST /files/search', exit_code: 0 })
  t.equal((await search({ path: join(root, 'a.ts'), pattern: 'three' })).body.text, 'a.ts:3:three\n', 'one file')
})

t.test('refuses or bounds patterns and globs that would take too long', async (t) => {
  const rows: [body: object, message: RegExp][] = [
    [{ pattern: '(' }, /pattern: does not compile/],
    [{ pattern: '(a{900}){900}' }, /pattern: expands to \d+ steps/],
    [{ pattern: 'a{900}' }, /pattern: expands to \d+ steps, more than 500/],
    [{ pattern: '(a)\\1' }, /back reference/],
    [{ pattern: 'a'.repeat(501) }, /pattern: expected a string of at most 500 characters/],
    [{ glob: '{a,b' }, /glob: expected a glob/],
    [{ glob: '{'.repeat(50) }, /glob: expected a glob/],
    [{ glob: '[b-a]' }, /glob: expected a glob/],
    [{ limit: 1001 }, /limit/],
  ]
  for (const [body, message] of rows) {
    const { status, body: said } = await search({ path: folder, ...body })
    t.equal(status, 400, JSON.stringify(body).slice(0, 60))
    t.match(said.error?.message, message)
  }
  const root = join(folder, 'bombs')
  fs.mkdirSync(root)
  fs.writeFileSync(join(root, 'a'.repeat(200)), `${'a'.repeat(1_000_000)}!\n`)
  fs.writeFileSync(join(root, '.gitignore'), `${'*a'.repeat(30)}b\n${'{a,b}'.repeat(30)}\n[z-a]\n`)
  const bombs = [
    { pattern: '(a+)+$' },
    { pattern: '(a|a)*b' },
    { glob: `${'*a'.repeat(30)}b` },
    { glob: `${'{a,b}'.repeat(40)}` },
  ]
  for (const body of bombs) {
    t.equal((await search({ path: root, ...body })).status, 200, JSON.stringify(body).slice(0, 60))
  }
})

t.test('the right files covers the tools', async (t) => {
  const path = put('righted', 'a\n')
  const as = async (files: string) => {
    const made = await service.post('/tokens', { name: `files-${files}`, files })
    const { token } = (await made.json()) as { token: string }
    const authorization = `Bearer ${token}`
    const statuses = [
      await service.request(query({ path, lines: '1' }), { token }),
      await service.post('/files/search', { path: folder }, { authorization }),
      await service.post('/files/edit', { path, edits: [{ old: 'a', new: 'a2' }] }, { authorization }),
      await service.request(query({ path, if_hash: 'none' }), { token, method: 'PUT', body: 'x' }),
    ].map(({ status }) => status)
    return statuses
  }
  t.same(await as('none'), [403, 403, 403, 403])
  t.same(await as('read'), [200, 200, 403, 403])
  t.equal(text(path), 'a\n')
})
