import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import { type Service, soon, startService, until, processesWith } from '../../support/helper.ts'
import { modern } from '../../support/mcp/raw.ts'
import { mountSmall } from '../../support/small-disk.ts'
import { type SseEvent, sseEvents } from '../../support/sse.ts'

const noRun = '01m808gre5000mhvbe2gtwpcnj'
const folder = mkdtempSync(join(tmpdir(), 'shellphone-runs-'))
const service = await startService({ env: { SHELLPHONE_MAX_BACKGROUND_RUNNING: '3' } })
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const json = async (response: Response) => (await response.json()) as ExecRecord & { error: { type: string } }
const record = async (id: string, wait = 0, of = service) => json(await of.request(`/runs/${id}?wait_seconds=${wait}`))
const list = async (query = '', of = service) =>
  ((await (await of.request(`/runs${query}`)).json()) as { runs: ExecRecord[] }).runs
/** Starts a run in the background; resolves with its id. */
async function background(body: object, of = service): Promise<string> {
  return (await json(await of.post('/exec', { ...body, background: true }))).id
}
const hasOutput = (id: string) => until(async () => (await record(id)).stdout_bytes > 0)
const cancel = (id: string) => service.request(`/runs/${id}`, { method: 'DELETE' })
const feed = (id: string, body: unknown) => service.post(`/runs/${id}/stdin`, body)

t.test('a record says which route or tool it came from', async (t) => {
  await service.exec({ command: 'true # exec' })
  await service.post('/exec/picoclaw', { command: 'true # dialect' })
  await modern(service, 'tools/call', { name: 'exec', arguments: { command: 'true # tool' } })
  const socket = await service.socket()
  socket.send({ type: 'exec', command: 'true # socket' })
  await socket.next(({ type }) => type === 'result')
  await socket.close()
  await service.request(`/files?path=${encodeURIComponent(join(folder, 'put'))}`, { method: 'PUT', body: 'x' })
  const vias = (await list('?limit=5')).map(({ via, dialect }) => [via, dialect])
  t.same(vias, [
    ['PUT /files', 'files'],
    ['WebSocket', 'oneclaw'],
    ['MCP exec', 'oneclaw'],
    ['POST /exec/picoclaw', 'picoclaw'],
    ['POST /exec', 'oneclaw'],
  ])
})
/** Sends a request with an unchanged path, which fetch would normalize. */
function raw(method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
    const request = httpRequest({ port: service.port, method, path, headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode!, body })
    })
    request.on('error', reject)
    request.end(
      method === 'POST'
        ? '{"signal":"SIGTERM","data":"x"}'.replace(path.endsWith('signal') ? ',"data":"x"' : '"signal":"SIGTERM",', '')
        : undefined,
    )
  })
}

t.test('rejects invalid ids', async (t) => {
  const ids = [
    noRun,
    'x',
    '-1',
    'undefined',
    noRun.toUpperCase(),
    '..',
    '%2e%2e',
    '..%2f..%2ftoken',
    '..%2Ftoken',
    '%2fetc%2fpasswd',
  ]
  ids.push('token%00', '%ff', '%', 'a'.repeat(300), 'a'.repeat(10_000), '__proto__', "1'%20or%201=1", '*')
  const routes: [string, string][] = [
    ['GET', ''],
    ['GET', '?wait_seconds=1'],
    ['GET', '/output'],
    ['GET', '/events'],
    ['POST', '/stdin'],
    ['POST', '/signal'],
    ['DELETE', ''],
  ]
  for (const [method, rest] of routes) {
    for (const id of ids) {
      const name = `${method} /runs/${id.slice(0, 40)}${rest}`
      const { status, body } = await raw(method, `/runs/${id}${rest}`)
      const expected = id === noRun ? [404] : [400, 404]
      t.ok(expected.includes(status), `${name}: ${status}`)
      t.match(JSON.parse(body).error?.type, status === 404 ? 'not_found' : 'validation_error', name)
      t.notOk(body.includes(service.token) || body.includes('root:'), `${name}: reveals nothing`)
    }
  }
})

