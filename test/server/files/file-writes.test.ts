import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { createUploads, type UploadPart, uploadedBytes, writeFile } from '../../../src/server/files/index.ts'
import { openFolder, openWithin } from '../../../src/server/files/folder.ts'
import { soon, until } from '../../support/helper.ts'

const folder = fs.realpathSync(t.testdir({}))
const at = (...names: string[]) => join(folder, ...names)
fs.mkdirSync(at('home'))
const uploads = createUploads(at('home'))

async function* only(text: string) {
  yield Buffer.from(text)
}

/** A complete file in one request; `more` overrides fields. */
const partOf = (text: string, more: Partial<UploadPart> = {}): UploadPart => ({
  key: null,
  start: 0,
  length: text.length,
  total: text.length,
  bytes: only(text),
  maxBytes: null,
  mode: null,
  checkReplaced: () => {},
  stop: () => {},
  canceled: new AbortController().signal,
  ...more,
})

t.test('flushes the bytes of a file before it gets its name, and the name before the response', async (t) => {
  const calls: string[] = []
  const handle = await open(at('home'))
  const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void> }
  await handle.close()
  const { sync } = prototype
  const { renameSync, fsync } = fs
  t.teardown(() => {
    Object.assign(prototype, { sync })
    Object.assign(fs, { renameSync, fsync })
    syncBuiltinESMExports()
  })
  prototype.sync = function () {
    calls.push('flush the file')
    return sync.call(this)
  }
  const spied = {
    renameSync(from: string, to: string) {
      if (to.endsWith('/file')) calls.push('rename it')
      renameSync(from, to)
    },
    fsync(descriptor: number, done: () => void) {
      calls.push('flush the directory')
      fsync(descriptor, done)
    },
  }
  Object.assign(fs, spied)
  syncBuiltinESMExports()
  t.match(await writeFile(at('file'), partOf('content'), uploads), { isWhole: true })
  t.same(calls, ['flush the file', 'rename it', 'flush the directory'])
})

t.test('does not open a link that replaces a directory', async (t) => {
  fs.mkdirSync(at('real'))
  fs.symlinkSync('real', at('link'))
  t.throws(() => openFolder(at('link')), { code: 'ENOTDIR' })
  const parent = openFolder(folder)
  t.teardown(() => parent.close())
  t.throws(() => openWithin(parent, 'link'), { code: 'ENOTDIR' })
  openWithin(parent, 'real').close()
})

t.test('refuses the rest of an upload if its directory was moved meanwhile', async (t) => {
  fs.mkdirSync(at('here'))
  const half = { key: 'moved', total: 8 }
  t.match(await writeFile(at('here', 'file'), partOf('half', half), uploads), { isWhole: false, bytes: 4 })
  const mayReplace = () => fs.existsSync(at('here')) && fs.renameSync(at('here'), at('there'))
  const rest = writeFile(at('here', 'file'), partOf('rest', { ...half, start: 4, checkReplaced: mayReplace }), uploads)
  await t.rejects(rest, { code: 'CONFLICT', message: /moved or replaced during the request/ })
  t.notOk(fs.existsSync(at('there', 'file')))
})

t.test('an upload that is canceled before the rename does not get its name', async (t) => {
  const canceling = new AbortController()
  let checks = 0
  const mayReplace = () => ++checks === 2 && canceling.abort()
  const canceled = writeFile(
    at('canceled'),
    partOf('x', { checkReplaced: mayReplace, canceled: canceling.signal }),
    uploads,
  )
  await t.rejects(canceled, { message: 'canceled before the file was complete' })
  t.equal(checks, 2, 'at the last moment')
  t.same(
    fs.readdirSync(folder).filter((name) => name === 'canceled' || name.endsWith('.part')),
    [],
  )
})

