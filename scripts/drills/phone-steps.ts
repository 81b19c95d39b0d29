/** Steps that the drills take on a simulated phone. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../test/support/helper.ts'
import { bootEnv, home, loginEnv, type Phone } from '../../test/support/termux/phone.ts'
import { healthy, until } from '../../test/support/termux/service.ts'

/** Runs a script on the phone. Returns its output; if the script fails, throws an error with the output. */
export async function must(phone: Phone, script: string, env = loginEnv): Promise<string> {
  const { code, stdout, stderr } = await phone.run(script, env)
  if (code !== 0) throw new Error(`${script}: exit code ${code}\n${stdout}${stderr}`.slice(0, 3000))
  return stdout
}

export async function seconds(work: () => Promise<unknown>): Promise<string> {
  const startedAt = performance.now()
  await work()
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

export const expect = (what: string, output: string, wanted: RegExp) => {
  if (!wanted.test(output)) throw new Error(`${what}: expected ${wanted}, got ${output.slice(0, 1000)}`)
}

const meta = (method: string, params: object, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const hello = meta('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'drill', version: '1' },
})
const call = meta('tools/call', { name: 'exec', arguments: { command: 'echo by mcp' } }, 2)

/** Shell code that prints the messages and keeps stdin of the bridge open until `out` has the second answer. */
export const talk = (messages: string): string =>
  `: >out; { printf '%s\\n' ${messages}; until grep -q '"id":2' out; do sleep 0.1; done; }`

/** Runs one command with curl and one over MCP. */
export async function runs(phone: Phone, curl: string, token: string): Promise<void> {
  expect('curl', await must(phone, curl, { ...loginEnv, TOKEN: token }), /"status":"completed"[^]*Linux/)
  const bridge = `${talk('"$HELLO" "$CALL"')} | shellphone mcp --on phone >out; cat out`
  expect('MCP', await must(phone, bridge, { ...loginEnv, HELLO: hello, CALL: call }), /"stdout":"by mcp\\n"/)
}

/** Pairs curl with the lines that `pair` prints, and the phone's command line with the link. */
export async function pair(phone: Phone): Promise<{ curl: string; token: string }> {
  const [trade, curl] = (await must(phone, 'shellphone pair')).match(/curl -k .*$/gm) as [string, string]
  const { token } = JSON.parse(await must(phone, trade)) as { token: string }
  const { links } = JSON.parse(await must(phone, 'shellphone pair --json')) as { links: string[] }
  await must(phone, `shellphone remote add phone '${links[0]}'`)
  return { curl, token }
}

export async function reboot(phone: Phone): Promise<void> {
  await phone.run('kill -9 -1')
  await until('all has ended', () => phone.processes().length === 0)
  await must(phone, 'sh ~/.termux/boot/shellphone', bootEnv)
  await healthy(phone)
}

interface Load {
  token: string
  workers: number
  seconds: number
}

/** Does `work` while clients run commands with idempotency keys. Returns what they saw; throws if a run was lost or ran twice. */
export async function underLoad(phone: Phone, load: Load, work: () => Promise<unknown>): Promise<string> {
  cpSync(join(root, 'scripts/drills/keyed-load.mjs'), phone.path(`${home}/keyed-load.mjs`))
  const marks = `${home}/marks-${performance.now()}`
  const command = `node keyed-load.mjs http://127.0.0.1:8029 "${load.token}" ${load.workers} ${load.seconds} ${marks}`
  const loaded = must(phone, command)
  loaded.catch(() => {})
  await until('the load', async () => (await phone.run(`test -s ${marks}`)).code === 0)
  await work()
  const { runs, cutOff, retries, awayMs, faults } = JSON.parse(await loaded)
  if (faults.length > 0) throw new Error(faults.slice(0, 10).join('; '))
  return `unreachable for ${Math.round(awayMs)} ms, ${runs} runs with keys, ${cutOff} reported as interrupted, ${retries} retries, none lost`
}
