import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { cuttingProxy } from './cutting-proxy.ts'
import { until, wants } from './helper.ts'
import { linkProxy } from './link-proxy.ts'
import { noBroker, startBroker } from './nats.ts'
import { addPhone, fleetCli, json, startPlane } from './plane.ts'

wants(t, noBroker)

const folder = t.testdir()
const broker = await startBroker()
const plane = await startPlane(broker)
const link = await linkProxy(Number(new URL(broker.url).port))
const far = { ...broker, url: `nats://127.0.0.1:${link.port}` }
const pixel = await addPhone(plane, far, 'pixel', { env: { SHELLPHONE_POLICY: 'open', HOME: folder } })
t.teardown(async () => {
  await pixel.stop()
  await plane.close()
  link.close()
  await broker.stop()
})

const MIB = 1_048_576
const at = (...names: string[]) => join(folder, ...names)
const sha256 = (name: string) =>
  createHash('sha256')
    .update(fs.readFileSync(at(name)))
    .digest('hex')
const cp = (url: string, ...args: string[]) => fleetCli(url, plane.file.token, at('cli')).start(['cp', ...args]).ended
const files = (path: string) => `/phones/pixel/files?${new URLSearchParams({ path })}`
/** What the phone has recorded of a path, newest first. */
const records = async (path: string) =>
  (await json(await plane.request('/phones/pixel/runs?limit=500'))).runs.filter(({ command }: any) =>
    command.includes(path),
  )
const well = { code: 0, err: '' }

fs.mkdirSync(at('cli'))
fs.writeFileSync(at('file'), randomBytes(64 * MIB))

t.test('64 MiB there and back: whole, one record each, memory flat', async (t) => {
  const [plain, phone] = [process.memoryUsage.rss(), pixel.rssBytes()]
  let [most, mostPhone] = [0, 0]
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - plain)
    mostPhone = Math.max(mostPhone, pixel.rssBytes() - phone)
  }, 50)
  const since = performance.now()
  t.match(await cp(plane.url, '../file', 'fleet/pixel:up'), well)
  const uploaded = performance.now()
  t.equal(sha256('up'), sha256('file'))
  t.match(await cp(plane.url, 'fleet/pixel:up', '../down'), well)
  const rate = (ms: number) => `${((64 / ms) * 1000).toFixed(0)} MiB/s`
  t.comment(`up ${rate(uploaded - since)}, down with its check ${rate(performance.now() - uploaded)}`)
  clearInterval(timer)
  t.equal(sha256('down'), sha256('file'))
  t.comment(`plane at most +${(most / MIB).toFixed(0)} MiB, phone +${(mostPhone / MIB).toFixed(0)} MiB`)
  t.ok(most < 200 * MIB && mostPhone < 200 * MIB)
  t.equal((await records(at('up'))).length, 4, 'written, looked at, read, and its sha256 taken')
})

t.test('a directory of more than 32 MiB, one file of it larger than that, there and back', async (t) => {
  fs.mkdirSync(at('tree', 'a', 'empty'), { recursive: true })
  fs.writeFileSync(at('tree', 'ünï'), 'x')
  fs.copyFileSync(at('file'), at('tree', 'a', 'large'))
  for (let index = 0; index < 300; index++) fs.writeFileSync(at('tree', `f${index}`), randomBytes(10_000))
  t.match(await cp(plane.url, '-r', '../tree', 'fleet/pixel:tree2'), well)
  t.equal(differing('tree', 'tree2'), '')
  t.match(await cp(plane.url, '-r', 'fleet/pixel:tree2', '../tree3'), well)
  t.equal(differing('tree', 'tree3'), '')
})

const differing = (a: string, b: string) => spawnSync('diff', ['-r', at(a), at(b)], { encoding: 'utf8' }).stdout

