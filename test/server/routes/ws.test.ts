import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import WebSocket from 'ws'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import { AUTH_DEADLINE_MS } from '../../../src/http/index.ts'
import { openSocket, type Socket, startService, until, withoutTimersOf, processesWith } from '../../support/helper.ts'

const service = await startService({
  node: withoutTimersOf(AUTH_DEADLINE_MS), // the deadline never passes, so a token is accepted even if a busy machine delivers it late
  env: { SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '1000' },
})
t.teardown(() => service.stop())
const required = "Parameter 'command' is required and cannot be empty"
const noRun = '01m808gre5000mhvbe2gtwpcnj'

/** Opens /ws; resolves with the status of a refused upgrade, or with 101 and the open socket. */
function openUpgrade(headers: Record<string, string>, query = ''): Promise<{ status: number; raw: WebSocket }> {
  const raw = new WebSocket(`${service.url.replace('http', 'ws')}/ws${query}`, { headers })
  raw.on('error', () => {})
  return new Promise((resolve) => {
    raw.on('open', () => resolve({ status: 101, raw }))
    raw.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve({ status: response.statusCode!, raw })
    })
  })
}

t.test('who may open a connection', async (t) => {
  const bearer = { authorization: `Bearer ${service.token}` }
  /** [name, headers, query, status of the upgrade] */
  const rows: [string, Record<string, string>, string, number][] = [
    ['right token', bearer, '', 101],
    ['wrong token', { authorization: 'Bearer wrong' }, '', 401],
    ['another scheme', { authorization: `Basic ${service.token}` }, '', 401],
    ['foreign Origin', { ...bearer, origin: 'https://evil.example' }, '', 403],
    ['foreign Origin, no token', { origin: 'https://evil.example' }, '', 403],
    ['rebound Host', { ...bearer, host: 'evil.example' }, '', 403],
  ]
  for (const [name, headers, query, status] of rows) {
    const opened = await openUpgrade(headers, query)
    t.equal(opened.status, status, name)
    opened.raw.terminate()
  }
  const plain = await service.request('/ws')
  t.equal(plain.status, 400, 'GET without an upgrade')
})

t.test('the token as first message', { jobs: 3 }, async (t) => {
  t.test('right: what follows is served, even at once', async (t) => {
    const socket = await openSocket(service.url, null)
    socket.send({ type: 'auth', token: service.token })
    t.hasStrict(await socket.exec('a', { command: 'echo in' }), { type: 'result', stdout: 'in\n' })
    await socket.close()
  })
  /** [name, first message] */
  const rows: [string, object | string][] = [
    ['wrong token', { type: 'auth', token: 'wrong' }],
    ['token that is no string', { type: 'auth', token: 1 }],
    ['no token', { type: 'auth' }],
    ['a command', { type: 'exec', ref: 'a', command: 'echo > /tmp/shellphone-intruder' }],
    ['a ping', { type: 'ping' }],
    ['no JSON', 'x'],
  ]
  for (const [name, message] of rows) {
    t.test(name, async (t) => {
      const socket = await openSocket(service.url, null)
      const closed = once(socket.raw, 'close')
      socket.send(message)
      socket.send({ type: 'exec', ref: 'b', command: 'echo > /tmp/shellphone-intruder' })
      t.equal((await closed)[0], 1008, 'closed: policy violation')
      t.hasStrict(socket.messages[0], { type: 'error', error: { type: 'unauthorized' } })
      t.notOk(
        socket.messages.some(({ type }) => type !== 'error'),
        'nothing else was sent',
      )
    })
  }
  t.test('ignores a token in the query', async (t) => {
    const opened = await openUpgrade({}, `?token=${service.token}`)
    if (opened.status !== 101) return t.equal(opened.status, 401)
    const closed = once(opened.raw, 'close')
    opened.raw.send(JSON.stringify({ type: 'ping' }))
    t.equal((await closed)[0], 1008)
  })
})

