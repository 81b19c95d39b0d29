import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Spawner } from '../schema/index.ts'
import { type SandboxFacts, testSandboxes } from './sandbox.ts'
import { createChildProcessSpawner } from './child-process.ts'
import type { FoundLauncher } from './find-launcher.ts'
import { createLauncherSpawner } from './launcher.ts'

export interface SpawnerSettings {
  /** `auto`: the launcher where it was built and works */
  use: 'auto' | 'launcher' | 'child_process'
  /** `auto`: Landlock everywhere but on Android */
  landlock: 'auto' | 'on' | 'off'
  /** argv of an external sandbox, such as `["bwrap", "--ro-bind", "/", "/", "--dev", "/dev"]`; null: none */
  externalSandbox: string[] | null
  /** the shell and the environment of the sandboxes' self-test, and where it may make a folder; of `env` the launcher itself gets LD_PRELOAD alone (Termux) */
  shell: string
  env: Record<string, string>
  tmpDir: string
  /** process.platform */
  platform: string
  /** the launcher, looked for where it is wanted */
  launcher(): FoundLauncher
  /** a folder for named pipes, made anew; child_process alone needs it */
  pipesFolder?: string
}

/** The spawner in use, in words for /health and the start-up line, and the sandboxes it can put commands in. */
export interface OpenedSpawner {
  spawner: Spawner
  reason: string
  sandboxes: SandboxFacts
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
  const found = settings.launcher()
  if ('reason' in found) {
    if (settings.use === 'launcher') throw new Error(found.reason)
    return withoutLauncher(found.reason, settings)
  }
  const { path } = found
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
