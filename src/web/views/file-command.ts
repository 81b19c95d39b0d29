import type { RunRecord } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { ask, noTimeout } from '../wire.ts'

/** Runs a command, for what the file routes have no operation. If it fails, throws its error message (default: `failed`). */
export async function runCommand(command: string, failed: string): Promise<void> {
  const body = { command }
  const response = await ask((phone) => phone.request('/exec', { method: 'POST', body, signal: noTimeout() }))
  const { exit_code, stderr, decision } = (await response.json()) as RunRecord
  if (exit_code !== 0) throw new Error(visible(stderr.trim() || decision.reason || failed))
}
