/**
 * The MCP Inspector against a service, in both eras: list, run, a run longer than patience by handle and by task, approve and decline by a form.
 * It is installed into a cache folder at its first use (110 MB).
 *
 *     npx tsx scripts/drill-mcp.ts
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '../test/helper.ts'

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const cache = join(homedir(), '.cache/shellphone-drills/inspector')
const bin = join(cache, 'node_modules/.bin')
if (!existsSync(join(bin, 'mcpdo'))) {
  mkdirSync(cache, { recursive: true })
  execFileSync('npm', ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts', INSPECTOR])
}

const folder = mkdtempSync(join(tmpdir(), 'drill-mcp-'))
const service = await startService({
  env: {
    SHELLPHONE_AUTONOMY: 'supervised',
    SHELLPHONE_MCP_PATIENCE_SECONDS: '2',
    SHELLPHONE_WORKING_DIRECTORY: folder,
  },
})
const env = { ...process.env, HOME: folder }
const run = (program: string, args: string[]) => {
  const { stdout, stderr } = spawnSync(process.execPath, [join(bin, program), ...args], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return stdout + stderr
}
const where = [`${service.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${service.token}`]
const inspect = (era: string, ...args: string[]) =>
  run('mcp-inspector', ['--cli', ...where, '--protocol-era', era, ...args])
const call = (era: string, command: string) =>
  inspect(era, '--method', 'tools/call', '--tool-name', 'exec', '--tool-arg', `command=${command}`)

let failed = 0
function told(what: string, said: string, expected: RegExp): void {
  const isGood = expected.test(said)
  if (!isGood) failed++
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${what}${isGood ? '' : `: ${said.slice(0, 500)}`}`)
}

/** A form's answer by mcpdo, as slow as a person. */
async function answer(connection: string, command: string, word: string): Promise<string> {
  const mcpdo = (...args: string[]) => run('mcpdo', ['--format', 'json', '--connection', connection, ...args])
  const asked = mcpdo('tools/call', 'exec', `command:=${command}`)
  const [, id = ''] = /"elicitationId": *"([^"]+)"/.exec(asked) ?? []
  await sleep(1200)
  return mcpdo('elicitation/respond', id, `answer:=${word}`)
}

for (const era of ['legacy', 'modern']) {
  told(`${era}: list`, inspect(era, '--method', 'tools/list'), /"exec_cancel"/)
  told(`${era}: run`, call(era, 'echo one; echo two'), /"stdout": "one\\ntwo\\n"/)
  const long = { legacy: /"status": "running"[\s\S]*call exec_wait/, modern: /"stdout": "end\\n"/ }[era]!
  told(`${era}: a run longer than patience`, call(era, 'sleep 5; echo end'), long)
  run('mcpdo', ['--connection', era, 'connect', ...where, '--era', era])
  told(`${era}: approve`, await answer(era, `touch ${era}-yes`, 'once'), /"status": "completed"/)
  told(`${era}: decline`, await answer(era, `touch ${era}-no`, 'deny'), /approval was refused/)
  told(`${era}: only what was approved ran`, existsSync(join(folder, `${era}-no`)) ? 'ran' : 'did not', /did not/)
}
run('mcpdo', ['daemon', 'stop'])
await service.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(failed ? 1 : 0)
