/** Shared by the tests of spawners: the available spawners, requests, and a reader for a command's output. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { buildLauncher } from '../../../src/server/spawn/launcher-build.mjs'
import { type Child, noLimits, type Spawner, type SpawnRequest } from '../../../src/shared/schema/index.ts'
import { createChildProcessSpawner } from '../../../src/server/spawn/index.ts'
import { createLauncherSpawner, type LauncherSpawner } from '../../../src/server/spawn/launcher.ts'
import { readStat } from '../../../src/server/spawn/scan-processes.ts'

/** A launcher built for this test file; `missing`: the reason why it could not be built. */
interface BuiltLauncher {
  /** its folder, which is removed when the process exits */
  folder: string
  path: string
  missing: string | null
}

/** Builds the launcher quickly, without optimization, or with other flags under another name. */
export function launcherFor(name = 'launcher', flags: string[] = ['-O0'], folder = ownFolder()): BuiltLauncher {
  const path = join(folder, name)
  return { folder, path, missing: buildLauncher(path, flags) }
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-spawn-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Compiles `test/fixtures/<file>.c` into the folder, with `more` files or flags; returns the program's path. */
export function program(file: string, folder: string, more: string[] = []): string {
  const path = join(folder, file.slice(file.lastIndexOf('/') + 1))
  execFileSync('cc', ['-o', path, fileURLToPath(new URL(`../../fixtures/${file}.c`, import.meta.url)), ...more])
  return path
}

/** Both spawners, for tests that each must pass. Without a launcher its half is skipped with the reason. */
export async function bothSpawners() {
  const { path, missing } = launcherFor()
  const spawners: Spawner[] = [createChildProcessSpawner()]
  if (missing === null) spawners.push(await createLauncherSpawner({ path, sandboxes: true }))
  t.teardown(() => Promise.all(spawners.map((one) => one.close())))
  const each = (name: string, body: (t: Test, spawner: Spawner) => Promise<void> | void) => {
    for (const spawner of spawners) {
      const title = spawner === spawners[1] ? 'child_process, lone' : spawner.name
      t.test(`${title}: ${name}`, (t) => body(t, spawner))
    }
    if (missing !== null) t.test(`launcher: ${name}`, { skip: missing }, () => {})
  }
  return { spawners, each }
}

let requests = 0

/** A script for /bin/sh in /, without a sandbox or limits, with a unique mark. */
export function request(script: string, more: Partial<SpawnRequest> = {}): SpawnRequest {
  return {
    script,
    shell: '/bin/sh',
    cwd: '/',
    env: { PATH: process.env.PATH! },
    mark: `spawntest.${process.pid}.${++requests}`,
    stdin: 'null',
    terminal: null,
    sandbox: { name: 'none', network: true, writable: [], hidden: [] },
    limits: noLimits,
    ...more,
  }
}

export interface Started {
  child: Child
  /** the stdout received so far */
  text(): string
  /** resolves when stdout has this many lines; rejects if the run ends with fewer */
  lines(count: number): Promise<string[]>
}

/** Starts a script and collects its stdout. */
export async function start(spawner: Spawner, script: string, more: Partial<SpawnRequest> = {}): Promise<Started> {
  const chunks: Buffer[] = []
  const watchers = new Set<() => void>()
  const onOutput = (stream: string, chunk: Buffer) => {
    if (stream === 'stdout') chunks.push(chunk)
    for (const watch of watchers) watch()
  }
  const child = await spawner.spawn(request(script, more), { onOutput })
  const text = () => Buffer.concat(chunks).toString()
  const lines = (count: number) =>
    new Promise<string[]>((resolve, reject) => {
      const watch = () => {
        const got = text().split('\n').slice(0, -1)
        if (got.length < count) return
        watchers.delete(watch)
        resolve(got)
      }
      watchers.add(watch)
      watch()
      void Promise.all([child.exited, child.closed]).then(([exit]) =>
        reject(new Error(`expected ${count} lines, got ${JSON.stringify(text())}, then ${JSON.stringify(exit)}`)),
      )
    })
  return { child, text, lines }
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
export const isAlive = (pid: number) => readStat(pid)?.alive === true

/** Why sandboxes cannot be tested here; null: they can. */
export const noLandlock = ({ facts }: LauncherSpawner, abi = 3): string | null =>
  facts.landlockAbi >= abi ? null : `needs Landlock ABI ${abi}, here it is ${facts.landlockAbi}`