t.test('queries', async (t) => {
  const { id } = await service.exec({ command: 'printf 0123456789; printf abc >&2' })
  /** [path, status, body or error type, Run-Eof] */
  const rows: [string, number, string, string?][] = [
    [`/runs/${id}/output`, 200, '0123456789', 'true'],
    [`/runs/${id}/output?stream=stderr`, 200, 'abc', 'true'],
    [`/runs/${id}/output?stream=stdout&offset=4`, 200, '456789', 'true'],
    [`/runs/${id}/output?offset=4&limit=3`, 200, '456', 'false'],
    [`/runs/${id}/output?offset=7&limit=3`, 200, '789', 'true'],
    [`/runs/${id}/output?limit=1000000000000`, 200, '0123456789', 'true'],
    [`/runs/${id}/output?offset=10`, 200, '', 'true'],
    [`/runs/${id}/output?offset=11`, 416, 'out_of_range'],
    [`/runs/${id}/output?stream=stderr&offset=4`, 416, 'out_of_range'],
    [`/runs/${id}/output?offset=9007199254740991`, 416, 'out_of_range'],
    [`/runs/${id}/output?offset=-1`, 400, 'validation_error'],
    [`/runs/${id}/output?offset=1.5`, 400, 'validation_error'],
    [`/runs/${id}/output?offset=x`, 400, 'validation_error'],
    [`/runs/${id}/output?offset=`, 400, 'validation_error'],
    [`/runs/${id}/output?limit=0`, 400, 'validation_error'],
    [`/runs/${id}/output?limit=-5`, 400, 'validation_error'],
    [`/runs/${id}/output?stream=both`, 400, 'validation_error'],
    [`/runs/${id}/output?frobnicate=1`, 400, 'validation_error'],
    [`/runs/${id}?wait_seconds=-1`, 400, 'validation_error'],
    [`/runs/${id}?wait_seconds=soon`, 400, 'validation_error'],
    ['/runs?limit=0', 400, 'validation_error'],
    ['/runs?limit=-1', 400, 'validation_error'],
    ['/runs?limit=many', 400, 'validation_error'],
    ['/runs?status=nope', 400, 'validation_error'],
    ['/runs?frobnicate=1', 400, 'validation_error'],
  ]
  for (const [path, status, expected, eof] of rows) {
    const response = await service.request(path)
    const text = await response.text()
    t.equal(response.status, status, `${path}: ${status}`)
    t.equal(status === 200 ? text : JSON.parse(text).error?.type, expected, path)
    if (eof === undefined) continue
    t.equal(response.headers.get('run-eof'), eof, `${path}: Run-Eof`)
    t.equal(response.headers.get('run-total'), path.includes('stderr') ? '3' : '10', `${path}: Run-Total`)
    t.equal(response.headers.get('run-offset'), /offset=(\d+)/.exec(path)?.[1] ?? '0', `${path}: Run-Offset`)
  }
  const huge = await service.request(`/runs/${id}/output?offset=99999999999999999999999`)
  t.ok([400, 416].includes(huge.status), 'an offset that is no safe integer')
  for (const [last, status] of [
    ['x', 400],
    ['-1.0', 400],
    ['5', 400],
    ['1.2.3', 400],
    ['11.0', 416],
    ['0.4', 416],
    ['999999999999999.0', 416],
  ] as const) {
    const response = await service.request(`/runs/${id}/events`, { headers: { 'last-event-id': last } })
    t.equal(response.status, status, `Last-Event-ID ${last}: ${status}`)
    await response.body?.cancel()
  }
})

