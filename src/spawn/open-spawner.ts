import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Spawner } from '../schema/index.ts'
import { type SandboxFacts, testSandboxes } from './sandbox.ts'
import { createChildProcessSpawner } from './child-process.ts'
import { createLauncherSpawner } from './launcher.ts'

export interface SpawnerSettings {
  /** `auto`: the launcher where it was built and works */
  use: 'auto' | 'launcher' | 'child_process'
  /** `auto`: Landlock everywhere but on Android */
  landlock: 'auto' | 'on' | 'off'
  /** argv of an external sandbox, such as `["bwrap", "--ro-bind", "/", "/", "--tmpfs", "{hidden}"]`; null: none */
  externalSandbox: string[] | null
  /** the shell and the environment of the sandboxes' self-test, and where it may make a folder; of `env` the launcher itself gets LD_PRELOAD alone (Termux) */
  shell: string
  env: Record<string, string>
  tmpDir: string
  /** process.platform */
  platform: string
  /** where the launcher was built; null: where scripts/build-launcher.mjs puts it */
  launcherPath: string | null
  /** a folder for named pipes, made anew; child_process alone needs it */
  pipesFolder?: string
}

/** The spawner in use, in words for /health and the start-up line, and the sandboxes it can put commands in. */
export interface OpenedSpawner {
  spawner: Spawner
  reason: string
  sandboxes: SandboxFacts
}

/** dist/launcher, seen from dist/main.js and its chunks, or from src/spawn/. */
function findLauncher(): string | null {
  const places = ['./launcher', '../../dist/launcher'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return places.find((path) => existsSync(path)) ?? null
}

/** The program of an external sandbox is found on PATH, as a shell would. */
function toAbsolute([program, ...rest]: string[], path: string): string[] {
  if (program === undefined || isAbsolute(program)) return program === undefined ? [] : [program, ...rest]
  const found = path.split(':').find((folder) => existsSync(join(folder, program)))
  return [found === undefined ? `/nonexistent/${program}` : join(found, program), ...rest]
}

function withoutLauncher(reason: string, { pipesFolder }: SpawnerSettings): OpenedSpawner {
  const spawner = createChildProcessSpawner(pipesFolder)
  return {
    spawner,
    reason: `${reason}; ${spawner.bestEffort}`,
    sandboxes: { available: ['none'], landlockAbi: 0, by: null, reason: `sandboxes need the launcher: ${reason}` },
  }
}

/** Picks a spawner and tests its sandboxes. Throws a plain Error only where `use` is `launcher` and there is none that works. */
export async function openSpawner(settings: SpawnerSettings): Promise<OpenedSpawner> {
  if (settings.use === 'child_process') return withoutLauncher('the settings say so', settings)
  const path = settings.launcherPath ?? findLauncher()
  if (path === null) {
    if (settings.use === 'launcher') throw new Error('the launcher was not built: scripts/build-launcher.mjs says why')
    return withoutLauncher('the launcher was not built (no C compiler at installation?)', settings)
  }
  const landlock = settings.landlock === 'auto' ? settings.platform !== 'android' : settings.landlock === 'on'
  const externalSandbox = settings.externalSandbox && toAbsolute(settings.externalSandbox, settings.env.PATH ?? '')
  const { LD_PRELOAD } = settings.env
  const launcherEnv: Record<string, string> = LD_PRELOAD === undefined ? {} : { LD_PRELOAD }
  try {
    const spawner = await createLauncherSpawner({ path, sandboxes: landlock, externalSandbox, env: launcherEnv })
    const test = { ...settings, path, landlock, externalSandbox, launcherEnv }
    const sandboxes = await testSandboxes(test, spawner.facts.landlockAbi)
    spawner.allowSandboxes(sandboxes.available)
    return { spawner, reason: 'the launcher was built and works', sandboxes }
  } catch (error) {
    if (settings.use === 'launcher') throw error
    return withoutLauncher(`the launcher does not work: ${(error as Error).message}`, settings)
  }
}
