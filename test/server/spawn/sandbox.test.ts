import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createLauncherSpawner } from '../../../src/server/spawn/launcher.ts'
import { attempts, expectedAt } from '../../support/sandbox/attempts.ts'
import { openScene, withDescriptor } from '../../support/sandbox/sandbox-scene.ts'
import { launcherFor, noLandlock, start } from '../../support/spawn/harness.ts'
import { wants } from '../../support/helper.ts'

const { folder, path, missing } = launcherFor()
wants(t, missing && `no launcher: ${missing}`)

const scene = openScene(folder)
t.teardown(() => scene.close())

/** A launcher that supports only ABIs up to this one, built quickly. */
const launcherOf = (abi: number) =>
  launcherFor(`launcher-abi-${abi}`, ['-O0', `-DLANDLOCK_ABI_MAX=${abi}`], folder).path

for (const abi of [3, 4, 5, 6]) {
  t.test(`what each sandbox denies with Landlock ABI ${abi}${abi < 6 ? '' : ' and more'}`, async (t) => {
    const launcher = withDescriptor(abi < 6 ? launcherOf(abi) : path, folder)
    const spawner = await createLauncherSpawner({ path: launcher, sandboxes: true, slots: 1 })
    t.teardown(() => spawner.close())
    const reason = noLandlock(spawner, abi)
    if (reason) return t.plan(0, reason)
    const all = await scene.attemptAll(spawner)
    const rows = attempts.map(([what, , expected], index) => ({ what, expected, found: all[index]! }))
    const isNowhere = ({ expected, found }: (typeof rows)[number]) => found[0] === 'n' && expected[0] === 'y'
    for (const { what } of rows.filter(isNowhere)) t.comment(`${what}: not possible here even without a sandbox`)
    const tried = rows.filter((row) => !isNowhere(row))
    t.same(
      tried.map(({ what, found }) => [what, found]),
      tried.map(({ what, expected }) => [what, expectedAt(abi, what, expected)]),
    )
    t.equal(readFileSync(join(folder, 'inherited'), 'utf8'), '', 'no descriptor of the service reaches a command')
  })
}

t.test('below Landlock ABI 3 there is no sandbox', async (t) => {
  for (const abi of [1, 2]) {
    const spawner = await createLauncherSpawner({ path: launcherOf(abi), sandboxes: true })
    t.teardown(() => spawner.close())
    if (noLandlock(spawner, abi)) continue
    const sandbox = { name: 'read-only' as const, network: true, writable: [], hidden: [] }
    await t.rejects(start(spawner, 'true', { sandbox }), { message: /sandbox/ }, String(abi))
  }
})

t.test('ordinary tools work in a sandbox', async (t) => {
  const spawner = await createLauncherSpawner({ path, sandboxes: true, slots: 1 })
  t.teardown(() => spawner.close())
  const reason = noLandlock(spawner)
  if (reason) return t.plan(0, reason)
  const work = join(folder, 'tools')
  mkdirSync(work)
  const node = (code: string) => `${process.execPath} -e "${code}"`
  const rows = [
    'nice -n 3 true && ionice -c 3 true && taskset 1 true && chrt -b 0 true && prlimit --nofile=100 true',
    'ulimit -n 100 && ulimit -t 100 && (ulimit -f 100; true) & wait $!',
    node("require('child_process').execSync('true'); require('os').setPriority(0, 19)"),
    node("new (require('worker_threads').Worker)('1', { eval: true })"),
    node("require('crypto').randomBytes(9)"),
    'echo x > a && cp a b && cp -p a c && chmod +x a && touch -d yesterday a && tar cf d a b && mkdir e && tar xf d -C e && mv e f',
    'echo x > /dev/null; echo x >> /dev/stderr; cat /dev/zero | head -c 9 > zeros; [ -s zeros ]; head -c 9 /dev/urandom > random',
    ': < /dev/full; ls /dev /dev/pts > /dev/null; yes | head -n 9 | sort | uniq > sorted',
  ]
  for (const script of rows) {
    const { child } = await start(spawner, `set -e; ${script}`, {
      cwd: work,
      sandbox: { name: 'workspace-write', network: false, writable: [work], hidden: [] },
    })
    t.equal((await child.exited).exitCode, 0, script)
  }
})
