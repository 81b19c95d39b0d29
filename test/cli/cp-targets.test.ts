import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { root, soon, startService } from '../support/helper.ts'
import { newFolder } from '../support/folders.ts'
import { mountSmall } from '../support/small-disk.ts'

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-cp-targets-')))
const service = await startService({ env: { HOME: folder } })
t.teardown(async () => {
  await service.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})
const at = (...names: string[]) => join(folder, ...names)
fs.writeFileSync(at('file'), 'content\n', { mode: 0o640 })

/** `shellphone cp …` beside the service. */
function cp(...args: string[]) {
  const options = { cwd: folder, env: { ...process.env, SHELLPHONE_HOME: service.home } }
  return new Promise<{ code: number; err: string }>((resolve) => {
    execFile(process.execPath, [join(root, 'dist/main.js'), 'cp', ...args], options, (error, _out, err) =>
      resolve({ code: error ? Number(error.code) : 0, err }),
    )
  })
}

t.test('a download writes through a link', async (t) => {
  fs.mkdirSync(at('real'))
  fs.writeFileSync(at('real', 'old'), 'old\n')
  fs.symlinkSync('real/old', at('link'))
  t.same(await cp(':file', 'link'), { code: 0, err: '' })
  t.ok(fs.lstatSync(at('link')).isSymbolicLink())
  t.equal(fs.readFileSync(at('real', 'old'), 'utf8'), 'content\n')

  fs.symlinkSync('nowhere', at('dangling'))
  t.match(await cp(':file', 'dangling'), {
    code: 3,
    err: /dangling: expected a file or a new name, got a dangling symbolic link/,
  })
  t.equal(fs.readlinkSync(at('dangling')), 'nowhere')
})

t.test('a download for which the disk has no room names the file, and leaves nothing', async (t) => {
  const disk = newFolder(t, 'cp-disk')
  const skip = mountSmall(t, disk)
  if (skip !== null) return t.pass('full', { skip })
  fs.writeFileSync(at('large'), Buffer.alloc(3_000_000))
  const target = join(disk, 'large')
  const { code, err } = await cp(':large', target)
  t.equal(code, 3)
  t.equal(err, `shellphone: ${target}: ENOSPC: no space left on device, write\n`)
  t.same(fs.readdirSync(disk), [])
})

t.test('a download is written to a FIFO', async (t) => {
  execFileSync('mkfifo', [at('fifo')])
  const reading = fs.promises.open(at('fifo'), fs.constants.O_RDWR)
  const handle = await reading // opening it for both reading and writing does not block
  t.same(await soon(cp(':file', 'fifo')), { code: 0, err: '' })
  t.ok(fs.lstatSync(at('fifo')).isFIFO())
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(100), 0, 100, null)
  t.equal(buffer.toString('utf8', 0, bytesRead), 'content\n')
  await handle.close()
})

t.test('an upload refuses what is no file, and leaves the target', async (t) => {
  execFileSync('mkfifo', [at('source')])
  for (const [path, kind] of [['source', 'pipe'] as const, ['/dev/null', 'device'] as const]) {
    const err = `shellphone: cp: ${path}: expected a file or a directory, got a ${kind}; to copy what it delivers, run shellphone cp - TO <'${path}'\n`
    t.same(await soon(cp(path, ':file')), { code: 2, err })
  }
  t.equal(fs.readFileSync(at('file'), 'utf8'), 'content\n')
})

t.test('an upload copies a file that has data, but no size', async (t) => {
  t.same(await cp('/proc/self/mounts', ':mounts'), { code: 0, err: '' })
  t.ok(fs.readFileSync(at('mounts'), 'utf8').includes(' /proc '))
  fs.writeFileSync(at('empty'), '')
  fs.chmodSync(at('empty'), 0o666)
  t.same(await cp('empty', ':copy'), { code: 0, err: '' })
  t.equal(fs.statSync(at('copy')).mode & 0o777, 0o666, 'the mode of an empty file is kept')
})

t.test('a link that is copied into a directory keeps its own name', async (t) => {
  fs.mkdirSync(at('in'))
  fs.symlinkSync('file', at('alias'))
  t.same(await cp('alias', ':in/'), { code: 0, err: '' })
  t.same(fs.readdirSync(at('in')), ['alias'])
})