t.test('history: newest first, without outputs, by status, text and id', async (t) => {
  const ids: string[] = []
  // no id contains -, u, l or i
  for (const command of ['echo alpha-720-uli', 'echo beta-720-uli; false', 'echo "100% (720-uli) [x] .*"']) {
    ids.push((await service.exec({ command })).id)
  }
  const timedOut = await service.exec({ command: 'sleep 7202', timeout_seconds: 0.1 })
  ids.push(timedOut.id)
  const all = await list('?limit=4')
  t.strictSame(
    all.map(({ id }) => id),
    [...ids].reverse(),
    'newest first, limited',
  )
  for (const one of all) {
    t.notOk('stdout' in one || 'stderr' in one || 'output' in one, 'no outputs')
    t.hasStrict(await record(one.id), { id: one.id, status: one.status, command: one.command })
  }
  /** [query, the indices in `ids` of the runs found] */
  const rows: [string, number[]][] = [
    ['?q=alpha-720-uli', [0]],
    ['?q=720-uli', [2, 1, 0]],
    ['?q=720-uli&status=failed', [1]],
    ['?q=720-uli&limit=2', [2, 1]],
    [`?q=720-uli&before=${'ID2'}`, [1, 0]],
    ['?status=timed_out&limit=1', [3]],
    [`?q=${encodeURIComponent('100% (720-uli) [x] .*')}`, [2]],
    [`?q=${encodeURIComponent('720-uli.*')}`, []],
    ['?q=no-such-text-anywhere', []],
  ]
  for (const [query, places] of rows) {
    const found = await list(query.replace('ID2', ids[2]!))
    t.strictSame(
      found.map(({ id }) => id),
      places.map((place) => ids[place]),
      query,
    )
  }
})

t.test('background: 202 at once, then the record by waiting', async (t) => {
  for (const [body, headers] of [
    [{ background: true }, {}],
    [{}, { prefer: 'respond-async' }],
    [{}, { prefer: 'wait=10, respond-async' }],
  ] as const) {
    const response = await service.post('/exec', { command: 'read go; echo done', stdin: 'open', ...body }, headers)
    const accepted = await json(response)
    t.equal(response.status, 202)
    t.equal(response.headers.get('location'), `/runs/${accepted.id}`)
    t.equal(response.headers.get('run-id'), accepted.id)
    t.match(accepted.status, /^(queued|starting|running)$/)
    const early = await record(accepted.id, 0.05)
    t.match(early.status, /^(queued|starting|running)$/, 'a wait that is over answers as it is')
    const waited = record(accepted.id, 300)
    await service.post(`/runs/${accepted.id}/stdin`, { data: 'go\n', end: true })
    t.hasStrict(await waited, {
      status: 'completed',
      stdout: 'done\n',
      timeout_seconds: 86_400,
      exit_code: 0,
    })
    t.hasStrict(await record(accepted.id, 300), { status: 'completed', stdout: 'done\n' }, 'a wait for what has ended')
  }
  t.hasStrict(await record(await background({ command: 'sleep 7211', timeout_seconds: 0.2 }), 300), {
    status: 'timed_out',
    exit_code: -1,
  })
  const bad = await service.post('/exec', { background: true })
  t.equal(bad.status, 400, 'a bad request is refused at once')
  const blockers = await Promise.all([1, 2, 3].map(() => background({ command: 'sleep 7212' })))
  const queued = await background({ command: 'echo > /tmp/shellphone-never' })
  t.hasStrict(await record(queued), { status: 'queued' }, 'its own count')
  t.hasStrict(
    await service.exec({ command: 'echo quick' }),
    { stdout: 'quick\n' },
    'quick ones have slots of their own',
  )
  t.strictSame(await (await cancel(queued)).json(), { outcome: 'cancel_requested' })
  t.hasStrict(await record(queued, 300), { status: 'canceled' }, 'cancelled while queued')
  for (const id of blockers) await cancel(id)
  for (const id of blockers) t.hasStrict(await record(id, 300), { status: 'canceled' })
  t.strictSame(processesWith('sleep 7212'), [])
})

t.test('cancel', async (t) => {
  const id = await background({ command: 'echo up; sleep 7221 & setsid sleep 7222 & trap "" TERM; sleep 7223' })
  await hasOutput(id)
  const outcomes = await Promise.all([cancel(id), cancel(id), cancel(id)].map(async (one) => (await one).json()))
  for (const outcome of outcomes) t.strictSame(outcome, { outcome: 'cancel_requested' })
  const ended = await record(id, 300)
  t.hasStrict(ended, {
    status: 'canceled',
    exit_code: -1,
    timed_out: false,
    stdout: 'up\n',
    left_behind: { survivors: [] },
  })
  t.strictSame(processesWith('sleep 722'), [], 'the whole tree, though it would not listen')
  t.strictSame(await (await cancel(id)).json(), { outcome: 'already_finished' })
  const early = await background({ command: 'sleep 7224' })
  t.equal((await cancel(early)).status, 200, 'before the start')
  t.hasStrict(await record(early, 300), { status: 'canceled' })
})