t.test('a refused upload leaves nothing behind, even one that could be resumed', async (t) => {
  async function* twice(text: string) {
    yield* only(text)
    yield* only(text)
  }
  for (const [what, code, more] of [
    ['longer than it was to be', 'VALIDATION_ERROR', { length: null, total: 4 }],
    ['larger than a file may be', 'TOO_LARGE', { length: 8, total: 9, maxBytes: 4 }],
  ] as const) {
    const part = partOf('', { key: what, bytes: twice('half'), ...more })
    await t.rejects(writeFile(at('refused'), part, uploads), { code }, what)
    t.equal(await uploadedBytes(what, uploads), 0, what)
  }
  t.same(
    fs.readdirSync(folder).filter((name) => name === 'refused' || name.endsWith('.part')),
    [],
  )
})

t.test('an upload resumes where it stopped after a crash of the service', async (t) => {
  const key = 'crashed'
  let crashed = () => {}
  async function* cutOff() {
    yield Buffer.from('half')
    await new Promise<void>((resolve) => (crashed = resolve))
  }
  const writing = writeFile(at('crashed'), partOf('half', { key, total: 8, bytes: cutOff() }), uploads)
  await until(() => fs.readdirSync(folder).some((name) => name.endsWith('.part') && fs.statSync(at(name)).size === 4))
  const next = createUploads(at('home')) // as the next service would read it
  t.equal(await uploadedBytes(key, next), 4)
  const rest = await writeFile(at('crashed'), partOf('rest', { key, start: 4, total: 8 }), next)
  t.match(rest, { isWhole: true })
  t.equal(fs.readFileSync(at('crashed'), 'utf8'), 'halfrest')
  crashed()
  await writing
})

t.test('an upload of a file that its owner may not open can be resumed', async (t) => {
  for (const mode of [0o444, 0o044, 0]) {
    const name = `mode ${mode.toString(8)}`
    const half = { key: name, total: 8, mode }
    t.match(await writeFile(at(name), partOf('half', half), uploads), { isWhole: false, bytes: 4 }, name)
    const part = fs.readdirSync(folder).find((one) => one.endsWith('.part'))!
    t.equal(fs.statSync(at(part)).mode & 0o600, 0o600, `${name}: the part can be opened again without root`)
    t.match(await writeFile(at(name), partOf('rest', { ...half, start: 4 }), uploads), { isWhole: true }, name)
    t.equal(fs.statSync(at(name)).mode & 0o777, mode, name)
  }
})

t.test('a query of an upload’s progress stops the request that still sends it', async (t) => {
  let stop: (() => void) | undefined
  async function* stalled() {
    yield Buffer.from('half')
    await new Promise<void>((resolve) => (stop = resolve))
    throw new Error('stopped')
  }
  const part = { key: 'stalled', length: 8, total: 8, bytes: stalled(), stop: () => stop!() }
  const writing = t.rejects(writeFile(at('stalled'), partOf('', part), uploads), { message: 'stopped' })
  await until(() => stop !== undefined)
  t.equal(await soon(uploadedBytes('stalled', uploads)), 4)
  await writing
  t.match(await writeFile(at('stalled'), partOf('rest', { key: 'stalled', start: 4, total: 8 }), uploads), {
    isWhole: true,
  })
})

t.test('removes an interrupted upload after a day', async (t) => {
  fs.mkdirSync(at('aged'))
  const rows = [23, 25].map((hours) => {
    const temporary = at(`.shellphone-00000000000000${hours}.part`)
    fs.writeFileSync(temporary, 'half')
    return { id: `${hours} hours`, temporary, isKeyed: true, bytes: 4, at: Date.now() - hours * 3_600_000 }
  })
  fs.writeFileSync(at('aged', 'uploads.json'), JSON.stringify(rows))
  const found = createUploads(at('aged'))
  t.equal(await uploadedBytes('23 hours', found), 4)
  t.equal(await uploadedBytes('25 hours', found), 0)
  t.same(
    rows.map(({ temporary }) => fs.existsSync(temporary)),
    [true, false],
  )
  fs.rmSync(rows[0]!.temporary)
})
