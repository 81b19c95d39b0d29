import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createReach } from '../../../src/server/exec/reach.ts'
import { soon, startService, until } from '../../support/helper.ts'
import { createMovedClock } from '../../support/moved-clock.ts'
import { program } from '../../support/spawn/harness.ts'

/** A disk on which some paths hang until the test releases them. */
function createDisk() {
  const hung = new Map<string, () => void>()
  const asked: string[] = []
  const ask = (path: string) => {
    asked.push(path)
    if (!path.startsWith('/hung')) return path === '/none' ? Promise.reject(new Error('ENOENT')) : Promise.resolve()
    return new Promise<void>((resolve) => hung.set(path, resolve))
  }
  return { ask, asked, let: (path: string) => hung.get(path)!() }
}

/** Why nothing can be compiled here; false: it can. */
function noCompiler(): string | false {
  try {
    execFileSync('cc', ['--version'])
    return false
  } catch {
    return 'no C compiler'
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('limits how long and how many checks wait for a path that does not respond', async (t) => {
  const clock = createMovedClock()
  const disk = createDisk()
  const reach = createReach({ usual: () => '/home', home: '/own', ask: disk.ask, clock })
  t.same(await Promise.all(['/home', '/a', '/none', '/b'].map(reach)), [true, true, true, true])
  const answers: string[] = []
  const ask = async (path: string) => answers.push(`${path} ${await reach(path)}`)
  const all = [ask('/hung/1')]
  await turn()
  t.ok(await reach('/a'), 'next to a hung mount')
  all.push(ask('/hung/2'), ask('/hung/3'), ask('/a'))
  await turn()
  t.same([answers, disk.asked.filter((path) => path.startsWith('/hung'))], [[], ['/hung/1', '/hung/2']])
  t.ok(await reach('/home'), 'the usual directory next to two hung mounts')
  clock.move(4999)
  await turn()
  t.same(answers, [])
  clock.move(1)
  await Promise.all(all)
  t.same(answers.sort(), ['/a false', '/hung/1 false', '/hung/2 false', '/hung/3 false'])
  disk.let('/hung/1')
  await turn()
  t.ok(await reach('/b'), 'a hung mount responds again')
  t.equal(clock.waiting(), 0)
})

t.test('checks a path once for all commands that name it, and no directory above the home', async (t) => {
  const disk = createDisk()
  const reach = createReach({ usual: () => '/', home: '/hung/user/.own', ask: disk.ask })
  t.same(await Promise.all(['/', '/hung', '/hung/user', '/hung/user/.own'].map(reach)), [true, true, true, true])
  t.same(disk.asked, [])
  const both = [reach('/hung/use'), reach('/hung/use')]
  t.ok(await reach('/a'), 'they leave room for another check')
  disk.let('/hung/use')
  t.same(await Promise.all(both), [true, true])
  t.same(disk.asked, ['/hung/use', '/a'])
})

t.test('a hung mount delays only the command that names it', { skip: noCompiler() }, async (t) => {
  const folder = t.testdir({ mnt: { 'hung-mount': {} } })
  const LD_PRELOAD = program('spawn/hung-mount', folder, ['-shared', '-fPIC'])
  const [asked, released] = [join(folder, 'asked'), join(folder, 'released')]
  const service = await startService({ env: { LD_PRELOAD, HUNG_ASKED: asked, HUNG_RELEASED: released } })
  t.teardown(() => service.stop())
  const answered: string[] = []
  const run = async (name: string, body: object) => {
    const reply = await service.post('/exec', { command: 'pwd', ...body })
    answered.push(name)
    return reply.json()
  }
  const hung = run('hung', { working_directory: join(folder, 'mnt/hung-mount') })
  await until(() => existsSync(asked))
  t.match(await soon(run('other', {})), { status: 'completed' })
  writeFileSync(released, '')
  t.match(await soon(hung), { status: 'completed', stdout: /hung-mount/ })
  t.same(answered, ['other', 'hung'])
})
