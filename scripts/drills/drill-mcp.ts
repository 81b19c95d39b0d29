/**
 * Runs MCP clients and model APIs against a service: the Inspector's two programs and the SDK's clients v1 and v2, with the revisions of 2025 and
 * 2026 (list, run, progress, cancel, approve, decline, a run of two minutes by handle and as a task), and a turn of codex exec and of the SDKs of
 * Vercel, OpenAI and Anthropic, each with a scripted model. Prints one line for each check. If a client is not installed, prints the command
 * that installs it. Takes 3 minutes.
 *
 *     npx tsx scripts/drills/drill-mcp.ts [inspector|sdks|codex|apis …]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../../test/support/helper.ts'
import { drillApis } from './mcp-apis.ts'
import { drillCodex } from './mcp-codex.ts'
import { drillInspector } from './mcp-inspector.ts'
import { drillSdks } from './mcp-sdks.ts'
import { failures } from './mcp-checks.ts'

const drills = { inspector: drillInspector, sdks: drillSdks, codex: drillCodex, apis: drillApis }
const wanted = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'drill-mcp-'))
const service = await startService({
  env: {
    SHELLPHONE_AUTONOMY: 'supervised',
    SHELLPHONE_MAX_RUNNING: '32',
    SHELLPHONE_MAX_TIMEOUT_SECONDS: '300',
    SHELLPHONE_WORKING_DIRECTORY: folder,
  },
})
const chosen = Object.entries(drills).filter(([name]) => wanted.length === 0 || wanted.includes(name))
await Promise.all(chosen.map(([, drill]) => drill(service, folder)))
await service.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(failures() ? 1 : 0)
