import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import t from 'tap'
import { type Archives, connect } from '../../src/sdk/client-node.ts'
import { createIdleTimeout } from '../../src/sdk/retry-policy.ts'
import { furthest, packFolder, unpackInto } from '../../src/server/files/index.ts'
import { platformOf } from '../../src/shared/transport/index.ts'
import { type Fault, faultyProxy } from '../support/faulty-proxy.ts'
import { rejectionOf, startService, until } from '../support/helper.ts'

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-copies-')))
const service = await startService({ env: { HOME: folder } })
t.teardown(async () => {
  await service.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})
const archives: Archives = {
  pack(path, after) {
    const { packed, pieces } = packFolder(path, { after, hides: () => false })
    return { pieces, notes: () => packed.notes.map(({ text }) => text) }
  },
  unpack: (path, unpacking) => unpackInto(path, { ...unpacking, maxBytes: null, hides: () => false }),
  furthest,
}
const filesOver = (url: string) => connect({ url, token: service.token, ...platformOf() }).files
const at = (...names: string[]) => join(folder, ...names)
const LARGE_BYTES = 1_000_000
const large = randomBytes(LARGE_BYTES)

/** The kinds of sources; each creates its files at a path. */
const kinds: Record<string, (path: string) => void> = {
  'an empty file': (path) => fs.writeFileSync(path, ''),
  'a small file': (path) => fs.writeFileSync(path, 'x', { mode: 0o640 }),
  'a large file': (path) => fs.writeFileSync(path, large, { mode: 0o750 }),
  'a file that is read-only': (path) => fs.writeFileSync(path, large, { mode: 0o444 }),
  'a link to a file': (path) => {
    fs.writeFileSync(`${path}.target`, large, { mode: 0o600 })
    fs.symlinkSync(`${path}.target`, path)
  },
  'an empty directory': (path) => fs.mkdirSync(path, { mode: 0o700 }),
  'a tree': (path) => {
    fs.mkdirSync(join(path, 'private', 'empty'), { recursive: true })
    fs.writeFileSync(join(path, 'private', 'ünï'), 'x', { mode: 0o600 })
    fs.writeFileSync(join(path, 'large'), large, { mode: 0o444 })
    fs.writeFileSync(join(path, 'run'), 'x', { mode: 0o755 })
    fs.symlinkSync('large', join(path, 'to-large'))
    fs.symlinkSync('nowhere', join(path, 'to-nothing'))
    fs.chmodSync(join(path, 'private'), 0o700)
    for (let index = 0; index < 40; index++) fs.writeFileSync(join(path, `f${index}`), large.subarray(0, 5000))
  },
}

/** The faults during a copy whose bytes come from that side. */
const cuts: Record<string, (sender: Fault['from'], bytes: number) => Omit<Fault, 'how'>[]> = {
  'no cut': () => [],
  'a cut in the first request': () => [{ from: 'client', at: 40 }],
  'a cut in the first answer': () => [{ from: 'service', at: 10 }],
  'a cut in the middle': (from, bytes) => [{ from, at: 400 + bytes / 2 }],
  'four cuts': (from, bytes) => Array.from({ length: 4 }, () => ({ from, at: 600 + bytes / 5 })),
}

/** Every name at or below a path: its mode, and its content or its target. */
function describe(path: string): string[] {
  const stat = fs.statSync(path)
  if (!stat.isDirectory()) return [`. ${modeOf(stat)} ${sumOf(path)}`]
  const names = fs.readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
  return ['', ...names].map((name) => {
    const one = join(path, name)
    const stat = fs.lstatSync(one)
    const content = stat.isSymbolicLink() ? fs.readlinkSync(one) : stat.isDirectory() ? '/' : sumOf(one)
    return `${relative(path, one)} ${modeOf(stat)} ${content}`
  })
}
/** The bytes of a file, or of all files in a directory. */
function sizeOf(path: string): number {
  const stat = fs.statSync(path)
  if (!stat.isDirectory()) return stat.size
  const files = namesIn(path).map((name) => fs.lstatSync(join(path, name)))
  return files.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0)
}
const modeOf = ({ mode }: fs.Stats) => (mode & 0o777).toString(8)
const sumOf = (path: string) => createHash('sha256').update(fs.readFileSync(path)).digest('hex')
const namesIn = (path: string) => fs.readdirSync(path, { recursive: true, encoding: 'utf8' })

