import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { openSpawner, type SpawnerSettings } from '../../../src/server/spawn/index.ts'
import { findLaunchers, type FoundLauncher } from '../../../src/server/spawn/find-launcher.ts'
import { launcherFor } from '../../support/spawn/harness.ts'

const { folder, path, missing } = launcherFor('launcher', ['-O0'])
/** Offers exactly these launchers. */
const only = (launchers: FoundLauncher[]) => () => ({ launchers, notBuilt: null })
const settings: SpawnerSettings = {
  use: 'auto',
  landlock: 'off',
  externalSandbox: null,
  shell: '/bin/sh',
  env: { PATH: process.env.PATH! },
  tmpDir: folder,
  platform: 'android',
  launchers: only([]),
}

t.test('reports what was tried, why it failed and how to fix it if no launcher works', async (t) => {
  const launchers = [
    { path: '/nonexistent', what: 'the launcher built here' },
    { path: '/bin/true', what: 'the prebuilt launcher for arm64' },
  ]
  const { spawner, reason } = await openSpawner({ ...settings, launchers: only(launchers) })
  t.teardown(() => spawner.close())
  t.equal(spawner.name, 'child_process')
  t.match(reason, /^no launcher works: the launcher built here does not work: .*ENOENT; the prebuilt launcher/)
  t.match(reason, /for arm64 does not work: .*exited immediately; to build one, `pkg install clang` and restart/)
  await t.rejects(openSpawner({ ...settings, launchers: only(launchers), use: 'launcher' }), {
    message: /^no launcher works/,
  })
})

t.test(
  'tries the next launcher, which must run a shell and find the processes that it leaves',
  { skip: missing ?? false },
  async (t) => {
    const good = { path, what: 'the good one' }
    const { spawner, reason } = await openSpawner({
      ...settings,
      launchers: only([{ path: '/bin/false', what: 'the bad one' }, good]),
    })
    t.equal(spawner.name, 'launcher')
    t.match(reason, /^the good one works; the bad one does not work: .*exited immediately$/)
    await spawner.close()
    const failed = await openSpawner({ ...settings, launchers: only([good]), shell: '/bin/false' })
    t.match(failed.reason, /the good one does not work: its self-test ended with exit code 1, not with exit code 42/)
    await failed.spawner.close()
  },
)

t.test('prefers a launcher built here to a prebuilt one', async (t) => {
  const order = findLaunchers(folder).launchers.map(({ what }) => what)
  t.same(
    order,
    [...order].sort((a) => (a.includes('built here') ? -1 : 1)),
  )
})

t.test('builds a damaged launcher again', { skip: missing ?? false }, async (t) => {
  const home = t.testdir({})
  const calls = join(home, 'calls')
  const compiler = join(home, 'compiler') // fast: copies the launcher that this test has built
  writeFileSync(
    compiler,
    `#!/bin/sh\necho x >> ${calls}\nwhile [ "$1" != -o ]; do shift; done\ncat > /dev/null\ncp ${path} "$2"\n`,
  )
  chmodSync(compiler, 0o755)
  t.intercept(process, 'env', { value: { ...process.env, CC: compiler } })
  const open = () => openSpawner({ ...settings, launchers: () => findLaunchers(home, 'none', join(home, 'dist')) })
  const built = await open()
  t.equal(built.reason, 'the launcher built here works')
  await built.spawner.close()
  const cached = join(
    home,
    readdirSync(home).find((name) => name.startsWith('launcher-'))!,
  )
  const whole = readFileSync(path)

  const cuts = Array.from({ length: 10 }, (_, tenth) => whole.subarray(0, Math.floor((whole.length * tenth) / 10)))
  const zeros = Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096)])
  for (const damaged of [...cuts, zeros]) {
    const before = readFileSync(calls).length
    writeFileSync(cached, damaged)
    const { spawner, reason } = await open()
    const builds = (readFileSync(calls).length - before) / 2
    t.equal(spawner.name, 'launcher', `${damaged.length} of ${whole.length} bytes: ${reason}`)
    t.equal(
      builds,
      whole.equals(readFileSync(cached)) ? 1 : 0,
      'it was built again, or it works without its last bytes',
    )
    await spawner.close()
  }

  writeFileSync(cached, '')
  writeFileSync(compiler, '#!/bin/sh\ncat > /dev/null; echo no space left >&2; exit 1\n')
  const { spawner, reason } = await open()
  t.equal(spawner.name, 'child_process')
  t.match(reason, /does not work: .*exited immediately, and it could not be built again \(.*: no space left\)/)
  await spawner.close()
  t.same(
    readdirSync(home).filter((name) => name.startsWith('launcher-')),
    [basename(cached)],
    'no temporary file is left',
  )
})
