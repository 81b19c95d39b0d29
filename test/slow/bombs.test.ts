import t from 'tap'
import { startService } from '../support/helper.ts'

const service = await startService()
t.teardown(() => service.stop())

const fields = (count: number) => Array.from({ length: count }, (_, n) => `"f${n}":1`).join()
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** The maximum CPU time for which one request may block the others; other processes hardly affect it. */
const MAX_CPU_MS = 2000

/** [name, path, body, status, the error's field] */
const rows: [string, string, string, number, string?][] = [
  ['600 000 unknown fields', '/exec', `{"command":"true",${fields(600_000)}}`, 400],
  ['10 000 unknown fields', '/exec', `{"command":"true",${fields(10_000)}}`, 400, 'f0'],
  ['600 000 names of env', '/exec', `{"command":"true","env":{${fields(600_000)}}}`, 400],
  ['600 000 arguments', '/exec/meka', `{${fields(600_000)}}`, 400],
  ['a list of 2 000 000', '/exec', `[${'1,'.repeat(2_000_000)}1]`, 400],
  ['1 000 000 lists in each other', '/exec', '['.repeat(1_000_000), 400],
  ['100 000 objects in each other', '/exec/meka', deep(100_000), 400],
  ['60 objects in each other', '/exec/meka', deep(60), 400],
  ['cpu_seconds 1e300', '/exec', '{"command":"true","limits":{"cpu_seconds":1e300}}', 400, 'limits.cpu_seconds'],
  [
    'file_size_bytes 1e300',
    '/exec',
    '{"command":"true","limits":{"file_size_bytes":1e300}}',
    400,
    'limits.file_size_bytes',
  ],
  ['processes 1e300', '/policy/check', '{"command":"true","limits":{"processes":1e300}}', 400, 'limits.processes'],
  ['a dialect with toString', '/policy/check', '{"dialect":{"toString":1},"arguments":{}}', 400, 'dialect'],
  [
    'a timeout of 7 MiB',
    '/exec',
    `{"command":"true","timeout_seconds":"${'x'.repeat(7_000_000)}"}`,
    400,
    'timeout_seconds',
  ],
  ['40 000 options of set', '/policy/check', `{"command":"eval 'set${' -set'.repeat(40_000)}'"}`, 200],
  ['a setting of git of 120 kB', '/policy/check', `{"command":"git -c ${'pager'.repeat(24_000)} status"}`, 200],
  ['7 MiB of escaped quotes', '/exec', `{"command":"true","stdin":"${'\\"'.repeat(3_500_000)}"}`, 200],
]

t.test('rejects expensive requests over HTTP', async (t) => {
  for (const [name, path, body, status, field] of rows) {
    const began = service.cpuMs()
    const answer = await service.post(path, body)
    const said = (await answer.json()) as { error?: { type: string; field?: string; message: string } }
    const took = service.cpuMs() - began
    t.equal(answer.status, status, `${name}: ${JSON.stringify(said).slice(0, 150)}`)
    if (field) t.equal(said.error?.field, field, `${name}: its field`)
    t.ok(took < MAX_CPU_MS, `${name}: ${took} ms of CPU`)
    t.ok((said.error?.message ?? '').length < 1000, `${name}: in few words`)
  }
})

t.test('rejects expensive requests over WebSocket', async (t) => {
  const socket = await service.socket()
  const own: [string, string][] = [
    ['a dialect with toString', '{"type":"exec","dialect":{"toString":1}}'],
    ['a dialect that is a list', '{"type":"exec","dialect":["meka"]}'],
    ['a type of 7 MiB', `{"type":"${'x'.repeat(7_000_000)}"}`],
  ]
  const same = rows.filter(([, path, , status]) => path === '/exec' && status === 400)
  for (const [name, message] of [
    ...own,
    ...same.map(([name, , body]) => [name, body.replace('{', '{"type":"exec",')]),
  ]) {
    socket.messages.length = 0
    const began = service.cpuMs()
    socket.send(message!)
    const { error } = (await socket.next(({ type }) => type === 'error')) as {
      error?: { type: string; message: string }
    }
    t.equal(error?.type, 'validation_error', name!)
    t.ok((error?.message ?? '').length < 1000, `${name}: in few words`)
    const took = service.cpuMs() - began
    t.ok(took < MAX_CPU_MS, `${name}: ${took} ms of CPU`)
  }
  t.hasStrict(await socket.exec('alive', { command: 'echo alive' }), { stdout: 'alive\n' })
  await socket.close()
})