t.test('copies every kind of file unchanged, whatever is cut', async (t) => {
  for (const [kind, make] of Object.entries(kinds)) {
    const home = at(kind.replaceAll(' ', '-'))
    fs.mkdirSync(home)
    const from = join(home, 'from')
    make(from)
    const isFolder = fs.statSync(from).isDirectory()
    const bytes = sizeOf(from)
    for (const direction of ['up', 'down'] as const) {
      for (const [cut, faultsOf] of Object.entries(cuts)) {
        const title = `${kind}, ${direction}, ${cut}`
        const sender = direction === 'up' ? 'client' : 'service'
        const faults = faultsOf(sender, bytes).map((fault): Fault => ({ ...fault, how: 'cut' }))
        const proxy = await faultyProxy(t, service.port, faults)
        const files = filesOver(proxy.url)
        const there = join(home, `${direction}-${cut.replaceAll(' ', '-')}`)
        fs.mkdirSync(there)
        const to = join(there, 'to')
        const copied = {
          up: () => (isFolder ? files.uploadFolder(from, to, archives) : files.upload(from, to)),
          down: () => (isFolder ? files.downloadFolder(from, to, archives) : files.download(from, to)),
        }
        t.same((await copied[direction]()) ?? [], [], `${title}: nothing is left out`)
        t.same(describe(to), describe(from), title)
        t.same(
          namesIn(there).filter((name) => name.endsWith('.part')),
          [],
          `${title}: nothing is left behind`,
        )
        if (bytes > LARGE_BYTES / 2 || !/middle|four/.test(cut)) t.equal(proxy.faults(), faults.length, title)
      }
    }
  }
})

t.test('compares the received data with the sent data', async (t) => {
  fs.writeFileSync(at('sent'), large)
  for (const [direction, side] of [
    ['up', 'client'],
    ['down', 'service'],
  ] as const) {
    fs.writeFileSync(at(direction), 'before')
    const proxy = await faultyProxy(t, service.port, [{ from: side, at: LARGE_BYTES / 2, how: 'flip' }])
    const files = filesOver(proxy.url)
    const error = await rejectionOf(
      direction === 'up' ? files.upload(at('sent'), at(direction)) : files.download(at('sent'), at(direction)),
    )
    t.match(error, { name: 'PhoneError', type: 'corrupted' }, direction)
    t.equal(proxy.faults(), 1)
    if (direction === 'down') t.equal(fs.readFileSync(at(direction), 'utf8'), 'before')
  }
  t.same(
    namesIn(folder).filter((name) => name.endsWith('.part')),
    [],
  )
})

t.test('a copy gives up after the time without data, however long it takes as a whole', async (t) => {
  const { now } = performance
  let lostMs = 0
  performance.now = () => now.call(performance) + lostMs
  t.teardown(() => (performance.now = now))
  fs.writeFileSync(at('long'), large)
  const parts = () => fs.readdirSync(folder).filter((name) => name.endsWith('.part'))
  const stored = () => Math.max(0, ...parts().map((name) => fs.statSync(at(name)).size))
  for (const direction of ['up', 'down'] as const) {
    const from = direction === 'up' ? 'client' : 'service'
    let cuts = 0
    const onFault = async () => {
      cuts++
      await until(() => stored() > cuts * (LARGE_BYTES / 5 - 10_000)) // each attempt makes progress, even on a busy machine
      lostMs += 1_000_000
    }
    const cut: Fault = { from, at: 600 + LARGE_BYTES / 5, how: 'cut', onFault }
    const proxy = await faultyProxy(t, service.port, [cut, cut, cut, cut])
    const { files } = connect({ url: proxy.url, token: service.token, ...platformOf(), reconnectMs: 1_500_000 })
    const to = at(`long-${direction}`)
    await (direction === 'up' ? files.upload(at('long'), to) : files.download(at('long'), to))
    t.equal(proxy.faults(), 4)
    t.equal(sumOf(to), sumOf(at('long')))
  }
})

t.test('a downloaded file is on the disk before it gets its name', async (t) => {
  const handle = await open(at('sent'))
  const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void> }
  await handle.close()
  const { sync } = prototype
  t.teardown(() => (prototype.sync = sync))
  const hasName: boolean[] = []
  prototype.sync = function () {
    hasName.push(fs.existsSync(at('flushed')))
    return sync.call(this)
  }
  await filesOver(service.url).download(at('sent'), at('flushed'))
  t.same(hasName, [false])
})

t.test('never mixes a file with the one that replaces it during a cut', async (t) => {
  const old = Buffer.alloc(LARGE_BYTES, 'a')
  const cutAndReplaced = async () => {
    fs.writeFileSync(at('replaced'), old)
    fs.writeFileSync(at('new'), large)
    const onFault = () => fs.renameSync(at('new'), at('replaced'))
    return filesOver(
      (await faultyProxy(t, service.port, [{ from: 'service', at: LARGE_BYTES / 2, how: 'cut', onFault }])).url,
    )
  }
  t.same(await (await cutAndReplaced()).download(at('replaced'), at('whole')), [])
  t.ok(fs.readFileSync(at('whole')).equals(large), 'a download returns the new file')

  const files = await cutAndReplaced()
  let read = 0
  const reading = (async () => {
    for await (const { bytes } of files.get(at('replaced'))) {
      if (!old.subarray(0, bytes.length).equals(bytes)) throw new Error('bytes of the new one')
      read += bytes.length
    }
  })()
  t.match(await rejectionOf(reading), { type: 'precondition_failed' }, 'a reader gets an error')
  t.ok(read > 0 && read < LARGE_BYTES)
})

t.test('a finished request leaves no timer, even if data still arrives', async (t) => {
  const idle = createIdleTimeout()
  idle.end()
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  idle.madeProgress() // a rejected body is still being read
  t.equal(timers(), before)
})
