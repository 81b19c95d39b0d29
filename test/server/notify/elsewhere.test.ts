import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { PhoneStatus } from '../../../src/shared/schema/index.ts'
import { allProcessesWith, startService, until } from '../../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-elsewhere-'))
/** a sleep duration that no other process uses; the tools do not inherit the mark that processesWith searches for */
const SLEEP = `97${process.pid}`

/** Writes a program of the owner's into a folder of PATH. */
function program(name: string, script: string): string {
  const path = join(folder, 'bin', name)
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}
const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
const supervised = { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600', PATH }
const propose = (command: string) => service.post('/exec', { command, background: true })
const warnings = async () => ((await (await service.request('/health')).json()) as { warnings: string[] }).warnings
const linesOf = (name: string) => {
  try {
    return readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)
  } catch {
    return [] // not written yet
  }
}

const posts: { headers: NodeJS.Dict<string | string[]>; body: string; method: string | undefined }[] = []
let status = 200
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  posts.push({ headers: request.headers, body, method: request.method })
  response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(1_000_000))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const APPEND = `{ printf '%s ' "$1"; cat; echo; } >> ${join(folder, 'notified')}; sleep 0.2`
const notifyProgram = program('notify-me', APPEND)
const service = await startService({
  env: {
    ...supervised,
    SHELLPHONE_APPROVAL_COMMAND: JSON.stringify([notifyProgram, 'one argument']),
    SHELLPHONE_APPROVAL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-topic`,
  },
})
t.teardown(async () => {
  await service.stop()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

t.test('approval_url receives a notice with the address for the answer, never the command', async (t) => {
  await propose('pip install secret-name')
  t.ok(await until(() => posts.length === 1))
  const where = `${service.url}/#/approvals`
  t.match(posts[0], { method: 'POST', body: `A command waits for your answer: ${where}`, headers: { click: where } })
  t.notMatch(JSON.stringify(posts), /secret-name|Bearer/)
  for (const [bad, reason] of [
    [500, 'the server responded with status 500'],
    [302, 'unexpected redirect'],
  ] as const) {
    status = bad
    await propose(`pip install other-${bad}`)
    t.ok(await until(async () => (await warnings()).some((one) => one.includes(reason))), `${bad}: ${reason}`)
  }
  status = 200
  t.ok(
    await startService({ env: { SHELLPHONE_APPROVAL_URL: 'ftp://x' } }).then(
      () => false,
      () => true,
    ),
    'an invalid web address stops the start',
  )
})

t.test('approval_command receives each approval request once, as JSON on stdin', async (t) => {
  for (const name of ['one', 'two', 'three']) await propose(`pip install ${name}`)
  t.ok(await until(() => linesOf('notified').some((line) => line.includes('pip install three'))))
  await service.post('/policy/check', { command: 'pip install x' })
  const approvals = linesOf('notified').map(
    (line) => JSON.parse(line.replace('one argument ', '')) as { command: string },
  )
  t.same(
    approvals.map(({ command }) => command),
    ['secret-name', 'other-500', 'other-302', 'one', 'two', 'three'].map((name) => `pip install ${name}`),
  )
  t.match(approvals[0], { id: /./, run_id: /./, working_directory: /^\//, rule: /./, risk: 'medium', expires_at: /Z$/ })
  t.same(
    (await warnings()).filter((one) => one.includes('approval_command')),
    [],
  )
})

t.test('reads the phone status through Termux:API, with a time limit and at most once a minute', async (t) => {
  const calls = join(folder, 'calls')
  program(
    'termux-battery-status',
    `echo battery >> ${calls}; echo '{"health": "GOOD", "percentage": 82, "plugged": "PLUGGED_AC", "status": "CHARGING", "temperature": 29.4}'`,
  )
  program(
    'termux-wifi-connectioninfo',
    `echo wifi >> ${calls}; echo '{"ssid": "<unknown ssid>", "rssi": -57, "link_speed_mbps": 433, "ip": "192.168.1.23"}'`,
  )
  const phone = async () => (await (await service.request('/phone')).json()) as PhoneStatus
  t.same(linesOf('calls'), [], 'no call before the first request')
  const [first, second] = await Promise.all([phone(), phone()])
  t.match(first, {
    battery: { percent: 82, status: 'CHARGING', plugged: 'PLUGGED_AC', health: 'GOOD', temperature_celsius: 29.4 },
    wifi: { ssid: null, signal_dbm: -57, link_mbps: 433 },
    missing: [],
  })
  t.same([second, await phone()], [first, first])
  t.same(linesOf('calls'), ['battery', 'wifi'])

  program('termux-battery-status', `sleep ${SLEEP}`)
  const stuck = await startService({ env: { PATH } })
  t.teardown(() => stuck.stop())
  const phoneStatus = (await (await stuck.request('/phone')).json()) as PhoneStatus
  t.match(phoneStatus, { battery: null, wifi: null, missing: [/^battery: Termux:API did not respond within 10 s/] })
  t.same(linesOf('calls'), ['battery', 'wifi'], 'a tool that does not respond is not called again')
})

t.test('warns of a program that fails, and ends a hanging one with the service', async (t) => {
  const rows = [
    [() => program('notify-me', 'exit 3'), 'setting approval_command: the program failed with exit code 3'],
    [() => rmSync(notifyProgram), `setting approval_command: ${notifyProgram} was not found`],
  ] as const
  for (const [change, warning] of rows) {
    change()
    await propose('pip install one')
    t.ok(await until(async () => (await warnings()).includes(warning)), warning)
  }
  program('notify-me', `sleep ${SLEEP}`)
  await propose('pip install one')
  t.ok(await until(() => allProcessesWith(`sleep ${SLEEP}`).length > 0))
  await service.kill('SIGTERM')
  t.ok(await until(() => allProcessesWith(`sleep ${SLEEP}`).length === 0), 'nothing is left running')
})