t.test('stdin', async (t) => {
  const id = await background({ command: 'echo up; cat; echo end', stdin: 'open' })
  await hasOutput(id)
  /** [name, body, status, type] */
  const rows: [string, unknown, number, string?][] = [
    ['text', { data: 'grüße\n' }, 200],
    ['bytes', { data: '//4A', encoding: 'base64' }, 200],
    ['nothing', { data: '' }, 200],
    ['a number', { data: 5 }, 400, 'validation_error'],
    ['unknown encoding', { data: 'x', encoding: 'hex' }, 400, 'validation_error'],
    ['unknown field', { data: 'x', more: 1 }, 400, 'validation_error'],
    ['end that is no boolean', { end: 'yes' }, 400, 'validation_error'],
    ['broken JSON', '{', 400, 'validation_error'],
    ['end', { data: 'last', end: true }, 200],
  ]
  for (const [name, body, status, type] of rows) {
    const response = await feed(id, body)
    const answer = await json(response)
    t.equal(response.status, status, `${name}: ${JSON.stringify(answer)}`)
    if (type) t.equal(answer.error.type, type, name)
  }
  t.hasStrict(await record(id, 300), { status: 'completed', stdout_bytes: 3 + 8 + 3 + 4 + 4 })
  const bytes = Buffer.from(await (await service.request(`/runs/${id}/output`)).arrayBuffer())
  t.strictSame(
    bytes,
    Buffer.concat([Buffer.from('up\ngrüße\n'), Buffer.from('//4A', 'base64'), Buffer.from('lastend\n')]),
  )
  t.hasStrict([(await feed(id, { data: 'x' })).status], [409], 'after its end')
  const without = await background({ command: 'sleep 7231' })
  const refused = await feed(without, { data: 'x' })
  t.hasStrict([refused.status, (await json(refused)).error.type], [409, 'conflict'], 'a run without it')
  await cancel(without)
})

t.test('signals', async (t) => {
  const signal = (id: string, body: unknown) => service.post(`/runs/${id}/signal`, body)
  const id = await background({
    command: 'trap "echo hup" HUP; trap "echo int; exit 5" INT; echo up; while :; do sleep 0.05; done',
  })
  await hasOutput(id)
  /** [body, status] */
  const rows: [unknown, number][] = [
    [{ signal: 'SIGNOPE' }, 400],
    [{ signal: '' }, 400],
    [{ signal: 'SIG' }, 400],
    [{ signal: '9' }, 400],
    [{ signal: 9 }, 400],
    [{ signal: '__proto__' }, 400],
    [{ signal: '; rm -rf /' }, 400],
    [{}, 400],
    [{ signal: 'SIGHUP', more: 1 }, 400],
    [{ signal: 'SIGHUP' }, 200],
  ]
  for (const [body, status] of rows) t.equal((await signal(id, body)).status, status, JSON.stringify(body))
  t.ok(await until(async () => (await record(id)).stdout_bytes === 7), 'the trap ran')
  t.equal((await signal(id, { signal: 'SIGINT' })).status, 200)
  t.hasStrict(await record(id, 300), { status: 'failed', exit_code: 5, stdout: 'up\nhup\nint\n' })
  t.equal((await signal(id, { signal: 'SIGINT' })).status, 409, 'after its end')
})

t.test('a run that waits for a slot refuses signals at once', async (t) => {
  const busy = await startService({ env: { SHELLPHONE_MAX_BACKGROUND_RUNNING: '1' } })
  t.teardown(() => busy.stop())
  const first = await background({ command: 'sleep 7232' }, busy)
  const second = await background({ command: 'sleep 7233' }, busy)
  const refused = await soon(busy.post(`/runs/${second}/signal`, { signal: 'SIGTERM' }))
  const message = `Run ${second} has not started; it waits for a slot. Try again when it is running`
  t.hasStrict([refused.status, (await json(refused)).error], [409, { type: 'conflict', message }])
  t.equal((await busy.post(`/runs/${second}/signal`, { signal: 'SIGNOPE' })).status, 400, 'a wrong name first')
  await busy.request(`/runs/${first}`, { method: 'DELETE' })
  t.ok(await until(async () => (await record(second, 0, busy)).status === 'running'))
  t.equal((await busy.post(`/runs/${second}/signal`, { signal: 'SIGTERM' })).status, 200)
  t.hasStrict(await record(second, 300, busy), { status: 'failed', signal: 'SIGTERM' })
})

