import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService } from '../helper.ts'

/**
 * Two services whose commands need approval. `service` answers a call when its run has ended, even on a busy machine; `impatient` answers with
 * a handle after `impatientSeconds`. Both use `folder`, which is removed at the end of the suite.
 */
export async function startForMcp(impatientSeconds: string) {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-mcp-'))
  const start = (patienceSeconds: string) =>
    startService({
      env: {
        SHELLPHONE_AUTONOMY: 'supervised',
        SHELLPHONE_MCP_PATIENCE_SECONDS: patienceSeconds,
        SHELLPHONE_WORKING_DIRECTORY: folder,
      },
    })
  const service = await start('240')
  const impatient = await start(impatientSeconds)
  t.teardown(async () => {
    await Promise.all([service.stop(), impatient.stop()])
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, service, impatient }
}
