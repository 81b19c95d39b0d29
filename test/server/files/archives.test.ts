import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { furthest, packFolder, unpackInto } from '../../../src/server/files/index.ts'

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-archives-')))
const at = (...names: string[]) => join(folder, ...names)
const modeOf = (...names: string[]) => (fs.lstatSync(at(...names)).mode & 0o777).toString(8)

async function packed(name: string, after = ''): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of packFolder(at(name), { after, hides: () => false }).pieces) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Unpacks the first `length` bytes of an archive of the entries of `from` after `after`; returns the last name that is complete. */
async function unpack(from: string, to: string, after = '', length = Infinity): Promise<string> {
  let through = after
  const archive = await packed(from, after)
  async function* bytes() {
    yield archive.subarray(0, length)
    if (length < archive.length) throw new Error('cut')
  }
  const onEntry = (name: string) => (through = furthest(through, name))
  const unpacking = { bytes: bytes(), temporary: at(to, '.part'), maxBytes: null, hides: () => false, onEntry }
  await unpackInto(at(to), unpacking).catch((error) => {
    if (error.message !== 'cut') throw error
  })
  return through
}

const directories = { '.': 0o750, a: 0o700, 'a/fixed': 0o555, z: 0o500 }
fs.mkdirSync(at('tree', 'a', 'fixed'), { recursive: true })
fs.mkdirSync(at('tree', 'z'))
for (const name of ['first', 'second']) fs.writeFileSync(at('tree', 'a', 'fixed', name), name.repeat(300))
fs.writeFileSync(at('tree', 'a', 'fixed', 'second'), 'x'.repeat(3000), { mode: 0o444 })
fs.writeFileSync(at('tree', 'a', 'last'), 'last')
fs.chmodSync(at('tree', 'a', 'fixed', 'second'), 0o444)
for (const [name, mode] of Object.entries(directories).reverse()) fs.chmodSync(at('tree', name), mode)
t.teardown(() => {
  for (const name of fs.readdirSync(folder)) {
    for (const inner of ['a/fixed', 'z']) if (fs.existsSync(at(name, inner))) fs.chmodSync(at(name, inner), 0o700)
  }
  fs.rmSync(folder, { recursive: true })
})

t.test('directories get their modes, wherever the archive was cut', async (t) => {
  const { length } = await packed('tree')
  for (let cut = 100; cut < length + 100; cut += 600) {
    const to = `cut${cut}`
    let after = await unpack('tree', to, '', cut)
    t.notOk(fs.existsSync(at(to, '.part')), `${to}: what is not whole is gone`)
    after = await unpack('tree', to, after, 2600)
    await unpack('tree', to, after)
    for (const [name, mode] of Object.entries(directories)) t.equal(modeOf(to, name), mode.toString(8), `${to}/${name}`)
    t.equal(fs.readFileSync(at(to, 'a', 'fixed', 'second'), 'utf8'), 'x'.repeat(3000))
    t.equal(fs.readFileSync(at(to, 'a', 'last'), 'utf8'), 'last')
  }
})

t.test('an existing directory keeps its mode', async (t) => {
  fs.mkdirSync(at('there', 'a'), { recursive: true })
  fs.chmodSync(at('there', 'a'), 0o777)
  await unpack('tree', 'there')
  t.equal(modeOf('there', 'a'), '777')
})

t.test('a parent directory does not move the last unpacked name back', (t) => {
  const rows: [string | null, string, string][] = [
    [null, 'a', 'a'],
    ['a/b', 'a', 'a/b'],
    ['a/b', 'a/c', 'a/c'],
    ['ab', 'a', 'a'],
  ]
  for (const [before, name, after] of rows) t.equal(furthest(before, name), after, `${before}, ${name}`)
  t.end()
})