t.test('answers an invalid message with an error and keeps the connection open', async (t) => {
  const socket = await service.socket()
  /** [name, message, error] */
  const rows: [string, unknown, { type: string; field?: string; message?: string }][] = [
    [
      'no JSON',
      'echo hi',
      {
        type: 'validation_error',
        message: `message: expected JSON: Unexpected token 'e', "echo hi" is not valid JSON`,
      },
    ],
    ['empty', '', { type: 'validation_error' }],
    ['half a JSON', '{"type":"ping"', { type: 'validation_error' }],
    ['a list', [], { type: 'validation_error' }],
    ['null', 'null', { type: 'validation_error' }],
    ['a number', '5', { type: 'validation_error' }],
    ['no type', {}, { type: 'validation_error', field: 'type' }],
    ['unknown type', { type: 'frobnicate' }, { type: 'validation_error', field: 'type' }],
    ['type __proto__', '{"type":"__proto__"}', { type: 'validation_error', field: 'type' }],
    ['type constructor', { type: 'constructor' }, { type: 'validation_error', field: 'type' }],
    ['type that is no string', { type: ['ping'] }, { type: 'validation_error', field: 'type' }],
    ['ref that is no string', { type: 'ping', ref: 5 }, { type: 'validation_error', field: 'ref' }],
    ['deep JSON', '['.repeat(200_000), { type: 'validation_error' }],
    ['binary', Buffer.from('{"type":"ping"}'), { type: 'validation_error' }],
    ['oversized', { type: 'exec', command: 'x'.repeat(9_000_000) }, { type: 'too_large' }],
    ['no command', { type: 'exec' }, { type: 'validation_error', field: 'command', message: required }],
    ['null command', { type: 'exec', command: null }, { type: 'validation_error', field: 'command' }],
    [
      'blank command',
      { type: 'exec', command: ' ' },
      { type: 'validation_error', field: 'command', message: required },
    ],
    ['NUL in the command', { type: 'exec', command: 'a\0b' }, { type: 'validation_error', field: 'command' }],
    ['2 MiB command', { type: 'exec', command: 'x'.repeat(2_097_152) }, { type: 'too_large', field: 'command' }],
    [
      'timeout 0',
      { type: 'exec', command: 'true', timeout_seconds: 0 },
      { type: 'validation_error', field: 'timeout_seconds' },
    ],
    [
      'timeout "soon"',
      { type: 'exec', command: 'true', timeout_seconds: 'soon' },
      { type: 'validation_error', field: 'timeout_seconds' },
    ],
    [
      'max_length 0',
      { type: 'exec', command: 'true', max_length: 0 },
      { type: 'validation_error', field: 'max_length' },
    ],
    [
      'no such directory',
      { type: 'exec', command: 'true', working_directory: '/no/such' },
      { type: 'validation_error', message: 'Working directory does not exist: /no/such' },
    ],
    ['unknown field', { type: 'exec', command: 'true', comand: 1 }, { type: 'validation_error', field: 'comand' }],
    [
      'LD_PRELOAD',
      { type: 'exec', command: 'true', env: { LD_PRELOAD: 'x' } },
      { type: 'validation_error', field: 'env.LD_PRELOAD' },
    ],
    [
      'attach to nothing',
      { type: 'attach', id: noRun },
      { type: 'not_found', message: `No such run: ${noRun}; list runs to find its id` },
    ],
    ['attach without id', { type: 'attach' }, { type: 'validation_error', field: 'id' }],
    ['attach by a path', { type: 'attach', id: '../../token' }, { type: 'not_found' }],
    ['attach below zero', { type: 'attach', id: noRun, stdout: -1 }, { type: 'validation_error', field: 'stdout' }],
    ['cancel of nothing', { type: 'cancel', id: noRun }, { type: 'not_found' }],
    ['stdin to nothing', { type: 'stdin', id: noRun, data: 'x' }, { type: 'not_found' }],
    ['signal to nothing', { type: 'signal', id: noRun, signal: 'SIGINT' }, { type: 'not_found' }],
    ['a second auth that is wrong', { type: 'auth', token: 'wrong' }, { type: 'validation_error' }],
  ]
  for (const [name, message, expected] of rows) {
    const seen = socket.messages.length
    const withRef =
      typeof message === 'object' &&
      !Array.isArray(message) &&
      !Buffer.isBuffer(message) &&
      name !== 'ref that is no string'
    if (Buffer.isBuffer(message)) socket.raw.send(message)
    else socket.send(withRef ? { ref: name, ...(message as object) } : (message as string | object))
    socket.send({ type: 'ping' })
    const isNew = (one: object) => socket.messages.indexOf(one as never) >= seen
    await socket.next((one) => one.type === 'pong' && isNew(one))
    await until(() => socket.messages.slice(seen).some(({ type }) => type === 'error'))
    const answer = socket.messages.slice(seen).find(({ type }) => type === 'error') ?? { type: 'nothing' }
    t.hasStrict(answer.error, expected, `${name}: ${JSON.stringify(answer.error)?.slice(0, 120)}`)
    if (withRef && !['oversized', 'a second auth that is wrong'].includes(name)) {
      t.equal(answer.ref, name, `${name}: with its ref`)
    }
    t.equal(socket.messages.slice(seen).filter(({ type }) => type === 'error').length, 1, `${name}: one answer`)
  }
  t.hasStrict(await socket.exec('z', { command: 'echo alive' }), { type: 'result', stdout: 'alive\n' })
  await socket.close()
})

