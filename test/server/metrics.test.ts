import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { watchedService } from '../support/ask.ts'
import { root, type Service } from '../support/helper.ts'
import { initialize, post } from '../support/mcp/raw.ts'

/** Every metric of ours, by its name and labels. */
async function read(service: Service): Promise<Record<string, number>> {
  const text = await (await service.request('/metrics')).text()
  const lines = text.split('\n').filter((line) => line.startsWith('shellphone_'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

const growth = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) => {
      const more = value - (before[name] ?? 0)
      return more === 0 ? [] : [[name.replace('shellphone_', ''), more]]
    }),
  )

/** In /proc/PID/stat, whose times are rounded down. */
const TICKS_PER_SECOND = 100

const { service, ask } = await watchedService(t)

t.test('counts the CPU time from the start of the process', async (t) => {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ')
  const [user, system] = [fields[11], fields[12]].map((ticks) => Number(ticks) / TICKS_PER_SECOND) as [number, number]
  const text = await (await service.request('/metrics')).text()
  const seconds = (name: string) => Number(new RegExp(`^process_cpu_${name} (\\S+)$`, 'm').exec(text)![1])
  t.ok(user > 0, 'starting took time')
  t.ok(seconds('user_seconds_total') >= user, `${seconds('user_seconds_total')} of ${user}`)
  t.ok(seconds('system_seconds_total') >= system, `${seconds('system_seconds_total')} of ${system}`)
  t.ok(seconds('seconds_total') >= user + system)
})

t.test('counts what has happened', async (t) => {
  const before = await read(service)
  await service.exec({ command: 'echo hello' })
  await service.exec({ command: 'exit 3' })
  await service.exec({ command: 'sleep 30', timeout_seconds: 0.1 })
  await service.exec({ command: 'rm -rf /' })
  const { question, answered } = await ask('touch /tmp/nothing-of-ours')
  t.equal((await read(service)).shellphone_approvals_waiting, 1)
  await service.post(`/approvals/${question.id}`, { decision: 'deny' })
  await answered
  const { token } = (await (await service.post('/tokens', { name: 'used' })).json()) as { token: string }
  await service.post('/tokens', { name: 'unused' })
  await service.request('/runs', { token })
  await post(service, initialize)

  const { connections, event_loop_lag_seconds: _lag, ...more } = growth(before, await read(service))
  t.ok(connections === undefined || connections > 0)
  t.match(more, {
    'commands_total{status="completed"}': 1,
    'commands_total{status="failed"}': 1,
    'commands_total{status="timed_out"}': 1,
    'commands_total{status="denied"}': 2,
    'kills_total{cause="timed_out"}': 1,
    'denials_total{rule="wipe"}': 1,
    'approvals_total{outcome="denied"}': 1,
    output_bytes_total: 6,
    command_duration_seconds_count: 3,
    'command_duration_seconds_bucket{le="+Inf"}': 3,
    tokens: 2,
    tokens_used: 1,
    mcp_sessions: 1,
  })
  t.ok((more['command_duration_seconds_bucket{le="0.05"}'] ?? 0) <= more['command_duration_seconds_bucket{le="0.25"}']!)
})

t.test('exports every family from the start, with its help', async (t) => {
  const text = await (await service.request('/metrics')).text()
  const names = 'commands_running commands_queued background_running background_queued approvals_waiting spool_bytes'
  const more = 'event_loop_lag_seconds connections mcp_sessions tokens tokens_used output_bytes_total survivors_total'
  const counted = 'commands_refused_total commands_total kills_total denials_total approvals_total'
  for (const name of `${names} ${more} ${counted} command_duration_seconds`.split(' ')) {
    t.match(text, new RegExp(`^# HELP shellphone_${name} \\S`, 'm'), name)
  }
  t.equal(new Set(text.match(/^# TYPE \S+/gm)).size, text.match(/^# TYPE \S+/gm)!.length, 'each family once')
  const now = await read(service)
  t.equal(now.shellphone_survivors_total, 0)
  t.ok(now.shellphone_connections! >= 2, 'this one, and the watcher')
  const busy = service.exec({ command: 'true' })
  const lag = (await read(service)).shellphone_event_loop_lag_seconds!
  t.ok(lag >= 0, `${lag} s`)
  await busy
})

t.test('shellphone metrics prints the metrics', async (t) => {
  const env = { ...process.env, SHELLPHONE_HOME: service.home }
  const asked = [join(root, 'dist/main.js'), 'metrics', '--port', String(service.port)]
  const print = async (...more: string[]) =>
    (await promisify(execFile)(process.execPath, [...asked, ...more], { env })).stdout
  t.match(await print(), /^shellphone_commands_running 0$/m)
  const completed = (await read(service))['shellphone_commands_total{status="completed"}']!
  await service.exec({ command: 'true' })
  const { metrics } = JSON.parse(await print('--json'))
  const counter = metrics.find(({ name }: { name: string }) => name === 'shellphone_commands_total')
  t.match(counter, { type: 'counter', help: /./ }, 'as a list')
  t.match(
    counter.samples.find(({ labels }: { labels: { status: string } }) => labels.status === 'completed'),
    { labels: { status: 'completed' }, value: completed + 1 },
  )
})
