import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { changeFiles, createUploads, readOld } from '../../../src/server/files/index.ts'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import { partsIn } from '../../support/folders.ts'
import { type Service, startService } from '../../support/helper.ts'

let service: Service
const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-patches-')))
t.before(async () => {
  service = await startService()
})
t.teardown(async () => {
  await service.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

const put = (name: string, content: string) => {
  fs.writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const text = (name: string) => fs.readFileSync(join(folder, name), 'utf8')
const exists = (name: string) => fs.existsSync(join(folder, name))
async function patch(lines: string, more: object = { directory: folder }) {
  const response = await service.post('/files/patch', { patch: lines, ...more })
  const body = (await response.json()) as { error?: { message: string }; files?: object[]; text?: string }
  return { status: response.status, body, run: response.headers.get('run-id') }
}
const envelope = (lines: string) => `*** Begin Patch\n${lines}\n*** End Patch\n`

t.test('applies a patch to several files: adds, updates, moves and deletes', async (t) => {
  put('update', 'def a():\n    one\n\ndef b():\n    two\n')
  put('gone', 'x\n')
  put('from', 'old\n')
  fs.chmodSync(join(folder, 'from'), 0o750)
  const lines = [
    '*** Add File: added',
    '+first',
    '+',
    '*** Update File: update',
    '@@ def b():',
    '-    two',
    '+    2',
    '*** Delete File: gone',
    '*** Update File: from',
    '*** Move to: moved',
    '-old',
    '+new',
    '*** End of File',
  ]
  const { status, body, run } = await patch(envelope(lines.join('\n')))
  t.equal(status, 200, body.error?.message ?? '')
  t.match(body.files, [
    { path: join(folder, 'added'), action: 'added', hash: /^sha256:/ },
    { action: 'updated' },
    { action: 'deleted', hash: null },
    { path: join(folder, 'moved'), action: 'moved' },
  ])
  t.same(
    [text('added'), text('update'), text('moved')],
    ['first\n\n', 'def a():\n    one\n\ndef b():\n    2\n', 'new\n'],
  )
  t.same([exists('gone'), exists('from')], [false, false])
  t.equal(fs.statSync(join(folder, 'moved')).mode & 0o777, 0o750)
  const record = (await (await service.request(`/runs/${run}`)).json()) as ExecRecord
  const command = ["tee 'added'", "sed -i '' 'update'", "rm 'gone'", "tee 'moved'", "rm 'from'"].map((line) =>
    line.replace(/'(\w+)'$/, `'${folder}/$1'`),
  )
  t.match(record, { command: command.join('\n'), via: 'POST /files/patch', status: 'completed' })
  t.equal(record.stdout, body.text)
})

t.test('applies unified diffs, also where the lines have moved', async (t) => {
  const rows: [what: string, before: string, diff: string, after: string][] = [
    ['at its line', 'a\nb\nc\n', '@@ -2 +2 @@\n-b\n+B\n', 'a\nB\nc\n'],
    ['moved', 'x\ny\na\nb\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n', 'x\ny\na\nB\nc\n'],
    [
      'two, moved alike',
      'x\nq\nb\na\nb\na\nb\n',
      '@@ -1,2 +1,2 @@\n q\n-b\n+1\n@@ -3,2 +3,2 @@\n a\n-b\n+2\n',
      'x\nq\n1\na\n2\na\nb\n',
    ],
    ['CRLF', 'a\r\nb\r\n', '@@ -1,2 +1,2 @@\n a\n-b\n+B\n', 'a\r\nB\r\n'],
    ['CRLF in both', 'a\r\nb\r\n', '@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n', 'a\r\nB\r\n'],
    ['a BOM', '\ufeffa\n', '@@ -1 +1 @@\n-a\n+b\n', '\ufeffb\n'],
    ['no end of line', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n', 'b\n'],
    ['an end of line less', 'a\n', '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n', 'b'],
    ['inserted', 'a\nb\n', '@@ -1,0 +2 @@\n+x\n', 'a\nx\nb\n'],
  ]
  for (const [what, before, diff, after] of rows) {
    put('row', before)
    const { status, body } = await patch(`--- a/row\n+++ b/row\n${diff}`)
    t.equal(status, 200, `${what}: ${body.error?.message}`)
    t.equal(text('row'), after, what)
  }
  put('row', 'a\n')
  const both = '--- /dev/null\n+++ b/fresh\n@@ -0,0 +1 @@\n+new\n--- a/row\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n'
  t.equal((await patch(both)).status, 200)
  t.same([text('fresh'), exists('row')], ['new\n', false])
})

t.test('refuses patches that do not apply exactly, and changes nothing', async (t) => {
  const update = (lines: string) => envelope(`*** Update File: row\n${lines}`)
  const rows: [what: string, patch: string, status: number, message: RegExp][] = [
    ['no patch', 'hello', 400, /expected a unified diff/],
    ['no end', '*** Begin Patch\n*** Delete File: row', 400, /expected \*\*\* End Patch/],
    ['wrong counts', '--- row\n+++ row\n@@ -1,5 +1,5 @@\n-a\n+b\n', 400, /patch: /],
    ['a rename', 'diff --git a/row b/x\nrename from row\nrename to x\n', 400, /got "rename from"/],
    ['..', envelope('*** Delete File: ../row'), 400, /without \.\./],
    ['.. in a diff', '--- a/../row\n+++ b/../row\n@@ -1 +1 @@\n-a\n+b\n', 400, /without \.\./],
    ['Add over a file', envelope('*** Add File: row\n+x'), 409, /already exists/],
    ['Move over a file', update('*** Move to: other\n-a\n+b'), 409, /already exists/],
    ['not found', update('-z\n+b'), 409, /row: change 1: no exact match/],
    ['other space', update('- b\n+x'), 409, /no exact match/],
    ['found twice', update('-b\n+x'), 409, /more than one match .*, at lines 2, 4/],
    ['an anchor that is missing', update('@@ nowhere\n-a\n+x'), 409, /no exact match for the line "nowhere"/],
    ['an anchor twice', update('@@ b\n-a\n+x'), 409, /more than one match/],
    ['not at the end', update('-a\n+x\n*** End of File'), 409, /no exact match/],
    ['a missing file', envelope('*** Update File: none\n-a\n+b'), 404, /no such file/],
    ['a missing directory', envelope('*** Add File: none/x\n+b'), 404, /no such file/],
    ['the same file twice', envelope('*** Delete File: row\n*** Delete File: row'), 400, /each file once/],
    ['an unknown line', update('*** Rename: x'), 400, /line 3: expected a line that starts/],
    ['one of two', envelope('*** Update File: other\n-o\n+x\n*** Update File: row\n-z\n+b'), 409, /row: change 1/],
    ['a relative path', '', 400, /directory: expected the directory of "row"/],
  ]
  for (const [what, lines, status, message] of rows) {
    put('row', 'a\nb\nc\nb\n')
    put('other', 'o\n')
    const isRelative = what === 'a relative path'
    const reply = isRelative ? await patch(envelope('*** Delete File: row'), {}) : await patch(lines)
    t.equal(reply.status, status, what)
    t.match(reply.body.error?.message, message, what)
    t.same([text('row'), text('other')], ['a\nb\nc\nb\n', 'o\n'], what)
  }
  const many = Array.from({ length: 101 }, (_, index) => `*** Delete File: ${index}`).join('\n')
  t.match((await patch(envelope(many))).body.error?.message, /at most 100 files, got 101/)
  put('row', 'x\n'.repeat(50_001))
  t.equal((await patch(update('-a\n+b'))).status, 413, 'too many lines')
  t.same(partsIn(folder), [])
})

t.test('restores the files before a rename that fails', async (t) => {
  put('one', '1\n')
  put('two', '2\n')
  const [home, { renameSync }] = [fs.mkdtempSync(join(tmpdir(), 'shellphone-patches-home-')), fs]
  t.teardown(() => {
    Object.assign(fs, { renameSync })
    syncBuiltinESMExports()
    fs.rmSync(home, { recursive: true })
  })
  const canceled = new AbortController().signal
  const planned = () =>
    Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const path = join(folder, name)
        return { path, before: await readOld(path, canceled), after: Buffer.from(`${name} changed`), mode: null }
      }),
    )
  const change = async (changes: Awaited<ReturnType<typeof planned>>) =>
    changeFiles(changes, createUploads(home), { maxBytes: null, canceled })
  const failing = (from: string, to: string) => {
    if (to.endsWith('/three')) throw Object.assign(new Error('read-only'), { code: 'EROFS' })
    renameSync(from, to)
  }
  Object.assign(fs, { renameSync: failing })
  syncBuiltinESMExports()
  await t.rejects(change(await planned()), { code: 'FORBIDDEN', message: /read-only file system: .*three/ })
  t.same([text('one'), text('two'), exists('three')], ['1\n', '2\n', false])
  t.same(partsIn(folder), [])
  const stale = await planned()
  put('two', 'changed elsewhere\n')
  await t.rejects(change(stale), { code: 'PRECONDITION_FAILED', message: /two$/ })
  t.same([text('one'), text('two')], ['1\n', 'changed elsewhere\n'])
})