t.test('a result equals the response of POST /exec', async (t) => {
  const socket = await service.socket()
  const varying = ['id', 'via', 'queued_ms', 'duration_ms', 'started_at', 'ended_at']
  for (const body of [
    { command: 'echo a; echo b >&2; exit 3' },
    { command: 'seq 1000', max_length: 100 },
    { command: 'sleep 7101', timeout_seconds: 0.2 },
    { command: String.raw`printf '\377'`, encoding: 'base64' },
    { command: 'true', timeout_seconds: 1e9 },
  ]) {
    const { type, ref, ...over } = await socket.exec(body.command, body)
    const http = (await service.exec(body)) as Record<string, unknown>
    t.strictSame([type, ref, over.via, http.via], ['result', body.command, 'WebSocket', 'POST /exec'])
    t.strictSame(Object.keys(over).sort(), Object.keys(http).sort(), `${body.command}: the same fields`)
    const constant = (record: Record<string, unknown>) =>
      JSON.parse(
        JSON.stringify(
          Object.fromEntries(Object.entries(record).filter(([name]) => !varying.includes(name))),
        ).replaceAll(record.id as string, 'ID'),
      )
    t.strictSame(constant(over), constant(http), `${body.command}: the same values`)
  }
  await socket.close()
})

t.test('sends events in order, and output while the command runs', async (t) => {
  const socket = await service.socket()
  socket.send({ type: 'exec', ref: 'live', command: 'echo one; read line; echo "$line" >&2', stdin: 'open' })
  const { id } = await socket.next(({ type }) => type === 'accepted')
  const first = await socket.next(({ type }) => type === 'output')
  t.strictSame(first, {
    ref: 'live',
    type: 'output',
    id,
    stream: 'stdout',
    offset: 0,
    next_offset: 4,
    data: 'one\n',
    encoding: 'utf8',
  })
  t.notOk(
    socket.messages.some(({ type }) => type === 'result'),
    'it still runs',
  )
  t.hasStrict(await (await service.request(`/runs/${id}`)).json(), { status: 'running', stdout_bytes: 4 })
  socket.send({ type: 'stdin', id: id!, data: 'two\n', end: true })
  const result = await socket.next(({ type }) => type === 'result')
  t.hasStrict(result, { ref: 'live', id, status: 'completed', stdout: 'one\n', stderr: 'two\n' })
  t.strictSame(
    socket.messages.map(({ type, status, stream }) => [type, status ?? stream].filter(Boolean).join(' ')),
    [
      'accepted',
      'status queued',
      'status starting',
      'status running',
      'output stdout',
      'output stderr',
      'status completed',
      'result completed',
    ],
  )
  await socket.close()
})

