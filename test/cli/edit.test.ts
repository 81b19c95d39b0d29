import { execFile } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { root, startService } from '../support/helper.ts'

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-edit-')))
const temporary = join(folder, 'tmp')
fs.mkdirSync(temporary)
const service = await startService({ env: { HOME: folder } })
t.teardown(async () => {
  await service.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})
const at = (name: string) => join(folder, name)
const read = (name: string) => fs.readFileSync(at(name), 'utf8')

/** `shellphone edit PATH` with this editor. */
function edit(path: string, editor: string, more: Record<string, string> = {}) {
  const { VISUAL: _, ...env } = process.env
  const options = { env: { ...env, SHELLPHONE_HOME: service.home, TMPDIR: temporary, EDITOR: editor, ...more } }
  return new Promise<{ code: number; err: string }>((resolve) => {
    execFile(process.execPath, [join(root, 'dist/main.js'), 'edit', path], options, (error, _out, err) =>
      resolve({ code: error ? Number(error.code) : 0, err }),
    )
  })
}

/** The copy that a failed edit names. */
const copyIn = (err: string) => /your version is in (\S+)\n/.exec(err)?.[1] ?? ''

t.test('writes an edited file back, and keeps its mode', async (t) => {
  fs.writeFileSync(at('notes'), 'first\n', { mode: 0o640 })
  t.same(await edit(':notes', 'sed -i s/first/second/'), { code: 0, err: '' })
  t.equal(read('notes'), 'second\n')
  t.equal(fs.statSync(at('notes')).mode & 0o777, 0o640)
  t.same(await edit(`:${at('notes')}`, 'false', { VISUAL: 'sed -i s/second/third/' }), { code: 0, err: '' })
  t.equal(read('notes'), 'third\n')
  t.same(fs.readdirSync(temporary), [])
})

t.test('creates a file', async (t) => {
  t.same(await edit(':new', 'echo made >'), { code: 0, err: '' })
  t.equal(read('new'), 'made\n')
})

t.test('writes nothing if nothing was changed', async (t) => {
  t.same(await edit(':notes', 'true'), { code: 0, err: 'shellphone: nothing was changed\n' })
  t.same(await edit(':absent', 'true'), { code: 0, err: 'shellphone: nothing was changed\n' })
  t.notOk(fs.existsSync(at('absent')))
  t.same(fs.readdirSync(temporary), [])
})

t.test('keeps the copy if the file changes on the phone in the meantime', async (t) => {
  const { code, err } = await edit(':notes', `echo theirs > ${at('notes')}; echo mine >`)
  t.equal(code, 3)
  t.match(
    err,
    /your version is in .*\nshellphone: ~\/notes has changed on the phone in the meantime; edit it again, and compare it with your version\n$/,
  )
  t.equal(read('notes'), 'theirs\n')
  t.equal(fs.readFileSync(copyIn(err), 'utf8'), 'mine\n')
  fs.rmSync(dirname(copyIn(err)), { recursive: true })
})

t.test('keeps a changed copy if the editor fails', async (t) => {
  const failed = await edit(':notes', 'sh -c \'echo mine > "$0"; exit 4\'')
  t.match(failed, { code: 1, err: /^shellphone: the editor .* failed with exit code 4; nothing was written, and your/ })
  t.equal(fs.readFileSync(copyIn(failed.err), 'utf8'), 'mine\n')
  fs.rmSync(dirname(copyIn(failed.err)), { recursive: true })
  t.match(await edit(':notes', 'false'), { code: 1, err: 'shellphone: the editor false failed with exit code 1\n' })
  t.match(await edit(':notes', 'no-such-editor'), {
    code: 1,
    err: /shellphone: cannot start the editor no-such-editor; set VISUAL or EDITOR\n$/,
  })
  t.equal(read('notes'), 'theirs\n')
  t.same(fs.readdirSync(temporary), [])
})

t.test('refuses what cannot be edited before the editor starts', async (t) => {
  fs.truncateSync(at('new'), 5_242_881)
  const refused = [
    [':new', 2, /edit: ~\/new: expected at most 5242880 bytes, got 5242881; copy it with shellphone cp\n/],
    [':tmp', 2, /edit: ~\/tmp is a directory; copy it with shellphone cp -r/],
    ['notes', 2, /edit: expected a file as NAME:PATH, FLEET\/PHONE:PATH or :PATH, got notes/],
    [':', 2, /edit: expected a file as NAME:PATH/],
    [
      ':nodir/x',
      2,
      /edit: ~\/nodir: no such directory on the phone; create it with shellphone run 'mkdir -p ~\/nodir'\n/,
    ],
    [':tmp/', 2, /edit: expected a file as NAME:PATH/],
    ['nobody:x', 2, /no such remote; list/],
  ] as const
  for (const [path, code, err] of refused) t.match(await edit(path, `touch ${at('started')};`), { code, err }, path)
  t.notOk(fs.existsSync(at('started')))
  t.same(fs.readdirSync(temporary), [])
})

t.test('says at once that the service is not running', async (t) => {
  let connections = 0
  const broken = createServer((socket) => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  t.teardown(() => broken.close())
  const { port } = broken.address() as AddressInfo
  t.match(await edit(':notes', 'true', { SHELLPHONE_PORT: String(port) }), { code: 3, err: /cannot reach / })
  t.equal(connections, 1, 'without another attempt')
  await service.kill('SIGKILL')
  t.match(await edit(':notes', `touch ${at('started')};`), {
    code: 3,
    err: /cannot reach .*start it with shellphone serve/,
  })
  t.notOk(fs.existsSync(at('started')))
  t.same(fs.readdirSync(temporary), [])
})
