import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { root, type Service, startService } from '../support/helper.ts'
import { runInProcess } from '../support/in-process-cli.ts'

let service: Service
const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-cp-')))
t.before(async () => {
  service = await startService({ env: { HOME: folder } })
  process.chdir(folder)
})
t.teardown(async () => {
  process.chdir(root)
  await service.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** `shellphone cp …` with the home of this service; `port`: that of a proxy in between. */
async function cp(args: string[], port = service.port, env: Record<string, string> = {}) {
  const argv = ['cp', '--port', String(port), ...args]
  const { code, err } = await runInProcess(argv, { SHELLPHONE_HOME: service.home, ...env })
  return { code, err }
}

const bytes = randomBytes(3_000_000)
const at = (...names: string[]) => join(folder, ...names)
const isSame = (...names: string[]) => fs.readFileSync(at(...names)).equals(bytes)
const differing = (a: string, b: string) =>
  spawnSync('diff', ['-r', '--no-dereference', at(a), at(b)], { encoding: 'utf8' }).stdout

t.test('copies a file both ways, with paths like those of scp', async (t) => {
  fs.writeFileSync(at('file'), bytes, { mode: 0o750 })
  fs.mkdirSync(at('into'))
  /** [FROM, TO, where the copy should be] */
  const rows: [string, string, string][] = [
    ['file', ':up', 'up'],
    ['file', `:${at('absolute')}`, 'absolute'],
    ['./file', ':into', 'into/file'],
    ['file', ':into/', 'into/file'],
    [at('file'), ':~/home', 'home'],
    [':up', 'down', 'down'],
    [':~/up', './into', 'into/up'],
    [`:${at('up')}`, at('down2'), 'down2'],
  ]
  for (const [from, to, path] of rows) {
    t.same(await cp([from, to]), { code: 0, err: '' }, `${from} ${to}`)
    t.ok(isSame(path), path)
    t.equal(fs.statSync(at(path)).mode & 0o777, 0o750, path)
  }
  fs.writeFileSync(at('empty'), '')
  t.same(await cp(['empty', ':empty2']), { code: 0, err: '' })
  t.same(await cp([':empty2', 'empty3']), { code: 0, err: '' })
  t.equal(fs.statSync(at('empty3')).size, 0)
})

t.test('copies several files into a directory', async (t) => {
  fs.mkdirSync(at('several'))
  fs.mkdirSync(at('back'))
  t.same(await cp(['file', 'empty', ':several']), { code: 0, err: '' })
  t.ok(isSame('several', 'file'))
  t.equal(fs.statSync(at('several', 'empty')).size, 0)
  t.same(await cp([':several/file', ':several/empty', 'back/']), { code: 0, err: '' })
  t.same(fs.readdirSync(at('back')).sort(), ['empty', 'file'])
  t.match(await cp(['file', ':empty', ':several']), { code: 2, err: /^shellphone: cp: expected exactly one of FROM/ })
  fs.mkdirSync(at('none'))
  t.match(await cp(['file', 'missing', ':none']), { code: 2, err: /missing: no such file .* nothing was copied/ })
  t.same(fs.readdirSync(at('none')), [], 'not even the files that exist')
})

t.test('- is stdin and stdout', async (t) => {
  const main = join(root, 'dist/main.js')
  const shellphone = (args: string[], input: Buffer | string = '') =>
    spawnSync(process.execPath, [main, 'cp', ...args], {
      env: { ...process.env, SHELLPHONE_HOME: service.home },
      cwd: folder,
      input,
      maxBuffer: 2 * bytes.length,
    })
  fs.mkdirSync(at('streams'))
  const sent = shellphone(['-', ':streams/sent'], bytes)
  t.same({ code: sent.status, err: String(sent.stderr) }, { code: 0, err: '' })
  t.ok(isSame('streams', 'sent'))
  const received = shellphone([':streams/sent', '-'])
  t.same({ code: received.status, err: String(received.stderr) }, { code: 0, err: '' })
  t.ok(received.stdout.equals(bytes))
  t.notOk(fs.existsSync(at('-')), 'no file is called -')
  fs.writeFileSync(at('-'), 'dash')
  t.equal(shellphone(['./-', ':streams/dash']).status, 0)
  t.equal(String(shellphone([':streams/dash', '-']).stdout), 'dash')
  const refused: [string[], string][] = [
    [['-', ':streams'], 'cp: streams: expected the name of a file for stdin, got a directory'],
    [['-', 'file', ':streams'], 'cp: -: expected stdin as the only FROM, got several; a file with this name is ./-'],
    [[':streams', '-'], "cp: streams is a directory; write it to stdout with shellphone run 'tar c streams'"],
  ]
  for (const [args, message] of refused) {
    const { status, stderr } = shellphone(args)
    t.same({ code: status, err: String(stderr) }, { code: 2, err: `shellphone: ${message}\n` })
  }
  const full = spawnSync('sh', ['-c', `'${process.execPath}' '${main}' cp :streams/dash - > /dev/full`], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
    encoding: 'utf8',
  })
  t.match(full, { status: 1, stderr: 'shellphone: write error: No space left on device\n' })
})

t.test('prints one line for what it cannot copy', async (t) => {
  fs.mkdirSync(at('directory'))
  /** [arguments, exit code, expected message] */
  const rows: [string[], number, RegExp][] = [
    [['directory', ':x'], 2, /cp: directory is a directory; copy it with shellphone cp -r/],
    [[':directory', 'x'], 2, /cp: directory is a directory; copy it with shellphone cp -r/],
    [
      ['missing', ':x'],
      2,
      /cp: missing: no such file on this machine; nothing was copied, check the path, which starts at \//,
    ],
    [['*.nope', ':x'], 2, /cp: \*\.nope: no such file on this machine, and the shell found none that matches; /],
    [[':missing', 'x'], 2, /cp: missing: no such file on the phone; list its files with shellphone run ls\n$/],
    [[':*.nope', 'x'], 2, /cp: \*\.nope: no such file on the phone, and cp expands no patterns there; /],
    [[':file', 'no/such/directory'], 2, /^shellphone: cp: no\/such: no such directory on this machine$/m],
    [
      ['file', 'empty', ':file'],
      2,
      /^shellphone: cp: file: expected a directory on the phone, because there are several/,
    ],
    [[':file', ':empty', 'file'], 2, /^shellphone: cp: file: expected a directory on this machine, because there are/],
    [
      ['file', ':no/such/file'],
      2,
      /^shellphone: cp: ~\/no\/such: no such directory on the phone; create it with shellphone run 'mkdir -p ~\/no\/such'\n$/,
    ],
    [['-r', 'directory', ':no/such'], 2, /^shellphone: cp: ~\/no: no such directory on the phone; create it with /],
    [['file', ':a b/c'], 2, /create it with shellphone run 'mkdir -p ~\/'\\''a b'\\'''\n$/],
    [['file', ':no/'], 2, /^shellphone: cp: ~\/no: no such directory on the phone; create it with /],
    [['file', `:${service.home}/token`], 3, /denied: .*tokens/],
    [['file', ':file/x'], 2, /^shellphone: cp: ~\/file: no such directory on the phone; /],
    [['file', `:${at('x'.repeat(300))}`], 2, /^shellphone: name too long/],
    [['file', 'phone:x'], 2, /--on phone: no such remote/],
  ]
  for (const [args, expected, says] of rows) {
    const { code, err } = await cp(args, service.port, { XDG_CONFIG_HOME: at('config') })
    t.equal(code, expected, args.join(' '))
    t.match(err, says, args.join(' '))
    t.equal(err.trim().split('\n').length, 1, err)
  }
  t.match((await cp(['file', ':x'], 1)).err, /is the service running/i)
})

t.test('copies a directory both ways', async (t) => {
  fs.mkdirSync(at('tree', 'a', 'empty'), { recursive: true })
  fs.writeFileSync(at('tree', 'a', 'ünï'), 'x')
  fs.writeFileSync(at('tree', 'large'), bytes)
  fs.symlinkSync('large', at('tree', 'link'))
  t.same(await cp(['-r', 'tree', ':tree2']), { code: 0, err: '' })
  t.equal(differing('tree', 'tree2'), '')
  t.same(await cp(['-r', ':tree2', 'tree3']), { code: 0, err: '' })
  t.equal(differing('tree', 'tree3'), '')
  t.same(await cp(['-r', 'tree', ':into']), { code: 0, err: '' })
  t.equal(differing('tree', 'into/tree'), '', 'into an existing directory')
  spawnSync('mkfifo', [at('tree', 'pipe')])
  t.match(await cp(['-r', ':tree', 'tree4']), { code: 1, err: /^shellphone: left out 1: pipe \(not a file\)\n$/ })
})

t.test('copies both ways although the connection drops ten times', async (t) => {
  for (const [from, to, path] of [
    ['file', ':cut-up', 'cut-up'],
    [':file', 'cut-down', 'cut-down'],
  ] as const) {
    const proxy = await cuttingProxy(service.port, () => 200_000, 10)
    t.teardown(proxy.close)
    t.same(await cp([from, to], proxy.port), { code: 0, err: '' }, `${from} ${to}`)
    t.equal(proxy.cuts(), 10)
    t.ok(isSame(path))
  }
  fs.mkdirSync(at('many'))
  for (let index = 0; index < 300; index++) fs.writeFileSync(at('many', `f${index}`), randomBytes(10_000))
  for (const [from, to, path] of [
    ['many', ':many-up', 'many-up'],
    [':many', 'many-down', 'many-down'],
  ] as const) {
    const proxy = await cuttingProxy(service.port, () => 200_000, 10)
    t.teardown(proxy.close)
    t.same(await cp(['-r', from, to], proxy.port), { code: 0, err: '' }, `${from} ${to}`)
    t.equal(proxy.cuts(), 10)
    t.equal(differing('many', path), '')
  }
  const left = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'))
  t.same(left, [], 'nothing is left behind')
})

t.test('downloads a file from the start if it was replaced while the connection was down', async (t) => {
  for (const [what, next] of [
    ['longer', bytes],
    ['shorter than what was received', bytes.subarray(0, 100_000)],
  ] as const) {
    fs.writeFileSync(at('changing'), Buffer.alloc(24_000_000, 'a'))
    let isReplaced = false
    const proxy = await cuttingProxy(
      service.port,
      () => {
        if (proxy.cuts() === 1 && !isReplaced) {
          isReplaced = true
          fs.writeFileSync(at('changing.new'), next)
          fs.renameSync(at('changing.new'), at('changing'))
        }
        return 20_000_000 // more than the buffers in between hold
      },
      1,
    )
    t.teardown(proxy.close)
    t.same(await cp([':changing', 'changed'], proxy.port), { code: 0, err: '' }, what)
    t.ok(isReplaced)
    t.ok(fs.readFileSync(at('changed')).equals(next), what)
  }
})

t.test('shows progress only on a terminal', async (t) => {
  const argv = [
    process.execPath,
    join(root, 'dist/main.js'),
    'cp',
    '--port',
    String(service.port),
    at('file'),
    ':shown',
  ]
  const env = { ...process.env, SHELLPHONE_HOME: service.home }
  const { status, stdout } = spawnSync('script', ['-qec', argv.join(' '), '/dev/null'], { env, encoding: 'utf8' })
  t.equal(status, 0)
  t.match(stdout, /file {2}100% 2\.9 MiB/)
})
