/**
 * Every script of test/support/session-scripts.ts in every shell, with and without a session: the exit status and both streams must be the same byte
 * for byte, and the state must be as the table says. The same in each sandbox and on a pretend phone.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import t, { type Test } from 'tap'
import { openSpawner } from '../../src/server/spawn/index.ts'
import { createLauncherSpawner } from '../../src/server/spawn/launcher.ts'
import type { Sandbox, SandboxName, Spawner } from '../../src/shared/schema/index.ts'
import { runScripts, type ScriptResult, type ShellName } from '../support/session-scripts.ts'
import { root } from '../support/helper.ts'
import { bwrapAlone } from '../support/sandbox/bwrap.ts'
import { launcherFor, noLandlock } from '../support/spawn/harness.ts'
import { appUid, home, launcher, prefix, startPhone, whyNot } from '../support/termux/phone.ts'

const { path, folder, missing } = launcherFor()
const ash = join(folder, 'ash')
if (existsSync('/usr/bin/busybox')) symlinkSync('/usr/bin/busybox', ash)
const shells = Object.fromEntries(
  Object.entries({ dash: '/usr/bin/dash', bash: '/usr/bin/bash', mksh: '/usr/bin/mksh', ash }).filter(([, file]) =>
    existsSync(file),
  ),
) as Partial<Record<ShellName, string>>

const runHere = (spawner: Spawner, sandbox?: (work: string) => Sandbox) =>
  runScripts(spawner, {
    ...{ shells, folder: join(folder, 'work'), stateFolder: join(folder, 'helpers'), path: process.env.PATH! },
    ...(sandbox && { sandbox }),
  })

const title = ({ shell, script }: ScriptResult) => `${shell}: ${JSON.stringify(script).slice(0, 100)}`

/** Compares the results; prints how many scripts ran in each shell, and how many of them show a session and keep a changed state. */
function check(t: Test, results: ScriptResult[]): void {
  for (const one of results) {
    const isSame = JSON.stringify(one.alone) === JSON.stringify(one.inSession)
    if (one.shows) t.notSame(one.inSession, one.alone, `${title(one)}: the README says that it shows the session`)
    else if (!isSame) t.same(one.inSession, one.alone, title(one))
    t.same(one.state, one.expected, title(one))
    t.notOk(one.isProofWrong, `${title(one)}: it changes the state`)
  }
  for (const shell of new Set(results.map((one) => one.shell))) {
    const own = results.filter((one) => one.shell === shell)
    const count = (fits: (one: ScriptResult) => boolean) => own.filter(fits).length
    const changed = count(({ state }) => typeof state === 'object' && Object.keys(state).length > 0)
    const unchanged = count(({ state }) => typeof state === 'object' && Object.keys(state).length === 0)
    t.comment(
      `${shell}: ${own.length} scripts; state changed ${changed}, unchanged ${unchanged}, not kept ${own.length - changed - unchanged}; ` +
        `session visible in ${count(({ shows }) => shows)}`,
    )
  }
}

t.test('scripts in a session', { skip: missing ?? false }, async (t) => {
  const spawner = await createLauncherSpawner({ path, sandboxes: true })
  t.teardown(() => spawner.close())
  const free = await runHere(spawner)
  await t.test('behave as without one', async (t) => check(t, free))

  /** A script that behaves as without a sandbox keeps the same state. */
  const checkSandboxed = (t: Test, results: ScriptResult[]) => {
    let count = 0
    for (const [at, one] of results.entries()) {
      if (!one.shows) t.same(one.inSession, one.alone, title(one))
      if (JSON.stringify(one.alone) !== JSON.stringify(free[at]!.alone)) continue
      count++
      t.same(one.state, free[at]!.state, title(one))
    }
    t.ok(count > results.length * 0.8, 'most scripts write no file')
    t.comment(`${results.length} scripts, ${count} of them as without a sandbox`)
  }

  for (const [name, network] of [
    ['read-only', true],
    ['read-only', false],
    ['workspace-write', true],
    ['workspace-write', false],
  ] as [SandboxName, boolean][]) {
    const sandboxTitle = `behave the same in ${name}, ${network ? 'with' : 'without'} network`
    await t.test(sandboxTitle, { skip: noLandlock(spawner) ?? false }, async (t) => {
      const sandbox = (work: string) => ({
        name,
        network,
        writable: name === 'workspace-write' ? [work] : [],
        hidden: [path],
      })
      checkSandboxed(t, await runHere(spawner, sandbox))
    })
  }

  const hides = ['--tmpfs', '{hidden}']
  const bwrap = [...bwrapAlone, '--die-with-parent']
  await t.test('behave the same in bwrap', { skip: whyNoBwrap(bwrap) ?? false }, async (t) => {
    const opened = await openSpawner({
      ...{ use: 'launcher', landlock: 'off', externalSandbox: [...bwrap, ...hides], shell: '/bin/sh' },
      ...{ env: { PATH: process.env.PATH! }, tmpDir: folder, platform: 'linux' },
      launchers: () => ({ launchers: [{ path, what: 'the launcher' }], notBuilt: null }),
    })
    t.teardown(() => opened.spawner.close())
    t.equal(opened.sandboxes.by, 'external', opened.sandboxes.reason ?? '')
    const hidden = join(folder, 'hidden')
    mkdirSync(hidden)
    const sandbox = () => ({ name: 'read-only' as const, network: true, writable: [], hidden: [hidden] })
    checkSandboxed(t, await runHere(opened.spawner, sandbox))
  })
})

function whyNoBwrap(bwrap: string[]): string | null {
  try {
    execFileSync(bwrap[0]!, [...bwrap.slice(1), 'true'], { stdio: 'ignore' })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

t.test('scripts in a session on a pretend phone', { skip: whyNot() ?? false }, async (t) => {
  const phone = await startPhone()
  t.teardown(() => phone.stop())
  const program = join(folder, 'scripts.cjs')
  buildSync({
    entryPoints: [join(root, 'test/support/session-scripts-program.ts')],
    ...{ bundle: true, platform: 'node', format: 'cjs', outfile: program },
  })
  const own = `${home}/scripts`
  mkdirSync(phone.path(own))
  copyFileSync(program, phone.path(`${own}/scripts.cjs`))
  copyFileSync(launcher, phone.path(`${own}/launcher`))
  for (const name of ['', '/scripts.cjs', '/launcher']) chownSync(phone.path(own + name), appUid, appUid)
  chmodSync(phone.path(`${own}/launcher`), 0o755)
  const where = {
    shells: { dash: `${prefix}/bin/sh`, bash: `${prefix}/bin/bash`, mksh: '/system/bin/sh' },
    ...{ folder: own, stateFolder: `${own}/helpers`, path: `${prefix}/bin` },
  }
  const script = `exec $PREFIX/libexec/node ${own}/scripts.cjs ${own}/launcher '${JSON.stringify(where)}'`
  const { code, stdout, stderr } = await phone.run(script)
  t.equal(code, 0, stderr)
  check(t, JSON.parse(stdout))
})
