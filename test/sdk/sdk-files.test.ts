import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { connect, PhoneError, type SocketClass } from '../../src/sdk/index.ts'
import { platformOf } from '../../src/shared/transport/index.ts'
import { cutProxy } from '../support/cut-proxy.ts'
import { rejectionOf, startService, until } from '../support/helper.ts'

const service = await startService()
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-sdk-files-')))
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
const phoneBy = (url = service.url, more = {}) =>
  connect({ url, token: service.token, WebSocket: WebSocket as SocketClass, ...more })
const phone = phoneBy()
const SENT_BYTES = 6_291_456

/** All values of a generator. */
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

t.test('uploads and downloads files over cuts, with either fetch', async (t) => {
  const sent = randomBytes(SENT_BYTES)
  const sum = createHash('sha256').update(sent).digest('base64')
  /** The bytes in pieces, like a Node stream. */
  const source = {
    size: sent.length,
    async *from(offset: number) {
      for (let at = offset; at < sent.length; at += 100_000) yield sent.subarray(at, at + 100_000)
    },
  }
  for (const [name, fetch] of Object.entries({ platform: globalThis.fetch, ours: platformOf().fetch })) {
    const path = join(folder, name)
    const proxy = await cutProxy(service.port, 5, (cut) => 400_000 + cut * 300_000)
    t.teardown(proxy.close)
    const { files } = phoneBy(proxy.url, { fetch })
    const data = name === 'ours' ? source : new Uint8Array(sent)
    const put = await files.put(path, data, { mode: '0600' })
    t.match(put, { bytes: sent.length, sha256: sum, mode: '0600' }, `${name}: put`)
    t.equal(proxy.cuts(), 5, name)
    t.same(await phone.files.head(path), { ...put, type: 'file' })

    const down = await cutProxy(service.port, 5, (cut) => 400_000 + cut * 300_000)
    t.teardown(down.close)
    const from = phoneBy(down.url, { fetch })
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of from.files.get(path)) {
      t.equal(piece.offset, bytes)
      bytes += piece.bytes.length
      hash.update(piece.bytes)
    }
    t.equal(hash.digest('base64'), sum, `${name}: get`)
    t.equal(down.cuts(), 5, name)
  }
})

t.test('asks again how much has arrived if the service was still storing an interrupted request', async (t) => {
  const target = t.testdir()
  const path = join(target, 'overtaken')
  const sent = randomBytes(SENT_BYTES)
  const proxy = await cutProxy(service.port, 1, () => 3_000_000)
  t.teardown(proxy.close)
  /** Stores the next 65536 bytes by another request, whose connection is then lost. */
  const overtake = async (headers: Headers) => {
    const from = Number(/^bytes (\d+)-/.exec(headers.get('content-range')!)![1])
    const { port } = service
    const late = request({ port, path: `/files?path=${path}`, method: 'PUT', headers: Object.fromEntries(headers) })
    const part = join(
      target,
      readdirSync(target).find((name) => name.endsWith('.part'))!,
    )
    late.on('error', () => {}).write(sent.subarray(from, from + 65_536))
    t.ok(await until(() => statSync(part).size === from + 65_536))
    late.destroy()
  }
  const ranges: string[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const headers = new Headers(init?.headers)
    const range = headers.get('content-range') ?? ''
    if (/^bytes [1-9]/.test(range) && ranges.push(range) === 1) await overtake(headers)
    return globalThis.fetch(url, init)
  }
  const put = await phoneBy(proxy.url, { fetch }).files.put(path, new Uint8Array(sent))
  t.match(put, { bytes: sent.length, sha256: createHash('sha256').update(sent).digest('base64') })
  const [first, second, ...more] = ranges.map((range) => Number(/\d+/.exec(range)![0]))
  t.equal(second! - first!, 65_536)
  t.same(more, [])
})

