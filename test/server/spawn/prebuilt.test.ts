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