t.test('events by SSE, from the start and from Last-Event-ID', async (t) => {
  const { id } = await service.exec({ command: 'echo a; sleep 0.1; echo b >&2; sleep 0.1; echo c' })
  const events: SseEvent[] = []
  for await (const event of sseEvents(await service.request(`/runs/${id}/events`))) events.push(event)
  t.match(events.at(-1)!, { event: 'result', data: { id, stdout: 'a\nc\n', stderr: 'b\n' } })
  t.equal(events.filter(({ event }) => event === 'result').length, 1)
  for (const { lastEventId } of events.filter(({ event }) => event === 'output')) {
    const rest: SseEvent[] = []
    for await (const event of sseEvents(
      await service.request(`/runs/${id}/events`, { headers: { 'last-event-id': lastEventId } }),
    )) {
      rest.push(event)
    }
    const [stdout = 0, stderr = 0] = lastEventId.split('.').map(Number)
    const of = (stream: string) =>
      rest
        .filter(({ data }) => data.stream === stream)
        .map(({ data }) => data.data)
        .join('')
    t.strictSame([of('stdout'), of('stderr')], ['a\nc\n'.slice(stdout), 'b\n'.slice(stderr)], `from ${lastEventId}`)
    t.equal(rest.at(-1)!.event, 'result')
  }
})

type Subtest = Parameters<Parameters<typeof t.test>[0]>[0]

t.test('UTF-8 split at every byte position', async (t) => {
  const text = 'aä€🦊z\n'
  const bytes = Buffer.from(text)
  const prints = [...bytes].map((byte) => `read go; printf '\\${byte.toString(8).padStart(3, '0')}'`)
  const id = await background({ command: prints.join('; '), stdin: 'open' })
  const response = await service.request(`/runs/${id}/events`)
  const pieces: string[] = []
  const watched = (async () => {
    for await (const { event, data } of sseEvents(response)) {
      if (event === 'output') pieces.push(data.data!)
      if (event === 'result') t.equal(data.stdout, text)
    }
  })()
  for (let count = 1; count <= bytes.length; count++) {
    await feed(id, { data: '\n' })
    const whole = new TextDecoder().decode(bytes.subarray(0, count), { stream: true })
    t.ok(await until(async () => (await record(id)).stdout_bytes === count && pieces.join('') === whole))
  }
  await watched
  t.strictSame(pieces, [...text], 'each character comes when it is whole')
})

t.test('Idempotency-Key', async (t) => {
  const log = join(folder, 'ran')
  const body = { command: `echo ran >> ${log}; echo out`, timeout_seconds: 10 }
  const key = { 'idempotency-key': 'key-1' }
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => service.post('/exec', body, key)))
  const ids = new Set((await Promise.all(all.map(json))).map(({ id, stdout }) => `${id} ${stdout}`))
  t.equal(ids.size, 1, 'five at once are one run')
  const again = await json(await service.post('/exec', { timeout_seconds: 10, command: body.command }, key))
  t.ok(ids.has(`${again.id} ${again.stdout}`), 'and later, the fields in another order')
  t.equal(readFileSync(log, 'utf8'), 'ran\n', 'it ran once')
  const text = await service.post('/exec', body, { ...key, accept: 'text/plain' })
  t.equal(await text.text(), '[Exit Code: 0]\nout\n', 'the replay as text')
  const other = await service.post('/exec', { ...body, timeout_seconds: 11 }, key)
  t.hasStrict([other.status, (await json(other)).error.type], [409, 'conflict'], 'another body')
  const fresh = { 'idempotency-key': 'key-2' }
  t.equal((await service.post('/exec', { command: '' }, fresh)).status, 400)
  t.equal((await service.post('/exec', { command: 'echo good' }, fresh)).status, 200, 'a refused request takes no key')
  const many = await service.post('/exec', { command: 'true' }, { 'idempotency-key': 'k'.repeat(5000) })
  t.ok([200, 400].includes(many.status), 'a long key')
  const first = await json(
    await service.post('/exec', { command: 'sleep 0.4; echo slow', background: true }, { 'idempotency-key': 'key-3' }),
  )
  const second = await service.post(
    '/exec',
    { command: 'sleep 0.4; echo slow', background: true },
    { 'idempotency-key': 'key-3' },
  )
  t.equal((await json(second)).id, first.id, 'in the background: the same run')
})