t.test('many commands at once on one connection', async (t) => {
  const socket = await service.socket()
  const numbers = [...Array(40).keys()]
  const results = await Promise.all(
    numbers.map((n) => socket.exec(`r${n}`, { command: `sleep 0.0${n % 7}; echo ${n}; echo e${n} >&2; exit ${n}` })),
  )
  for (const n of numbers) {
    t.hasStrict(results[n], { ref: `r${n}`, stdout: `${n}\n`, stderr: `e${n}\n`, exit_code: n }, `r${n}`)
    const { id } = results[n]!
    const own = socket.messages.filter((message) => message.id === id)
    t.equal(own.filter(({ type }) => type === 'result').length, 1, `r${n}: answered once`)
    t.equal(own.filter(({ type }) => type === 'accepted').length, 1, `r${n}: accepted once`)
    const out = own.filter(({ type, stream }) => type === 'output' && stream === 'stdout')
    t.equal(out.map(({ data }) => data).join(''), `${n}\n`, `r${n}: its own output`)
  }
  await socket.close()
})

t.test('cancel and signal', async (t) => {
  const socket = await service.socket()
  const running = async (ref: string, command: string): Promise<string> => {
    socket.send({ type: 'exec', ref, command })
    const { id } = await socket.next((one) => one.type === 'accepted' && one.ref === ref)
    await socket.next((one) => one.type === 'output' && one.id === id)
    return id!
  }
  const result = (ref: string) => socket.next((one) => one.type === 'result' && one.ref === ref)
  const canceled = await running('cancel', 'echo up; sleep 7111 & setsid sleep 7112 & sleep 7113')
  for (let n = 0; n < 3; n++) socket.send({ type: 'cancel', id: canceled })
  t.hasStrict(await result('cancel'), { status: 'canceled', exit_code: -1, timed_out: false, stdout: 'up\n' })
  socket.send({ type: 'cancel', id: canceled })
  t.strictSame(processesWith('sleep 711'), [], 'nothing left')
  const early = 'early'
  socket.send({ type: 'exec', ref: early, command: 'sleep 7114' })
  const { id } = await socket.next((one) => one.type === 'accepted' && one.ref === early)
  socket.send({ type: 'cancel', id: id! })
  t.hasStrict(await result(early), { status: 'canceled' }, 'cancelled as soon as it was accepted')

  const trapped = await running('signal', 'trap "echo got; exit 3" INT; echo up; while :; do sleep 0.05; done')
  socket.send({ type: 'signal', id: trapped, signal: 'SIGINT', ref: 's' })
  t.hasStrict(await result('signal'), { status: 'failed', exit_code: 3, stdout: 'up\ngot\n' })
  const refused = await running('refused', 'echo up; sleep 7115')
  /** [signal, error] */
  for (const [index, signal] of ['SIGNOPE', '', '9', 'SIG', '__proto__', 9].entries()) {
    socket.send({ type: 'signal', id: refused, signal, ref: `n${index}` })
    const answer = await socket.next((one) => one.type === 'error' && one.ref === `n${index}`)
    t.hasStrict(answer.error, { type: 'validation_error', field: 'signal' }, `signal ${JSON.stringify(signal)}`)
  }
  socket.send({ type: 'stdin', id: refused, data: 'x', ref: 'in' })
  t.hasStrict((await socket.next((one) => one.ref === 'in')).error, { type: 'conflict' }, 'stdin to a run without it')
  socket.send({ type: 'signal', id: refused, signal: 'SIGKILL' })
  t.hasStrict(await result('refused'), { status: 'failed', signal: 'SIGKILL', exit_code: -1 })
  socket.send({ type: 'signal', id: refused, signal: 'SIGTERM', ref: 'late' })
  t.hasStrict((await socket.next((one) => one.ref === 'late')).error, { type: 'conflict' }, 'signal after the end')
  const errors = socket.messages.filter(({ type }) => type === 'error').length
  t.equal(errors, 8, 'cancel is harmless, twice and after the end')
  await socket.close()
})