t.test('10 cuts between the client and the plane', async (t) => {
  fs.mkdirSync(at('many'))
  for (let index = 0; index < 600; index++) fs.writeFileSync(at('many', `f${index}`), randomBytes(10_000))
  for (const [from, to, args, made] of [
    ['../file', 'fleet/pixel:cut-up', [], 'cut-up'],
    ['fleet/pixel:file', '../cut-down', [], 'cut-down'],
    ['../many', 'fleet/pixel:many-up', ['-r'], 'many-up'],
    ['fleet/pixel:many', '../many-down', ['-r'], 'many-down'],
  ] as const) {
    const bytes = args.length > 0 ? 400_000 : 5 * MIB
    const proxy = await cuttingProxy(Number(new URL(plane.url).port), () => bytes, 10)
    t.teardown(proxy.close)
    t.match(await cp(`http://127.0.0.1:${proxy.port}`, ...args, from, to), well, `${from} ${to}`)
    t.equal(proxy.cuts(), 10)
    if (args.length > 0) t.equal(differing('many', made), '')
    else t.equal(sha256(made), sha256('file'))
  }
})

t.test('10 cuts between the phone and the broker', async (t) => {
  const isMoving = async () => (await json(await pixel.request('/runs?status=live'))).runs.length > 0
  const isThere = async () => (await plane.request('/phones/pixel/health')).ok
  for (const [from, to, made] of [
    ['../file', 'fleet/pixel:far-up', 'far-up'],
    ['fleet/pixel:file', '../far-down', 'far-down'],
  ] as const) {
    const copied = cp(plane.url, from, to)
    t.ok(await until(isMoving))
    let cuts = 0
    const timer = setInterval(() => {
      if (cuts >= 10) return
      cuts += 1
      link.cut()
    }, 400)
    t.match(await copied, well, `${from} ${to}`)
    clearInterval(timer)
    t.equal(cuts, 10)
    t.ok(await until(isThere))
    t.equal(sha256(made), sha256('file'))
  }
})

t.test('bodies of other clients', async (t) => {
  const bytes = fs.readFileSync(at('file')).subarray(0, 5 * MIB)
  const put = async (path: string, body: Buffer | Readable, more: Record<string, string> = {}) => {
    const stream = body instanceof Readable ? { duplex: 'half' } : {}
    const init = { method: 'PUT', body: body as any, headers: more, ...stream }
    const answer = await plane.request(path, init as RequestInit)
    return { status: answer.status, digest: answer.headers.get('repr-digest'), text: await answer.text() }
  }
  const digest = `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
  t.match(await put(files(at('plain')), bytes), { status: 201, digest })
  t.match(await put(files(at('plain')), bytes, { 'if-none-match': '*' }), { status: 412, text: /precondition_failed/ })
  t.match(await put(files(at('none/such')), bytes), { status: 404 }, 'what is refused is said')
  t.match(await put(files(at('chunks')), Readable.from([bytes.subarray(0, 10), bytes.subarray(10)])), {
    status: 201,
    digest,
  })
  t.match(await put('/phones/pixel/nothing', bytes), { status: 404 })
  t.match(await put('/phones/nobody/files?path=x', bytes), { status: 404 })
  const run = await json(
    await plane.post('/phones/pixel/exec', { command: 'sha256sum', stdin: 'open', background: true }),
  )
  t.equal((await put(`/phones/pixel/runs/${run.id}/stdin`, bytes)).status, 200)
  const { stdout } = await json(await plane.request(`/phones/pixel/runs/${run.id}?wait_seconds=20`))
  t.equal(stdout.slice(0, 64), createHash('sha256').update(bytes).digest('hex'), 'stdin as one stream')
})

t.test('who leaves in the middle leaves nothing behind', async (t) => {
  const leaving = new AbortController()
  const body = Readable.from(
    (async function* () {
      for (;;) {
        yield randomBytes(MIB)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })(),
  )
  const init = { method: 'PUT', body, duplex: 'half', signal: leaving.signal }
  const asked = plane.request(files(at('left')), init as unknown as RequestInit).catch(() => 'left')
  const running = async () => (await json(await plane.request('/phones/pixel/runs?status=live'))).runs.length
  t.ok(await until(async () => (await running()) === 1))
  leaving.abort()
  t.equal(await asked, 'left')
  body.destroy()
  t.ok(await until(async () => (await running()) === 0), 'the phone has noticed')
  t.notOk(fs.existsSync(at('left')))
})
