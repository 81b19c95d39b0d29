import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { Readable } from 'node:stream'
import t from 'tap'
import { startCopies, testCuts } from '../support/fleet-copies.ts'
import { until, wants } from '../support/helper.ts'
import { noBroker } from '../support/nats.ts'
import { json } from '../support/plane.ts'

wants(t, noBroker)

const MIB = 1_048_576
const copies = await startCopies(t)
const { plane, pixel, at, sha256, cp, differing } = copies
/** The phone's records about a path, newest first. */
const records = async (path: string) =>
  (await json(await plane.request('/phones/pixel/runs?limit=500'))).runs.filter(({ command }: any) =>
    command.includes(path),
  )
const files = (path: string) => `/phones/pixel/files?${new URLSearchParams({ path })}`
const well = { code: 0, err: '' }

fs.writeFileSync(at('file'), randomBytes(64 * MIB))

t.test('copies 64 MiB in both directions with one record each and flat memory', async (t) => {
  const [plain, phone] = [process.memoryUsage.rss(), pixel.rssBytes()]
  let [most, mostPhone] = [0, 0]
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - plain)
    mostPhone = Math.max(mostPhone, pixel.rssBytes() - phone)
  }, 50)
  t.match(await cp(plane.url, '../file', 'fleet/pixel:up'), well)
  t.equal(sha256('up'), sha256('file'))
  t.match(await cp(plane.url, 'fleet/pixel:up', '../down'), well)
  clearInterval(timer)
  t.equal(sha256('down'), sha256('file'))
  t.comment(`plane at most +${(most / MIB).toFixed(0)} MiB, phone +${(mostPhone / MIB).toFixed(0)} MiB`)
  t.ok(most < 200 * MIB && mostPhone < 200 * MIB)
  t.equal((await records(at('up'))).length, 4, 'written, inspected, read, and its sha256 computed')
})

t.test('copies a directory with a file of more than 32 MiB in both directions', async (t) => {
  fs.mkdirSync(at('tree', 'a', 'empty'), { recursive: true })
  fs.writeFileSync(at('tree', 'ünï'), 'x')
  fs.copyFileSync(at('file'), at('tree', 'a', 'large'))
  for (let index = 0; index < 300; index++) fs.writeFileSync(at('tree', `f${index}`), randomBytes(10_000))
  t.match(await cp(plane.url, '-r', '../tree', 'fleet/pixel:tree2'), well)
  t.equal(differing('tree', 'tree2'), '')
  t.match(await cp(plane.url, '-r', 'fleet/pixel:tree2', '../tree3'), well)
  t.equal(differing('tree', 'tree3'), '')
})

testCuts(t, copies, 10)

t.test('bodies of other clients', async (t) => {
  const bytes = fs.readFileSync(at('file')).subarray(0, 2 * MIB)
  const put = async (path: string, body: Buffer | Readable, more: Record<string, string> = {}) => {
    const stream = body instanceof Readable ? { duplex: 'half' } : {}
    const init = { method: 'PUT', body: body as any, headers: more, ...stream }
    const answer = await plane.request(path, init as RequestInit)
    return { status: answer.status, digest: answer.headers.get('repr-digest'), text: await answer.text() }
  }
  const digest = `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
  t.match(await put(files(at('plain')), bytes), { status: 201, digest })
  t.match(await put(files(at('plain')), bytes, { 'if-none-match': '*' }), { status: 412, text: /precondition_failed/ })
  t.match(await put(files(at('none/such')), bytes), { status: 404 }, 'reports the error')
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
  const { stdout } = await json(await plane.request(`/phones/pixel/runs/${run.id}?wait_seconds=60`))
  t.equal(stdout.slice(0, 64), createHash('sha256').update(bytes).digest('hex'), 'stdin as one stream')
})

t.test('a client that disconnects during an upload leaves no file and no run', async (t) => {
  const leaving = new AbortController()
  const body = new Readable({ read: () => {} })
  body.push(randomBytes(MIB)) // and nothing more
  const init = { method: 'PUT', body, duplex: 'half', signal: leaving.signal }
  const upload = plane.request(files(at('left')), init as unknown as RequestInit).catch(() => 'left')
  const running = async () => (await json(await plane.request('/phones/pixel/runs?status=live'))).runs.length
  t.ok(await until(async () => (await running()) === 1))
  leaving.abort()
  t.equal(await upload, 'left')
  body.destroy()
  t.ok(await until(async () => (await running()) === 0), 'the phone has ended the request')
  t.notOk(fs.existsSync(at('left')))
})