t.test('a connection that drops cancels what it started, but not what runs in the background', async (t) => {
  const socket = await service.socket()
  for (const [ref, command] of [
    ['a', 'sleep 7121 & sleep 7121'],
    ['b', 'setsid sleep 7121; echo'],
    ['c', 'sleep 7121'],
  ]) {
    socket.send({ type: 'exec', ref, command })
  }
  socket.send({ type: 'exec', ref: 'd', command: 'sleep 7122', background: true })
  const { id } = await socket.next((one) => one.type === 'accepted' && one.ref === 'd')
  t.ok(await until(() => processesWith('sleep 7121').length >= 4 && processesWith('sleep 7122').length > 0), 'all run')
  socket.raw.terminate()
  t.ok(await until(() => processesWith('sleep 7121').length === 0), 'ended')
  t.not(processesWith('sleep 7122').length, 0, 'the background run continues')
  t.hasStrict(await (await service.request(`/runs/${id}`)).json(), { status: 'running' })
  const again = await service.socket()
  again.send({ type: 'attach', id: id! })
  await again.next((one) => one.type === 'status' && one.status === 'running')
  again.raw.terminate()
  const third = await service.socket()
  third.send({ type: 'attach', id: id! })
  await third.next((one) => one.type === 'status' && one.status === 'running')
  t.not(processesWith('sleep 7122').length, 0, 'an onlooker who leaves ends nothing')
  third.send({ type: 'cancel', id: id! })
  t.hasStrict(await third.next(({ type }) => type === 'result'), { id, status: 'canceled' })
  await third.close()
})

t.test('an observer that leaves does not end a foreground run', async (t) => {
  const answer = service.exec({ command: 'echo up; read go; echo 7131', stdin: 'open' })
  let runs: ExecRecord[] = []
  await until(async () => {
    runs = ((await (await service.request('/runs?status=running')).json()) as { runs: ExecRecord[] }).runs
    return runs.length > 0
  })
  const onlooker = await service.socket()
  onlooker.send({ type: 'attach', id: runs[0]!.id })
  await onlooker.next(({ type }) => type === 'output')
  const left = once(onlooker.raw, 'close')
  onlooker.raw.terminate()
  await left
  await service.post(`/runs/${runs[0]!.id}/stdin`, { data: '\n' })
  t.hasStrict(await answer, { status: 'completed', stdout: 'up\n7131\n' })
})

t.test('a reader that stops reading costs bounded memory, slows nobody down and gets every byte', async (t) => {
  const socket = await service.socket()
  const idle = service.rssBytes()
  const received: Buffer[] = []
  let id = ''
  let expected = 0
  const whole = new Promise<void>((resolve) => {
    socket.raw.on('message', (data) => {
      const message = JSON.parse(data.toString())
      if (message.type !== 'output') return message.type === 'result' ? resolve() : undefined
      const bytes = Buffer.from(message.data)
      if (message.offset !== expected) t.fail(`offset ${message.offset} instead of ${expected}`)
      if (bytes.length > 65_536) t.fail(`a frame of ${bytes.length} bytes`)
      expected += bytes.length
      received.push(bytes)
    })
  })
  socket.send({ type: 'exec', ref: 'flood', command: 'seq 1 6000000', max_length: 10 })
  id = (await socket.next(({ type }) => type === 'accepted')).id!
  socket.raw.pause()
  const record = (await (await service.request(`/runs/${id}?wait_seconds=300`)).json()) as ExecRecord
  const grown = (service.rssBytes() - idle) / 1_048_576
  t.hasStrict(record, { status: 'completed', stdout_bytes: 46_888_896 }, 'the command ended while nobody read')
  t.ok(grown < 64, `memory grew by ${grown.toFixed(0)} MiB`)
  t.hasStrict(await service.exec({ command: 'echo others' }), { stdout: 'others\n' })
  socket.raw.resume()
  await whole
  const bytes = Buffer.concat(received)
  t.equal(bytes.length, 46_888_896, 'every byte came')
  const { createHash } = await import('node:crypto')
  t.equal(createHash('sha256').update(bytes).digest('hex'), record.stdout_sha256, 'the same bytes')
  await socket.close()
})