t.test('does not mix a file with one that replaces it during the download', async (t) => {
  const path = join(folder, 'replaced')
  writeFileSync(path, Buffer.alloc(24_000_000, 'a'))
  const proxy = await cutProxy(service.port, 1, () => 20_000_000) // more than the buffers in between hold
  t.teardown(proxy.close)
  const reading = async () => {
    for await (const { offset } of phoneBy(proxy.url).files.get(path)) {
      if (offset > 0) continue
      writeFileSync(`${path}.new`, Buffer.alloc(24_000_000, 'b'))
      renameSync(`${path}.new`, path)
    }
  }
  t.match(await rejectionOf(reading()), { type: 'precondition_failed' })
  t.equal(proxy.cuts(), 1)
})

t.test('lists and deletes files, and reports errors', async (t) => {
  const { files } = phone
  const [path, text] = [
    join(folder, 'a'),
    async (path: string) => Buffer.concat((await all(files.get(path))).map(({ bytes }) => bytes)).toString(),
  ]
  const { etag } = await files.put(path, 'hello')
  t.equal(await text(path), 'hello')
  await files.put(join(folder, 'empty'), new Blob([]))
  t.equal(await text(join(folder, 'empty')), '')
  t.equal(Buffer.from((await all(files.get(path, 3)))[0]!.bytes).toString(), 'lo')
  t.match(await all(files.list(folder)), [
    { name: 'a', bytes: 5 },
    { name: 'empty', bytes: 0 },
  ])
  t.match(await files.head(folder), { type: 'directory', sha256: null })
  await files.delete(join(folder, 'empty'))

  const made = await service.post('/tokens', { name: 'strict', policy: 'strict' })
  const strict = phoneBy(service.url, (await made.json()) as { token: string })
  const refused: [string, () => Promise<unknown>, string][] = [
    ['nothing there', () => all(files.get(join(folder, 'none'))), 'not_found'],
    ['nothing there, by its head', () => files.head(join(folder, 'none')), 'not_found'],
    ['a directory', () => all(files.get(folder)), 'validation_error'],
    ['a file as a directory', () => all(files.list(path)), 'validation_error'],
    ['beyond the end', () => all(files.get(path, 99)), 'out_of_range'],
    ['another one', () => files.put(path, 'x', { ifMatch: '"other"' }), 'precondition_failed'],
    ['one that is there', () => files.put(path, 'x', { ifNoneMatch: '*' }), 'precondition_failed'],
    ['another one, to be deleted', () => files.delete(path, { ifMatch: '"other"' }), 'precondition_failed'],
    ['a denied one', () => strict.files.put(path, 'x'), 'denied'],
  ]
  for (const [name, ask, type] of refused) {
    const error = await rejectionOf(ask())
    t.ok(error instanceof PhoneError, `${name}: ${error}`)
    t.equal(error.type, type, name)
  }
  t.equal(await text(path), 'hello')
  const reading = files.get(path)
  await reading.next()
  await files.delete(path, { ifMatch: etag! })
  t.match(await phone.exec('rm -rf /'), { status: 'denied' }, 'a denied command has a record')
})

t.test('reads lines, edits by hash, searches and patches', async (t) => {
  const path = join(folder, 'lines')
  const { files } = phone
  const hash = await files.replace(path, 'one\ntwo\n', 'none')
  t.match(await files.lines(path, { first: 2 }), { text: '     2\ttwo\n', hash, lines: 2 })
  t.match(await rejectionOf(files.replace(path, 'x', 'none')), { type: 'precondition_failed' })
  const edited = await files.edit(path, [{ old: 'two', new: '2' }], { ifHash: hash })
  t.equal(edited.replaced, 1)
  t.match(await rejectionOf(files.edit(path, [{ old: 'two', new: '2' }])), { type: 'conflict' })
  t.match(await files.search(path, { pattern: '^2$' }), { found: 1, text: 'lines:2:2\n' })
  t.match(await files.patch('--- lines\n+++ lines\n@@ -2 +2 @@\n-2\n+two\n', folder), { status: 'completed' })
  t.equal((await files.lines(path)).hash, hash)
})