t.test('artifacts: size and sha256, or why not', async (t) => {
  const { artifacts, status } = await service.exec({
    command: 'printf hello > made; mkdir -p dir',
    working_directory: folder,
    artifact_paths: [
      'made',
      join(folder, 'made'),
      'missing',
      'dir',
      '',
      'a\0b',
      '/proc/self/mem',
      `/${'x'.repeat(5000)}`,
    ],
  })
  t.equal(status, 'completed', 'a missing artifact is no failure')
  const sha256 = createHash('sha256').update('hello').digest('hex')
  t.hasStrict(artifacts[0], { path: 'made', bytes: 5, sha256 })
  t.hasStrict(artifacts[1], { bytes: 5, sha256 })
  for (const one of artifacts.slice(2)) {
    t.ok(one.error && one.sha256 === undefined, `${one.path.slice(0, 30)}: ${one.error}`)
  }
  t.equal(artifacts.length, 8)
})

t.test('returns earlier runs after a restart', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-home-'))
  t.teardown(() => rmSync(home, { recursive: true }))
  const key = { 'idempotency-key': 'over-the-restart' }
  const secret = `ghp_${'a1B2'.repeat(9)}`
  let first = await startService({ home })
  const made = [
    await json(await first.post('/exec', { command: 'seq 1 30000; echo err >&2; exit 3' }, key)),
    await first.exec({ command: `: ${secret}` }),
    await first.exec({ command: 'sleep 7251', timeout_seconds: 0.1 }),
  ]
  t.match(made[1]!.command, secret, 'the first response is not redacted')
  t.equal(await first.stop(), 0)
  first = await startService({ home })
  const kept = await list('', first)
  t.strictSame(
    kept.map(({ id, status, exit_code }) => [id, status, exit_code]),
    made.toReversed().map(({ id, status, exit_code }) => [id, status, exit_code]),
  )
  t.hasStrict(await record(made[0]!.id, 0, first), {
    stdout: made[0]!.stdout,
    stderr: 'err\n',
    stdout_sha256: made[0]!.stdout_sha256,
    output: made[0]!.output,
  })
  const bytes = Buffer.from(await (await first.request(`/runs/${made[0]!.id}/output`)).arrayBuffer())
  t.equal(createHash('sha256').update(bytes).digest('hex'), made[0]!.stdout_sha256, 'the whole output')
  const replay = await json(await first.post('/exec', { command: 'seq 1 30000; echo err >&2; exit 3' }, key))
  t.equal(replay.id, made[0]!.id, 'the key still holds')
  t.equal((await first.post('/exec', { command: 'true' }, key)).status, 409)
  t.notOk(
    kept.some(({ command }) => command.includes(secret)),
    'a token in a command is not in history',
  )
  for (const file of filesBelow(home)) {
    const { mode } = statSync(file)
    t.equal(mode & 0o077, 0, `${file.slice(home.length)}: for its owner alone (${(mode & 0o777).toString(8)})`)
    if (/history|key/.test(file) && statSync(file).isFile()) {
      t.notOk(readFileSync(file).includes(secret), `${file.slice(home.length)}: no secret`)
    }
  }
  t.equal(await first.stop(), 0)
  const history = filesBelow(home).filter(
    (file) => /history/.test(file) && statSync(file).isFile() && statSync(file).size > 0,
  )
  t.ok(history.length > 0)
  const newest = history.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]!
  truncateSync(newest, statSync(newest).size - 20)
  first = await startService({ home })
  t.ok(
    (await list('', first)).some(({ id }) => id === made[0]!.id),
    'a torn end costs nothing that came before it',
  )
  t.hasStrict(await first.exec({ command: 'echo on' }), { stdout: 'on\n' })
  t.equal((await list('?limit=1', first))[0]!.command, 'echo on')
  writeFileSync(newest, Buffer.concat([readFileSync(newest), Buffer.from('\0garbage {"id":')]))
  t.equal(await first.stop(), 0)
  first = await startService({ home })
  t.ok(
    (await list('', first)).some(({ command }) => command === 'echo on'),
    'garbage at the end neither',
  )
  t.equal(await first.stop(), 0)
})

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
}