t.test('attach from any offset, after the end', async (t) => {
  const socket = await service.socket()
  const { id } = (await socket.exec('x', { command: 'printf 0123456789; printf abc >&2' })) as Socket['messages'][0]
  /** [offsets, stdout and stderr that arrive] */
  const rows: [object, string, string][] = [
    [{}, '0123456789', 'abc'],
    [{ stdout: 4 }, '456789', 'abc'],
    [{ stdout: 10, stderr: 1 }, '', 'bc'],
    [{ stdout: 10, stderr: 3 }, '', ''],
  ]
  for (const [offsets, stdout, stderr] of rows) {
    const other = await service.socket()
    other.send({ type: 'attach', id, ...offsets, ref: 'again' })
    const result = await other.next(({ type }) => type === 'result')
    t.hasStrict(result, { id, stdout: '0123456789', ref: 'again' }, JSON.stringify(offsets))
    const of = (stream: string) =>
      other.messages
        .filter((one) => one.stream === stream)
        .map(({ data }) => data)
        .join('')
    t.strictSame([of('stdout'), of('stderr')], [stdout, stderr], JSON.stringify(offsets))
    t.equal(other.messages.filter(({ type }) => type === 'status').length, 1, 'one ending')
    await other.close()
  }
  for (const offsets of [{ stdout: 11 }, { stderr: 4 }, { stdout: 9_007_199_254_740_991 }]) {
    socket.send({ type: 'attach', id, ...offsets, ref: JSON.stringify(offsets) })
    const answer = await socket.next((one) => one.ref === JSON.stringify(offsets))
    t.hasStrict(
      answer,
      { type: 'error', error: { type: 'out_of_range' } },
      `${JSON.stringify(offsets)} is past the end`,
    )
  }
  await socket.close()
})

t.test('bounds the memory of the commands of one connection', async (t) => {
  const socket = await service.socket()
  const stdin = 'x'.repeat(7_000_000)
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-ws-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const go = join(folder, 'go')
  const command = `until [ -e ${go} ]; do sleep 0.1; done; wc -c`
  for (const ref of ['1', '2', '3', '4']) socket.send({ type: 'exec', ref, command, stdin })
  const refused = await socket.next(({ type }) => type === 'error')
  t.hasStrict(refused, { ref: '4', error: { type: 'rate_limited' } })
  writeFileSync(go, '')
  for (const ref of ['1', '2', '3']) {
    const result = await socket.next((message) => message.ref === ref && message.type === 'result')
    t.equal(String(result.stdout).trim(), '7000000', `${ref} had all of its stdin`)
  }
  t.hasStrict(await socket.exec('5', { command: 'echo again' }), { stdout: 'again\n' })
  await socket.close()
})

t.test('bounds the memory of the requests of all connections', async (t) => {
  const own = await startService()
  t.teardown(() => own.stop())
  const body = { command: 'sleep 60', stdin: 'x'.repeat(8_000_000), background: true }
  const ids: string[] = []
  let refused: Response | null = null
  while (refused === null && ids.length < 20) {
    const answer = await own.post('/exec', body)
    if (answer.status === 202) ids.push(((await answer.json()) as ExecRecord).id)
    else refused = answer
  }
  t.equal(refused?.status, 503, 'past 64 MiB a further request gets 503')
  t.ok(refused?.headers.get('retry-after'))
  t.equal(ids.length, 9)
  await own.request(`/runs/${ids.at(-1)}`, { method: 'DELETE' })
  await (await own.request(`/runs/${ids.at(-1)}?wait_seconds=300`)).text()
  t.hasStrict(await own.exec({ command: 'echo room' }), { stdout: 'room\n' }, 'then there is room')
})

t.test('reports that a tool call waits for approval', async (t) => {
  const own = await startService({ env: { SHELLPHONE_AUTONOMY: 'supervised' } })
  t.teardown(() => own.stop())
  const socket = await own.socket()
  socket.send({ type: 'exec', ref: 'd', dialect: 'oneclaw', command: 'touch never-made' })
  const waiting = await socket.next(({ type, ref }) => type === 'note' || (ref === 'd' && type === 'result'))
  const note = { code: 'WAITS_FOR_ANSWER', text: /waits for approval until/ }
  t.match(waiting, { type: 'note', note, approval: { id: String } })
  const { id } = waiting.approval as { id: string }
  socket.send({ type: 'approval', id, decision: 'deny' })
  const result = await socket.next((message) => message.ref === 'd' && message.type === 'result')
  t.hasStrict(result, { tool: 'exec', is_error: true })
  await socket.close()
})
