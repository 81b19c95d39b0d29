import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import t from 'tap'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { endWithUs, root, startService, until } from '../support/helper.ts'

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-cp-faults-')))
const service = await startService({ env: { HOME: folder } })
t.teardown(async () => {
  await service.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})
const at = (...names: string[]) => join(folder, ...names)
const bytes = randomBytes(3_000_000)
const isSame = (name: string) => fs.readFileSync(at(name)).equals(bytes)
const partsIn = (name: string) => fs.readdirSync(at(name)).filter((one) => one.endsWith('.part'))

/** `shellphone cp …` in the folder; `port`: that of the service or of a proxy in between. */
function start(args: string[], { port, home } = service) {
  const env = { ...process.env, SHELLPHONE_HOME: home }
  const argv = [join(root, 'dist/main.js'), 'cp', '--port', String(port), ...args]
  const child = endWithUs(spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] }))
  let err = ''
  child.stderr!.on('data', (chunk) => (err += chunk))
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, err }))
  return { child, ended }
}
const cp = (args: string[], over = service) => start(args, over).ended
const through = (port: number) => ({ ...service, port })

/** A proxy that stops forwarding a connection after `limit` bytes, both directions together; `isFull()`: it has stopped. */
async function narrowProxy(t: { teardown(after: () => void): void }, limit: number) {
  const open: Socket[] = []
  let passed = 0
  const server = createServer((near) => {
    const far = connect(service.port, '127.0.0.1')
    open.push(near, far)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {}).on('close', () => to.destroy())
      from.on('data', (chunk: Buffer) => {
        passed += chunk.length
        if (passed < limit) to.write(chunk)
        else from.pause()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, isFull: () => passed >= limit }
}

/** A proxy that calls `came` with the size of each chunk from the service, and `sent` with that of each chunk to it. */
async function listeningProxy(
  t: { teardown(after: () => void): void },
  came: (bytes: number) => void,
  sent = (_bytes: number) => {},
) {
  const server = createServer((near) => {
    const far = connect(service.port, '127.0.0.1')
    far.on('data', (chunk: Buffer) => came(chunk.length))
    near.on('data', (chunk: Buffer) => sent(chunk.length))
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

/** A proxy that flips one bit in every million bytes to the service (`there`) or from it (`back`). */
async function damagingProxy(t: { teardown(after: () => void): void }, direction: 'there' | 'back') {
  const damage = () => {
    let passed = 0
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const at = 999_999 - (passed % 1_000_000)
        if (at < chunk.length) chunk[at]! ^= 1
        passed += chunk.length
        done(null, chunk)
      },
    })
  }
  const server = createServer((near) => {
    const far = connect(service.port, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    if (direction === 'there') near.pipe(damage()).pipe(far).pipe(near)
    else near.pipe(far).pipe(damage()).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('never stores a mix of two versions of a file that changes during its download', async (t) => {
  const size = 24_000_000
  for (const [changes, code, err] of [
    [1, 0, /^$/],
    [100, 3, /torn: the file changed during each of 4 attempts to copy it/],
  ] as const) {
    fs.writeFileSync(at('torn'), Buffer.alloc(size, 'a'))
    let [came, changed] = [0, 0]
    const port = await listeningProxy(t, (bytes) => {
      came += bytes
      if (came < changed * size + 1_000_000 || changed >= changes) return // once per attempt, without replacing the file
      const descriptor = fs.openSync(at('torn'), 'r+')
      fs.writeSync(descriptor, Buffer.alloc(size, 'b'.charCodeAt(0) + changed++))
      fs.closeSync(descriptor)
    })
    t.match(await cp([':torn', `whole${changes}`], through(port)), { code, err }, `${changes} changes`)
    t.equal(changed, changes === 1 ? 1 : 4)
    t.equal(fs.existsSync(at(`whole${changes}`)), code === 0)
    if (code === 0) t.ok(fs.readFileSync(at('whole1')).equals(Buffer.alloc(size, 'b')))
    t.same(partsIn('.'), [])
  }
})

t.test('an interrupted download leaves no file behind; an interrupted upload resumes', async (t) => {
  fs.writeFileSync(at('file'), bytes)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const proxy = await narrowProxy(t, 1_000_000)
    fs.mkdirSync(at(signal))
    const { child, ended } = start([':file', `${signal}/file`], through(proxy.port))
    t.ok(await until(() => proxy.isFull() && partsIn(signal).length === 1))
    child.kill(signal)
    t.same(await ended, { code: signal, err: 'shellphone: interrupted; no partial file is left\n' })
    t.same(fs.readdirSync(at(signal)), [])
  }
  fs.mkdirSync(at('up'))
  const proxy = await narrowProxy(t, 1_500_000)
  const { child, ended } = start(['file', ':up/file'], through(proxy.port))
  t.ok(await until(() => proxy.isFull() && partsIn('up').some((name) => fs.statSync(at('up', name)).size > 1_000_000)))
  child.kill('SIGINT')
  t.match(await ended, {
    code: 'SIGINT',
    err: 'shellphone: interrupted; the same command resumes the copy of a file\n',
  })
  let sent = 0
  const sentPort = await listeningProxy(
    t,
    () => {},
    (bytes) => (sent += bytes),
  )
  t.same(await cp(['file', ':up/file'], through(sentPort)), { code: 0, err: '' })
  t.ok(sent < 2_000_000, `${sent} bytes are sent again`)
  t.ok(isSame('up/file'))
  t.same(fs.readdirSync(at('up')), ['file'])
})

t.test('an upload starts over if the part that was already sent has changed', async (t) => {
  fs.mkdirSync(at('other'))
  const proxy = await narrowProxy(t, 1_500_000)
  const { child, ended } = start(['file', ':other/file'], through(proxy.port))
  t.ok(await until(() => partsIn('other').some((name) => fs.statSync(at('other', name)).size > 1_000_000)))
  child.kill('SIGINT')
  await ended
  fs.writeFileSync(at('file'), bytes.reverse())
  t.same(await cp(['file', ':other/file']), { code: 0, err: '' })
  t.ok(isSame('other/file'))
})

t.test('names the copy after the resolved path', async (t) => {
  fs.mkdirSync(at('tree', 'sub'), { recursive: true })
  fs.writeFileSync(at('tree', 'sub', 'file'), 'x')
  fs.mkdirSync(at('dest', 'in'), { recursive: true })
  t.same(await cp(['-r', ':tree/sub/..', 'dest/in/']), { code: 0, err: '' })
  t.same(fs.readdirSync(at('dest'), { recursive: true }).sort(), ['in', 'in/tree', 'in/tree/sub', 'in/tree/sub/file'])
  t.same(await cp(['-r', 'tree/sub/..', ':dest/']), { code: 0, err: '' })
  t.same(fs.readdirSync(at('dest')).sort(), ['in', 'tree'])
  fs.mkdirSync(at('flat'))
  t.same(await cp(['-r', ':tree/.', 'flat']), { code: 0, err: '' })
  t.same(fs.readdirSync(at('flat')), ['sub'], 'only its contents')
})

t.test('exits with 1 if something was left out, also after dropped connections', async (t) => {
  fs.mkdirSync(at('odd', 'a'), { recursive: true })
  fs.writeFileSync(at('odd', 'z'), bytes)
  await service.exec({ command: `mkfifo ${at('odd', 'a', 'pipe')}` })
  const says = /^shellphone: left out 1: a\/pipe \(not a file\)\n$/
  for (const [from, to] of [
    ['odd', ':odd-up'],
    [':odd', 'odd-down'],
  ] as const) {
    t.match(await cp(['-r', from, to]), { code: 1, err: says })
    const proxy = await cuttingProxy(service.port, () => 1_000_000, 1)
    t.teardown(proxy.close)
    t.match(await cp(['-r', from, `${to}-cut`], through(proxy.port)), { code: 1, err: says })
    t.equal(proxy.cuts(), 1)
  }
})

t.test('says so and exits with 1 if it could not compare the copy', async (t) => {
  const env = {
    HOME: folder,
    SHELLPHONE_CUSTOM_DENY_PATTERNS: '["sha256sum"]',
    SHELLPHONE_ENABLE_DENY_PATTERNS: 'true',
  }
  const strict = await startService({ env })
  t.teardown(() => strict.stop())
  const { code, err } = await cp([':file', 'uncompared'], strict)
  t.match(
    { code, err },
    { code: 1, err: /^shellphone: .*file: not compared with the original: the request for its sha256 was denied\n$/ },
  )
  t.ok(isSame('uncompared'))
})

t.test('detects data that was damaged in transit, both ways', async (t) => {
  fs.writeFileSync(at('sent'), bytes)
  for (const [direction, from, to] of [
    ['there', 'sent', ':damaged-up'],
    ['back', ':sent', 'damaged-down'],
  ] as const) {
    const port = await damagingProxy(t, direction)
    const ended = await cp([from, to], through(port))
    t.match(ended, { code: 3, err: /^shellphone: .*the received data differs from what was sent/ }, `${from} ${to}`)
  }
  t.notOk(fs.existsSync(at('damaged-down')), 'a damaged file is not stored')
  t.same(partsIn('.'), [])
})