/** The reply is correct no matter what the disk does, and reports output that was not stored. */
async function onBadDisk(t: Subtest, name: string, disk: Service): Promise<ExecRecord> {
  const answer = await disk.exec({ command: 'seq 1 400000; echo err >&2; exit 3', max_length: 1000 })
  t.hasStrict(
    answer,
    { status: 'failed', exit_code: 3, stdout_bytes: 2_688_895, stderr: 'err\n', truncated: true },
    `${name}: the reply is right`,
  )
  t.match(answer.stdout, /^1\n2\n.*\n400000\n$/s, `${name}: head and tail`)
  t.ok(answer.notes.length > 0, `${name}: what is not kept is said: ${JSON.stringify(answer.notes)}`)
  t.hasStrict(await disk.exec({ command: 'echo on' }), { stdout: 'on\n' }, `${name}: and the service keeps working`)
  return answer
}

t.test('replies correctly on a full disk', async (t) => {
  const home = join(folder, 'small')
  mkdirSync(home)
  const skip = mountSmall(t, home)
  if (skip !== null) return t.pass('full', { skip })
  const small = await startService({ home, env: { SHELLPHONE_MIN_FREE_BYTES: '0' } })
  await onBadDisk(t, 'full', small)
  t.equal(await small.stop(), 0)
})

t.test('respects the limits of the spool, and survives its removal', async (t) => {
  const limited = await startService({
    env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '65536', SHELLPHONE_MAX_SPOOL_BYTES: '150000' },
  })
  t.teardown(() => limited.stop())
  const { id, stdout_sha256 } = await onBadDisk(t, 'limit of a run', limited)
  const whole = Array.from({ length: 400_000 }, (_, n) => `${n + 1}\n`).join('')
  t.equal(stdout_sha256, createHash('sha256').update(whole).digest('hex'), 'sha256 is of the whole')
  const start = await limited.request(`/runs/${id}/output?limit=1000`)
  t.ok(start.status === 200 && whole.startsWith(await start.text()), 'what was kept can be read')
  const beyond = await limited.request(`/runs/${id}/output?offset=1000000`)
  t.hasStrict(
    [beyond.status, (await json(beyond)).error?.type],
    [410, 'expired'],
    'what was not is gone, and that is said',
  )
  const ranged = await limited.request(`/runs/${id}/output`, { headers: { range: 'bytes=1000000-1000009' } })
  t.equal(ranged.status, 410)
  const ofBytes = [...ranged.headers.keys()].filter((name) => /range|^run-(offset|total|eof)$/.test(name))
  t.same(ofBytes, [], 'an error mentions no bytes that it does not contain')
  for (let n = 0; n < 4; n++) await limited.exec({ command: 'seq 1 100000' })
  const swept = await limited.request(`/runs/${id}/output`)
  t.hasStrict([swept.status, (await json(swept)).error?.type], [410, 'expired'], 'the oldest is swept first')
  t.hasStrict(await record(id, 0, limited), { id, status: 'failed', exit_code: 3 }, 'its record stays')

  const taken = await startService()
  t.teardown(() => taken.stop())
  const before = await taken.exec({ command: 'echo before' })
  for (const name of readdirSync(taken.home)) {
    if (['runs', 'pipes', 'tmp'].includes(name)) rmSync(join(taken.home, name), { recursive: true })
  }
  const after = await taken.exec({ command: 'seq 1 400000; exit 3', max_length: 1000 })
  t.hasStrict(
    after,
    { status: 'failed', exit_code: 3, stdout_bytes: 2_688_895 },
    'the spool deleted: the reply is right',
  )
  t.match(after.stdout, /^1\n2\n.*\n400000\n$/s)
  t.ok([200, 410].includes((await taken.request(`/runs/${before.id}/output`)).status), 'and nothing breaks')
  t.equal((await taken.request('/runs')).status, 200)
})
