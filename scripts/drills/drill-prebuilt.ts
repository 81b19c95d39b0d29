/**
 * Checks the prebuilt launchers. Two builds must be equal, each launcher must pass its self-test in qemu-user (and natively if this processor can
 * run it), and the launcher for arm64 must kill processes that try to escape. qemu 7.2 lacks child subreapers (test/fixtures/spawn/qemu.c uses
 * the host's). It also lacks seccomp filters and Landlock, so sandboxes are not available, and memory shared between clone and exec, so a step
 * that fails before exec results in exit code 127.
 *
 *     npx tsx scripts/drills/drill-prebuilt.ts        after sh scripts/test/apt-packages.sh cross
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLauncherSpawner, type LauncherSpawner } from '../../src/server/spawn/launcher.ts'
import { proveLauncher } from '../../src/server/spawn/prove-launcher.ts'
import { escapes } from '../../test/support/spawn/escapes.ts'
import { until } from '../../test/support/helper.ts'
import { isAlive, program, request } from '../../test/support/spawn/harness.ts'
import { prebuildLauncher, targets } from '../build/prebuild-launcher.mjs'

const folder = mkdtempSync(join(tmpdir(), 'drill-prebuilt-'))
const shim = fileURLToPath(new URL('../../test/fixtures/spawn/qemu.c', import.meta.url))
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const env = { PATH: process.env.PATH! }

type Target = (typeof targets)[number]

function build(target: Target, name: string, more: string[] = []): string {
  const path = join(folder, `${name}-${target.arch}`)
  const reason = prebuildLauncher(target, path, more)
  if (reason) throw new Error(`${target.arch}: ${reason}`)
  return path
}

/** Writes a script that runs a binary in qemu. `preload`: a library to load into qemu itself. */
function inQemu({ qemu }: Target, binary: string, preload: string): string {
  const path = `${binary}.sh`
  writeFileSync(path, `#!/bin/sh\nLD_PRELOAD=${preload} exec ${qemu} -E LD_PRELOAD= ${binary} "$@"\n`, { mode: 0o755 })
  return path
}

async function prove(path: string): Promise<string> {
  let spawner: LauncherSpawner | undefined
  try {
    spawner = await createLauncherSpawner({ path, sandboxes: true })
    await proveLauncher(spawner, '/bin/sh', env)
    return 'works'
  } catch (error) {
    return (error as Error).message
  } finally {
    await spawner?.close()
  }
}

async function escape(path: string): Promise<void> {
  const escapee = program('spawn/escapee', folder)
  const spawner = await createLauncherSpawner({ path, sandboxes: false })
  for (const [index, [name, script, graceMs]] of escapes.entries()) {
    const file = join(folder, `escaped${index}`)
    const filled = script.replace('ESCAPEE', escapee).replace('FILE', file)
    const child = await spawner.spawn(request(filled), { onOutput: () => {} })
    await until(() => existsSync(file))
    const pid = Number(readFileSync(file, 'utf8'))
    const found = (await child.leftBehind()).includes(pid)
    const { survivors } = await child.end(graceMs)
    expect(`arm64: escaped ${name}`, `${found ? 'found' : 'lost'}, ${isAlive(pid) ? 'alive' : 'ended'}`, 'found, ended')
    if (survivors.length > 0) throw new Error(`survivors: ${survivors.join()}`)
  }
  await spawner.close()
}

function expect(what: string, found: string, wanted: string) {
  console.log(`${what}: ${found}`)
  if (!found.endsWith(wanted)) throw new Error(`${what}: expected ${wanted}`)
}

const preload = join(folder, 'qemu.so')
execFileSync('cc', ['-shared', '-fPIC', '-o', preload, shim])
for (const target of targets) {
  const { arch } = target
  const shipped = build(target, 'launcher')
  expect(`${arch}: built twice, sha256`, sha256(build(target, 'again')), sha256(shipped))
  if (process.arch === 'x64' && ['x64', 'ia32'].includes(arch)) expect(`${arch}: here`, await prove(shipped), 'works')
  expect(`${arch}: in qemu`, await prove(inQemu(target, shipped, '')), 'by which a run is found again')
  const helped = inQemu(target, build(target, 'helped', ['-Dprctl=guest_prctl', '-DGUEST', shim]), preload)
  expect(`${arch}: in qemu, with the host's subreapers`, await prove(helped), 'works')
  if (arch === 'arm64') await escape(helped)
}
rmSync(folder, { recursive: true })
