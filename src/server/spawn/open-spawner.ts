import { isAbsolute } from 'node:path'
import type { Spawner } from '../../shared/schema/index.ts'
import { type SandboxFacts, testSandboxes } from './sandbox.ts'
import { createChildProcessSpawner } from './child-process.ts'
import type { Found, FoundLauncher } from './find-launcher.ts'
import { createLauncherSpawner, type LauncherSpawner } from './launcher.ts'
import { toErrorName } from './launcher-protocol.ts'
import { proveLauncher } from './prove-launcher.ts'
import { findProgram } from './run-tool.ts'

export interface SpawnerSettings {
  /** `auto`: a launcher if one works, otherwise child_process */
  use: 'auto' | 'launcher' | 'child_process'
  /** `auto`: Landlock everywhere except on Android */
  landlock: 'auto' | 'on' | 'off'
  /** argv of an external sandbox, such as `["bwrap", "--ro-bind", "/", "/", "--tmpfs", "{hidden}"]`; null: none */
  externalSandbox: string[] | null
  /** the shell, environment and temporary directory of the self-tests; the launcher itself gets only LD_PRELOAD of `env` (Termux) */
  shell: string
  env: Record<string, string>
  tmpDir: string
  /** process.platform */
  platform: string
  /** finds the launchers to try; called only if one is wanted */
  launchers(): Found
  /** a directory for named pipes, emptied first; only child_process needs it */
  pipesFolder?: string
}

/** The spawner in use, the reason for it (shown by /health and at startup), and the sandboxes that it supports. */
export interface OpenedSpawner {
  spawner: Spawner
  reason: string
  sandboxes: SandboxFacts
  /** why commands cannot have a terminal; null: they can */
  noTerminal: string | null
}

/** Finds the program of an external sandbox on PATH, as a shell does. */
function toAbsolute([program, ...rest]: string[], path: string): string[] {
  if (program === undefined || isAbsolute(program)) return program === undefined ? [] : [program, ...rest]
  return [findProgram(program, path) ?? `/nonexistent/${program}`, ...rest]
}

function withoutLauncher(reason: string, { pipesFolder }: SpawnerSettings): OpenedSpawner {
  const spawner = createChildProcessSpawner(pipesFolder)
  return {
    spawner,
    reason: `${reason}; ${spawner.bestEffort}`,
    sandboxes: { available: ['none'], landlockAbi: 0, by: null, reason: `sandboxes need the launcher: ${reason}` },
    noTerminal: `terminals need the launcher: ${reason}`,
  }
}

/** How to get a launcher: the service builds one when it starts, if it finds a compiler. */
const cure = (platform: string) =>
  `${platform === 'android' ? '`pkg install clang`' : 'install a C compiler (gcc or clang)'} and restart the service`

async function proved(starting: Promise<LauncherSpawner>, shell: string, env: Record<string, string>) {
  const spawner = await starting
  try {
    await proveLauncher(spawner, shell, env)
    return spawner
  } catch (error) {
    await spawner.close()
    throw error
  }
}

/** Starts a launcher and runs the self-tests of the launcher and its sandboxes. */
async function openLauncher({ path, what }: FoundLauncher, settings: SpawnerSettings): Promise<OpenedSpawner> {
  const { shell, env, platform } = settings
  const landlock = settings.landlock === 'auto' ? platform !== 'android' : settings.landlock === 'on'
  const externalSandbox = settings.externalSandbox && toAbsolute(settings.externalSandbox, env.PATH ?? '')
  const launcherEnv: Record<string, string> = env.LD_PRELOAD === undefined ? {} : { LD_PRELOAD: env.LD_PRELOAD }
  const starting = createLauncherSpawner({ path, sandboxes: landlock, externalSandbox, env: launcherEnv })
  const [spawner, sandboxes] = await Promise.all([
    proved(starting, shell, env),
    testSandboxes(starting, { ...settings, landlock, externalSandbox }),
  ])
  spawner.allowSandboxes(sandboxes.available)
  const { terminalErrno } = spawner.facts
  const noTerminal = terminalErrno === 0 ? null : `this system cannot open a terminal: ${toErrorName(terminalErrno)}`
  return { spawner, reason: `${what} works`, sandboxes, noTerminal }
}

/** Builds a launcher again if it does not work: its file may have been damaged since an earlier start built it. */
async function openOrRebuild(found: FoundLauncher, settings: SpawnerSettings): Promise<OpenedSpawner> {
  try {
    return await openLauncher(found, settings)
  } catch (error) {
    if (found.rebuild === undefined) throw error
    const { message } = error as Error
    const reason = found.rebuild()
    if (reason !== null) throw new Error(`${message}, and it could not be built again (${reason})`)
    const opened = await openLauncher(found, settings)
    return { ...opened, reason: `${opened.reason}; it was built again, because it did not work: ${message}` }
  }
}

/** Picks a spawner and tests its sandboxes. Throws a plain Error only if `use` is `launcher` and no launcher works. */
export async function openSpawner(settings: SpawnerSettings): Promise<OpenedSpawner> {
  if (settings.use === 'child_process') return withoutLauncher('the configuration selects child_process', settings)
  const { launchers, notBuilt } = settings.launchers()
  const reasons = notBuilt === null ? [] : [notBuilt]
  for (const found of launchers) {
    try {
      const opened = await openOrRebuild(found, settings)
      return { ...opened, reason: [opened.reason, ...reasons].join('; ') }
    } catch (error) {
      reasons.push(`${found.what} does not work: ${(error as Error).message}`)
    }
  }
  const reason = `no launcher works: ${reasons.join('; ')}; to build one, ${cure(settings.platform)}`
  if (settings.use === 'launcher') throw new Error(reason)
  return withoutLauncher(reason, settings)
}
