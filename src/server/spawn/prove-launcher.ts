import { noLimits, type SpawnRequest } from '../../shared/schema/index.ts'
import type { LauncherSpawner } from './launcher.ts'

/** The spawn request of a self-test. */
export function selfTest(
  script: string,
  { shell, env }: Pick<SpawnRequest, 'shell' | 'env'>,
  more: Partial<SpawnRequest> = {},
): SpawnRequest {
  const sandbox = { name: 'none' as const, network: true, writable: [], hidden: [] }
  const where = { shell, env, cwd: '/', mark: '', stdin: 'null' as const, terminal: null }
  return { script, ...where, sandbox, limits: noLimits, ...more }
}

/** A shell that leaves a process behind. */
const SCRIPT = 'sleep 60 & exit 42'

/**
 * The self-test: runs a shell, then finds and kills the process that it left behind. Rejects with a plain Error if that fails: a binary
 * for another machine may start without being able to do this.
 */
export async function proveLauncher(
  spawner: LauncherSpawner,
  shell: string,
  env: Record<string, string>,
): Promise<void> {
  const child = await spawner.spawn(selfTest(SCRIPT, { shell, env }), { onOutput: () => {} })
  const { exitCode, signal, note } = await child.exited
  const { survivors } = await child.end(0)
  await child.closed
  if (exitCode !== 42) {
    throw new Error(
      `its self-test ended with ${note?.text ?? signal ?? `exit code ${exitCode}`}, not with exit code 42`,
    )
  }
  if (survivors.length > 0) throw new Error('its self-test could not kill the process that a shell had left behind')
}
