import type { DoctorWorld } from './doctor/index.ts'
import type { BootScripts } from './doctor-world.ts'
import { loadLate } from '../http/index.ts'
import type { DoctorReport } from '../shared/schema/index.ts'
import type { Config } from './settings.ts'

export type LoadBootScripts = () => Promise<BootScripts>

/** Returns a function that runs all checks. It loads doctor at its first call, because the service starts faster without it. */
export function openDoctor(
  config: Config,
  loadBootScripts: LoadBootScripts,
  ask: DoctorWorld['ask'],
): () => Promise<DoctorReport> {
  let loading: Promise<() => Promise<DoctorReport>> | null = null
  const load = async () => {
    const { createDoctor } = await import('./doctor/index.ts')
    const { openDoctorWorld } = await import('./doctor-world.ts')
    const bootScripts = await loadBootScripts()
    return createDoctor(() => openDoctorWorld(config, process.env, bootScripts, ask))
  }
  return async () => (await (loading ??= loadLate(load)))()
}
