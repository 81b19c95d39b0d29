import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect, createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type ExecRecord, type FileList, type NewToken, note } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { noSandbox, type Service, startService, until } from '../../support/helper.ts'
import { newFolder, partsIn } from '../../support/folders.ts'
import { mountSmall } from '../../support/small-disk.ts'

const utf8 = { ...process.env, LC_ALL: 'C.UTF-8' }
const isRoot = process.getuid?.() === 0
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const digest = (bytes: Buffer | string) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`

let service: Service
let folder: string
t.before(async () => {
  service = await startService()
  folder = newFolder(t, 'files')
})
t.teardown(() => service.stop())

const at = (path: string, more: Record<string, string> = {}) => `/files?${new URLSearchParams({ path, ...more })}`

interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
  json: { error?: { type: string; message: string; field?: string } } & Partial<ExecRecord>
}

type More = { headers?: Record<string, string>; body?: Buffer | string; query?: Record<string, string>; token?: string }

async function ask(
  method: string,
  path: string,
  { headers, body, query, token }: More = {},
  of = service,
): Promise<Answer> {
  const reply = await of.request(at(path, query), {
    method,
    redirect: 'manual',
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(token !== undefined && { token }),
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: reply.status,
    headers: reply.headers,
    bytes,
    json: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : {},
  }
}

/** The newest run, once it has ended: a download is on record only after its last byte was sent. */
async function newest(of = service): Promise<ExecRecord> {
  for (;;) {
    const [run] = ((await (await of.request('/runs?limit=1')).json()) as { runs: ExecRecord[] }).runs
    if (run!.ended_at !== null) return run!
  }
}

t.test('writes a file in one step, reads, inspects and deletes it, and records each step', async (t) => {
  const path = join(folder, "it's a file 🦊")
  const made = await ask('PUT', path, { body: 'first' })
  t.equal(made.status, 201)
  t.equal(made.headers.get('repr-digest'), digest('first'))
  fs.chmodSync(path, 0o640)
  const { ino } = fs.statSync(path)
  const replaced = await ask('PUT', path, { body: 'second' })
  t.equal(replaced.status, 204)
  t.not(fs.statSync(path).ino, ino, 'it is another file, renamed')
  t.equal(fs.statSync(path).mode & 0o777, 0o640, 'with the mode of the one before')
  const record = await newest()
  t.match(record, {
    id: replaced.headers.get('run-id')!,
    token: 'owner',
    status: 'completed',
    exit_code: 0,
    command: `tee '${path.replace("'", "'\\''")}'`,
    artifacts: [{ path, bytes: 6, sha256: sha256('second') }],
    notes: [note('TRANSFER')],
  })

  const got = await ask('GET', path)
  t.equal(got.bytes.toString(), 'second')
  t.match((await newest()).artifacts, [{ path, bytes: 6, sha256: sha256('second') }])
  const head = await ask('HEAD', path)
  t.match(
    ['content-length', 'repr-digest', 'etag', 'file-mode'].map((name) => head.headers.get(name)),
    ['6', digest('second'), got.headers.get('etag')!, '0640'],
  )
  t.ok(Math.abs(Date.parse(head.headers.get('last-modified')!) - fs.statSync(path).mtimeMs) < 1000)

  t.equal((await ask('DELETE', path)).status, 204)
  t.notOk(fs.existsSync(path))
  t.equal((await ask('DELETE', path)).status, 404)
  t.same(partsIn(folder), [])
  t.match(await newest(), { status: 'completed', command: /^rm '/ })
})

t.test('accepts modes, empty files and bodies in chunks', async (t) => {
  const path = join(folder, 'mode')
  t.equal((await ask('PUT', path, { body: '', query: { mode: '700' } })).status, 201)
  t.match(fs.statSync(path), { size: 0, mode: 0o100700 })
  t.equal((await ask('GET', path)).bytes.length, 0)
  t.equal((await ask('PUT', path, { body: 'x', query: { mode: '9' } })).status, 400)
  const chunked = httpRequest({
    port: service.port,
    method: 'PUT',
    path: at(path),
    headers: { authorization: `Bearer ${service.token}` },
  })
  for (const piece of ['no ', 'length ', 'was said']) chunked.write(piece)
  chunked.end()
  const [reply] = await once(chunked, 'response')
  t.equal(reply.statusCode, 204)
  t.equal(fs.readFileSync(path, 'utf8'), 'no length was said')
})

t.test('GET returns ranges', async (t) => {
  const path = join(folder, 'ranges')
  fs.writeFileSync(path, '0123456789')
  const { headers } = await ask('HEAD', path)
  const etag = headers.get('etag')!
  /** [Range, If-Range, status, body, Content-Range] */
  const rows: [string, string | null, number, string, string | null][] = [
    ['bytes=0-3', null, 206, '0123', 'bytes 0-3/10'],
    ['bytes=8-', null, 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', null, 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', null, 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-99', null, 206, '56789', 'bytes 5-9/10'],
    ['bytes=8-', etag, 206, '89', 'bytes 8-9/10'],
    ['bytes=8-', '"another"', 200, '0123456789', null],
    ['bytes=1-2,4-5', null, 200, '0123456789', null],
    ['lines=1-2', null, 200, '0123456789', null],
    ['bytes=x', null, 200, '0123456789', null],
    ['bytes=10-', null, 416, '', 'bytes */10'],
    ['bytes=4-2', null, 416, '', 'bytes */10'],
    ['bytes=-0', null, 416, '', 'bytes */10'],
  ]
  for (const [range, ifRange, status, body, contentRange] of rows) {
    const reply = await ask('GET', path, { headers: { range, ...(ifRange === null ? {} : { 'if-range': ifRange }) } })
    t.equal(reply.status, status, range)
    t.equal(reply.headers.get('content-range'), contentRange, range)
    if (status === 416) t.match(reply.json.error, { type: 'out_of_range', field: 'Range' })
    else t.equal(reply.bytes.toString(), body, range)
  }
})

t.test('respects If-Match and If-None-Match', async (t) => {
  const path = join(folder, 'match')
  fs.writeFileSync(path, 'old')
  const etag = (await ask('HEAD', path)).headers.get('etag')!
  const missing = join(folder, 'missing')
  /** [method, path, headers, status] */
  const rows: [string, string, Record<string, string>, number][] = [
    ['GET', path, { 'if-none-match': etag }, 304],
    ['GET', path, { 'if-none-match': `"x", W/${etag}` }, 304],
    ['HEAD', path, { 'if-none-match': '*' }, 304],
    ['GET', path, { 'if-match': etag }, 200],
    ['GET', path, { 'if-match': '"x"' }, 412],
    ['PUT', path, { 'if-match': '"x"' }, 412],
    ['PUT', path, { 'if-none-match': '*' }, 412],
    ['PUT', missing, { 'if-match': '*' }, 412],
    ['DELETE', path, { 'if-match': '"x"' }, 412],
  ]
  for (const [method, at, headers, status] of rows) {
    const body = method === 'PUT' ? { body: 'new' } : {}
    t.equal((await ask(method, at, { headers, ...body })).status, status, `${method} ${JSON.stringify(headers)}`)
  }
  t.equal(fs.readFileSync(path, 'utf8'), 'old')
  t.equal((await ask('PUT', missing, { headers: { 'if-none-match': '*' }, body: 'x' })).status, 201)
  const changed = await ask('PUT', path, { headers: { 'if-match': etag }, body: 'new' })
  t.equal(changed.status, 204)
  t.equal(
    (await ask('PUT', path, { headers: { 'if-match': etag }, body: 'newer' })).status,
    412,
    'it is another one by now',
  )
  t.equal((await ask('DELETE', path, { headers: { 'if-match': changed.headers.get('etag')! } })).status, 204)
})

t.test('rejects invalid paths and anything that is no file', async (t) => {
  const file = join(folder, 'file')
  const inner = join(folder, 'directory', 'inner')
  fs.writeFileSync(file, 'x')
  fs.mkdirSync(inner, { recursive: true })
  fs.symlinkSync('loop', join(folder, 'loop'))
  fs.symlinkSync(file, join(folder, 'link'))
  spawnSync('mkfifo', [join(folder, 'fifo')])
  const socket = createServer().listen(join(folder, 'socket'))
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  /** [method, path, status, message] */
  const rows: [string, string, number, RegExp][] = [
    ['GET', 'relative', 400, /expected an absolute path.*got "relative"/],
    ['GET', './x', 400, /expected an absolute path/],
    ['GET', '', 400, /path: expected a string/],
    ['GET', `${folder}/../x`, 400, /without \.\./],
    ['PUT', `${folder}/directory/../x`, 400, /without \.\./],
    ['GET', `${folder}/a\0b`, 400, /no NUL/],
    ['PUT', `/${'x/'.repeat(2100)}`, 400, /at most 4095 bytes, got 4201/],
    ['PUT', `/tmp/${'x'.repeat(4100)}`, 400, /at most 4095 bytes/],
    ['PUT', join(folder, 'x'.repeat(256)), 400, /name too long \(at most 255 bytes/],
    ['GET', join(folder, 'fifo'), 409, /expected a file, got a fifo/],
    ['HEAD', join(folder, 'fifo'), 409, /^$/],
    ['PUT', join(folder, 'fifo'), 409, /expected a file, got a fifo/],
    ['GET', join(folder, 'socket'), 409, /got a socket/],
    ['GET', '/dev/null', 409, /got a character_device/],
    ['PUT', '/dev/null', 409, /got a character_device/],
    ['PUT', inner, 409, /expected a file, got a directory/],
    ['PUT', join(file, 'x'), 404, /a part of the path is not a directory/],
    ['GET', join(file, 'x'), 404, /a part of the path is not a directory/],
    ['PUT', join(folder, 'nowhere', 'x'), 404, /no such file or directory: .*\/nowhere$/],
    ['GET', join(folder, 'nowhere'), 404, /no such file or directory/],
    ['GET', join(folder, 'loop'), 409, /too many symbolic links/],
    ['DELETE', join(folder, 'directory'), 409, /directory not empty/],
    ['PUT', '/', 409, /got a directory/],
  ]
  for (const [method, path, status, says] of rows) {
    const reply = await ask(method, path, method === 'PUT' ? { body: 'y' } : {})
    t.equal(reply.status, status, `${method} ${path.slice(0, 80)}`)
    t.match(reply.json.error?.message ?? '', says, `${method} ${path.slice(0, 80)}`)
  }
  t.equal((await ask('GET', join(folder, 'link'))).bytes.toString(), 'x', 'a link that may be followed is')
  t.equal((await ask('PUT', join(folder, 'link'), { body: 'y' })).status, 204)
  t.ok(fs.lstatSync(join(folder, 'link')).isSymbolicLink(), 'what it leads to is written')
  t.equal(fs.readFileSync(file, 'utf8'), 'y')
  t.equal((await ask('DELETE', join(folder, 'link'))).status, 204)
  t.ok(fs.existsSync(file), 'the link alone goes')
  t.equal((await ask('DELETE', inner)).status, 204)
  t.equal((await ask('DELETE', join(folder, 'fifo'))).status, 204)
  t.match(await newest(), { command: /^rm / })
})

t.test('hides the service’s home under every policy', async (t) => {
  const open = await startService({ flags: ['--policy', 'open'] })
  t.teardown(() => open.stop())
  fs.symlinkSync(open.home, join(folder, 'home'))
  for (const [method, path] of [
    ['GET', join(open.home, 'token')],
    ['GET', open.home],
    ['GET', join(folder, 'home', 'token')],
    ['PUT', join(open.home, 'token')],
    ['DELETE', join(open.home, 'token')],
    ['GET', '/proc/self/environ'],
    ['GET', `/proc/${open.pid}/environ`],
    ['GET', `/proc/self/root${open.home}/token`],
  ] as const) {
    const reply = await ask(method, path, method === 'PUT' ? { body: 'x' } : {}, open)
    t.equal(reply.status, 403, `${method} ${path}`)
    t.match(reply.json, { status: 'denied', decision: { rule: 'sandbox', reason: /hidden/ } })
  }
  const tar = await ask('GET', folder, { headers: { accept: 'application/x-tar' } }, open)
  t.notOk(tar.bytes.includes(open.token), 'an archive of what is above it leaves it out')
})

t.test('a change that is withdrawn while it waits for approval gets 409, and changes nothing', async (t) => {
  const made = await service.post('/tokens', { name: 'careful', policy: 'supervised' })
  const { token } = (await made.json()) as NewToken
  const path = join(folder, 'withdrawn')
  fs.writeFileSync(path, 'stays')
  for (const method of ['PUT', 'DELETE']) {
    const changed = ask(method, path, { token, ...(method === 'PUT' && { body: Buffer.alloc(300_000, 'z') }) })
    let waiting: { run_id: string }[] = []
    const isAsked = async () => {
      ;({ approvals: waiting } = (await (await service.request('/approvals')).json()) as { approvals: typeof waiting })
      return waiting.length === 1
    }
    t.ok(await until(isAsked))
    const { run_id } = waiting[0]!
    await service.request(`/runs/${run_id}`, { method: 'DELETE' })
    const error = { type: 'conflict', message: `Run ${run_id} was canceled` }
    t.match(await changed, { status: 409, json: { error } }, method)
    t.equal(fs.readFileSync(path, 'utf8'), 'stays')
  }
})

t.test('guards, approvals, token presets and history treat transfers like commands', async (t) => {
  const asked = await watchedService(t)
  const path = join(folder, 'asked')
  const answer = ask('PUT', path, { body: Buffer.alloc(300_000, 'x') }, asked.service)
  const question = await asked.question(`tee '${path}'`)
  t.match(question, { dialect: 'files', stdin: 'open', rule: 'file-write', always: null })
  t.notOk(fs.existsSync(path))
  asked.watcher.send({ type: 'approval', id: question.id, decision: 'approve' })
  t.equal((await answer).status, 201)
  t.match(await newest(asked.service), { approval: { outcome: 'approved' }, status: 'completed' })

  const refused = ask('PUT', path, { body: Buffer.alloc(3_000_000, 'y') }, asked.service)
  const again = await asked.question(`tee '${path}'`)
  asked.watcher.send({ type: 'approval', id: again.id, decision: 'deny' })
  t.match(await refused, { status: 403, json: { status: 'denied', approval: { outcome: 'denied' } } })
  t.equal(fs.statSync(path).size, 300_000)
  t.equal((await ask('GET', path, {}, asked.service)).status, 200, 'reading asks nobody')

  const { token } = (await (await service.post('/tokens', { name: 'agent', policy: 'strict' })).json()) as NewToken
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    const reply = await ask(method, '/etc/hostname', { token, ...(method === 'PUT' ? { body: 'x' } : {}) })
    t.equal(reply.status, 403, `${method} outside of the workspace`)
  }
  const runs = (await (await service.request('/runs?limit=4', { token })).json()) as { runs: ExecRecord[] }
  t.match(
    runs.runs.map((run) => [run.token, run.status, run.command]),
    [
      ['agent', 'denied', "rm '/etc/hostname'"],
      ['agent', 'denied', "tee '/etc/hostname'"],
      ['agent', 'denied', "sha256sum '/etc/hostname'"],
      ['agent', 'denied', "cat '/etc/hostname'"],
    ],
  )
  t.equal((await service.request(at(path), { token: 'wrong' })).status, 401)
})

t.test('judges a PUT over a system file like the command that does the same', async (t) => {
  const own = await startService({ env: { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0' } })
  t.teardown(() => own.stop())
  /** no such directory: a request that may write there gets an error and writes nothing */
  const paths = [
    '/etc/no-such-folder/passwd',
    '/usr/bin/no-such-folder/ls',
    join(homedir(), 'no-such-folder/authorized_keys'),
  ]
  for (const policy of ['open', 'guarded', 'supervised', 'strict'] as const) {
    const made = await own.post('/tokens', { name: policy, policy })
    const { token } = (await made.json()) as NewToken
    for (const path of paths) {
      const verdictOf = async (command: string) => {
        const asked = await own.post('/policy/check', { command, policy: { policy } })
        return ((await asked.json()) as { verdict: string }).verdict
      }
      const verdicts = [await verdictOf(`cp x ${path}`), await verdictOf(`tee '${path}'`)]
      t.equal(verdicts[1], verdicts[0], `${policy}: ${path}: ${verdicts[0]}`)
      const { status, json } = await ask('PUT', path, { body: 'x', token }, own)
      t.equal(status, verdicts[0] === 'allow' ? 404 : 403, `${policy}: PUT ${path}: ${status}`)
      if (verdicts[0] !== 'allow') t.equal(json.status, 'denied')
    }
  }
})

t.test('respects a token’s right to files', async (t) => {
  const file = join(folder, 'of-a-right')
  const wanted = {
    none: { GET: 403, HEAD: 403, PUT: 403, DELETE: 403 },
    read: { GET: 200, HEAD: 200, PUT: 403, DELETE: 403 },
    write: { GET: 200, HEAD: 200, PUT: 204, DELETE: 204 },
  }
  fs.writeFileSync(file, 'x')
  for (const [files, statuses] of Object.entries(wanted)) {
    const made = await service.post('/tokens', { name: `files-${files}`, files })
    const { token } = (await made.json()) as NewToken
    for (const [method, status] of Object.entries(statuses)) {
      const answer = await ask(method, file, { token, ...(method === 'PUT' && { body: 'y' }) })
      t.equal(answer.status, status, `${files}: ${method}`)
      const refusal = { error: { type: 'forbidden', message: /"files" is (none|read)/ } }
      if (status === 403 && method !== 'HEAD') t.match(answer.json, refusal)
    }
  }
})

t.test('enforces sandbox_floor', async (t) => {
  const flags = ['--sandbox', 'read-only', '--sandbox-floor', 'true']
  const sandboxed = await startService({ flags })
  t.teardown(() => sandboxed.stop())
  const missing = await noSandbox(sandboxed, 'read-only')
  if (missing) return t.pass('', { skip: missing })
  const path = join(folder, 'floor')
  fs.writeFileSync(path, 'x')
  t.equal((await ask('GET', path, {}, sandboxed)).status, 200)
  for (const [method, query, status] of [
    ['PUT', {}, 403],
    ['DELETE', {}, 403],
    ['PUT', { sandbox: 'none' }, 400],
    ['GET', { sandbox: 'read-only' }, 200],
  ] as const) {
    const body = method === 'PUT' ? { body: 'y' } : {}
    t.equal(
      (await ask(method, path, { query, ...body }, sandboxed)).status,
      status,
      `${method} ${JSON.stringify(query)}`,
    )
  }
  t.equal(fs.readFileSync(path, 'utf8'), 'x')
  t.match((await ask('PUT', path, { body: 'y', query: { sandbox: 'workspace-write' } })).json, {
    status: 'denied',
    decision: { rule: 'sandbox', reason: /does not allow writing outside/ },
  })
})

/** Sends a PUT with fewer bytes than it announces, and disconnects. */
async function cutPut(path: string, headers: Record<string, string>, bytes: Buffer): Promise<void> {
  const text = Object.entries({ authorization: `Bearer ${service.token}`, host: 'localhost', ...headers })
  const socket = connect(service.port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(`PUT ${at(path)} HTTP/1.1\r\n${text.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  await new Promise((resolve) => socket.write(bytes, resolve))
  await until(() => partsIn(folder).length > 0)
  socket.destroy()
}

t.test('an interrupted PUT leaves the old file, and can be resumed if it has a key', async (t) => {
  const path = join(folder, 'cut')
  const whole = Buffer.from(Array.from({ length: 400_000 }, (_, index) => (index * 7919) % 251))
  fs.writeFileSync(path, 'old')
  await cutPut(path, { 'content-length': '400000' }, whole.subarray(0, 100_000))
  t.ok(await until(() => partsIn(folder).length === 0), 'without a key nothing stays')
  t.equal(fs.readFileSync(path, 'utf8'), 'old')
  t.ok(await until(async () => (await newest()).status === 'canceled'))

  const key = { 'upload-key': 'k1' }
  const question = () => ask('PUT', path, { headers: { ...key, 'content-range': 'bytes */400000' } })
  t.match(await question(), { status: 308 })
  t.equal((await question()).headers.get('range'), null)
  await cutPut(path, { ...key, 'content-length': '400000' }, whole.subarray(0, 150_000))
  const there = await question()
  const next = Number(/^bytes=0-(\d+)$/.exec(there.headers.get('range') ?? '')?.[1]) + 1
  t.equal(there.status, 308)
  t.ok(next > 0 && next <= 150_000, `${next} bytes are there`)
  t.equal(fs.readFileSync(path, 'utf8'), 'old')

  const range = (from: number, to: number) => ({ ...key, 'content-range': `bytes ${from}-${to - 1}/400000` })
  /** [headers, body, status, message]: invalid requests, which change nothing */
  const wrong: [Record<string, string>, Buffer, number, RegExp][] = [
    [
      range(next + 1, 400_000),
      whole.subarray(next + 1),
      409,
      new RegExp(`expected to continue at ${next}, got ${next + 1}`),
    ],
    [range(next, 400_000), whole.subarray(next, 399_999), 400, /Content-Length: expected/],
    [{ 'content-range': `bytes ${next}-399999/400000` }, whole.subarray(next), 400, /Upload-Key: expected/],
    [{ ...key, 'content-range': 'bytes 5-3/10' }, whole.subarray(0, 3), 400, /Content-Range: expected/],
    [{ ...key, 'content-range': 'bytes 0-10/10' }, whole.subarray(0, 11), 400, /Content-Range: expected/],
    [{ ...key, 'content-range': 'bytes 0-10/*' }, whole.subarray(0, 11), 400, /Content-Range: expected/],
    [{ ...key, 'content-range': 'lines 0-1/2' }, whole.subarray(0, 2), 400, /Content-Range: expected/],
    [
      { 'upload-key': 'with space', 'content-range': 'bytes */5' },
      Buffer.alloc(0),
      400,
      /Upload-Key: expected 1 to 128/,
    ],
  ]
  for (const [headers, body, status, says] of wrong) {
    const reply = await ask('PUT', path, { headers, body })
    t.equal(reply.status, status, JSON.stringify(headers))
    t.match(reply.json.error?.message, says)
  }
  t.equal((await question()).headers.get('range'), `bytes=0-${next - 1}`)

  const part = await ask('PUT', path, { headers: range(next, 300_000), body: whole.subarray(next, 300_000) })
  t.match(part, { status: 308 })
  t.equal(part.headers.get('range'), 'bytes=0-299999')
  const rest = await ask('PUT', path, { headers: range(300_000, 400_000), body: whole.subarray(300_000) })
  t.equal(rest.status, 204)
  t.equal(rest.headers.get('repr-digest'), digest(whole))
  t.ok(fs.readFileSync(path).equals(whole))
  t.same(partsIn(folder), [])
})

t.test('an upload that can be resumed survives a restart; others are removed', async (t) => {
  const home = newFolder(t, 'files')
  const first = await startService({ home })
  const path = join(folder, 'restart')
  const range = { 'upload-key': 'k', 'content-range': 'bytes 0-4/10' }
  t.equal((await ask('PUT', path, { headers: range, body: '01234' }, first)).status, 308)
  const stuck = connect(first.port, '127.0.0.1').on('error', () => {})
  stuck.write(
    `PUT ${at(join(folder, 'stuck'))} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${first.token}\r\ncontent-length: 9\r\n\r\nx`,
  )
  t.ok(await until(() => partsIn(folder).length === 2))
  await first.kill('SIGKILL')
  const second = await startService({ home })
  t.teardown(() => second.stop())
  t.ok(await until(() => partsIn(folder).length === 1), 'the one without a key has gone')
  const rest = await ask('PUT', path, { headers: { ...range, 'content-range': 'bytes 5-9/10' }, body: '56789' }, second)
  t.equal(rest.headers.get('repr-digest'), digest('0123456789'))
  t.equal(fs.readFileSync(path, 'utf8'), '0123456789')
})

t.test('limits unfinished uploads by removing the oldest', async (t) => {
  const inside = newFolder(t, 'files')
  for (let index = 0; index < 34; index++) {
    const headers = { 'upload-key': `k${index}`, 'content-range': 'bytes 0-1/9' }
    t.equal((await ask('PUT', join(inside, `f${index}`), { headers, body: 'ab' })).status, 308)
  }
  t.equal(partsIn(inside).length, 32)
  const question = { 'upload-key': 'k0', 'content-range': 'bytes */9' }
  t.equal((await ask('PUT', join(inside, 'f0'), { headers: question })).headers.get('range'), null)
})

t.test('the last of two concurrent PUTs wins without mixing them; If-Match admits only one', async (t) => {
  const path = join(folder, 'two')
  const bodies = ['a', 'b', 'c', 'd'].map((letter) => Buffer.alloc(2_000_000, letter))
  t.match(
    (await Promise.all(bodies.map((body) => ask('PUT', path, { body })))).map(({ status }) => Math.floor(status / 100)),
    [2, 2, 2, 2],
  )
  t.ok(bodies.some((body) => body.equals(fs.readFileSync(path))))
  const headers = { 'if-match': (await ask('HEAD', path)).headers.get('etag')! }
  const statuses = (await Promise.all(bodies.map((body) => ask('PUT', path, { headers, body })))).map(
    ({ status }) => status,
  )
  t.same(statuses.sort(), [204, 412, 412, 412])
  const keyed = { 'upload-key': 'same' }
  await Promise.allSettled(bodies.map((body) => ask('PUT', path, { headers: keyed, body })))
  t.ok(bodies.some((body) => body.equals(fs.readFileSync(path))))
  t.same(partsIn(folder), [])
})

t.test('a full disk leaves the old file unchanged', async (t) => {
  const disk = newFolder(t, 'files')
  const skip = mountSmall(t, disk)
  if (skip !== null) return t.pass('full', { skip })
  const path = join(disk, 'file')
  t.equal((await ask('PUT', path, { body: 'old' })).status, 201)
  for (const headers of [{}, { 'upload-key': 'k' }] as Record<string, string>[]) {
    const full = await ask('PUT', path, { body: Buffer.alloc(3_000_000), headers })
    t.match(full, {
      status: 507,
      json: { error: { type: 'insufficient_storage', message: /the disk is full; the existing file is unchanged/ } },
    })
    t.same(fs.readdirSync(disk), ['file'])
  }
  t.equal(fs.readFileSync(path, 'utf8'), 'old')
  t.match(await newest(), { status: 'failed', notes: [note('TRANSFER'), { code: 'FAILED', text: /the disk is full/ }] })
})

t.test('refuses a file that is too large or not accessible', async (t) => {
  const limited = await startService({ flags: ['--limit-file-size-bytes', '1000'] })
  t.teardown(() => limited.stop())
  const path = join(folder, 'limited')
  t.match(await ask('PUT', path, { body: Buffer.alloc(1001) }, limited), {
    status: 413,
    json: { error: { type: 'too_large' } },
  })
  t.equal((await ask('PUT', path, { body: Buffer.alloc(1000) }, limited)).status, 201)
  const source = newFolder(t, 'files')
  for (const bytes of [1000, 1001]) {
    fs.writeFileSync(join(source, `${bytes}`), Buffer.alloc(bytes))
    const body = spawnSync('tar', ['-C', source, '-cf', '-', `${bytes}`]).stdout
    const headers = { 'content-type': 'application/x-tar' }
    const { status } = await ask('PUT', folder, { body, headers }, limited)
    t.equal(status, bytes === 1000 ? 204 : 413, `${bytes} bytes in an archive`)
    t.equal(fs.existsSync(join(folder, `${bytes}`)), bytes === 1000)
  }
  if (isRoot) return
  fs.chmodSync(path, 0)
  t.match(await ask('GET', path), { status: 403, json: { error: { type: 'forbidden' } } })
})

t.test('lists a directory in pages', async (t) => {
  const inside = newFolder(t, 'files')
  for (let index = 0; index < 25; index++) {
    fs.writeFileSync(join(inside, `f${String(index).padStart(2, '0')}`), 'x'.repeat(index))
  }
  fs.symlinkSync('/nowhere', join(inside, 'link'))
  spawnSync('mkfifo', [join(inside, 'pipe')])
  const names: string[] = []
  for (let after = ''; ;) {
    const list = (await ask('GET', inside, { query: { limit: '10', after } })).json as unknown as FileList
    names.push(...list.entries.map(({ name }) => name))
    if (list.next === null) break
    after = list.next
  }
  t.same(names, fs.readdirSync(inside).sort())
  const { entries } = (await ask('GET', inside)).json as unknown as FileList
  t.match(
    entries.slice(-3).map(({ name, type, bytes, target }) => [name, type, bytes, target]),
    [
      ['f24', 'file', 24, undefined],
      ['link', 'symlink', 8, '/nowhere'],
      ['pipe', 'fifo', 0, undefined],
    ],
  )
  t.equal((await ask('HEAD', inside)).headers.get('content-type'), 'application/json; charset=utf-8')
  t.match(await newest(), { command: `ls -al '${inside}'`, status: 'completed' })
})

t.test('transfers a directory as tar in both directions', async (t) => {
  const inside = newFolder(t, 'files')
  const long = 'n'.repeat(200)
  fs.mkdirSync(join(inside, 'a', 'empty'), { recursive: true })
  fs.writeFileSync(join(inside, 'a', 'ünï'), 'non-ASCII')
  fs.writeFileSync(join(inside, 'a', long), Buffer.alloc(200_000, 'z'))
  fs.writeFileSync(join(inside, 'run'), '#!/bin/sh\n', { mode: 0o755 })
  fs.symlinkSync('/etc/passwd', join(inside, 'link'))
  spawnSync('mkfifo', [join(inside, 'pipe')])
  const tar = await ask('GET', inside, { headers: { accept: 'application/x-tar' } })
  t.equal(tar.headers.get('content-type'), 'application/x-tar')
  const listed = spawnSync('tar', ['-tf', '-'], {
    input: tar.bytes,
    encoding: 'utf8',
    env: utf8,
  })
  t.same([listed.status, listed.stderr], [0, ''])
  t.equal(listed.stdout.trim().split('\n').length, 7, 'the directory itself, and 6 names')
  t.match((await newest()).notes, [
    note('TRANSFER'),
    { code: 'LEFT_OUT', text: /^left out 1: pipe/ },
    note('ENTRIES', 6),
  ])

  const out = join(inside, 'out')
  const unpacked = await ask('PUT', out, { headers: { 'content-type': 'application/x-tar' }, body: tar.bytes })
  t.equal(unpacked.status, 204)
  const differing = spawnSync('diff', ['-r', '--no-dereference', '-x', 'out', '-x', 'pipe', inside, out], {
    encoding: 'utf8',
  })
  t.same([differing.status, differing.stdout], [0, ''])
  t.equal(fs.statSync(join(out, 'run')).mode & 0o777, 0o755)
  const after = await ask('GET', inside, { headers: { accept: 'application/x-tar' }, query: { after: `a/${long}` } })
  const rest = spawnSync('tar', ['-tf', '-'], { input: after.bytes, encoding: 'utf8', env: utf8 }).stdout
  t.match(rest, /^\.\/\na\/\na\/ünï\nlink\nout\//, 'it resumes after a name')

  const gnu = spawnSync('tar', ['-C', inside, '--exclude=./out', '--exclude=./pipe', '-cf', '-', '.']).stdout
  const other = join(folder, 'gnu')
  t.equal((await ask('PUT', other, { headers: { 'content-type': 'application/x-tar' }, body: gnu })).status, 204)
  t.equal(fs.readFileSync(join(other, 'a', long), 'utf8'), 'z'.repeat(200_000))
})

t.test('an archive cannot write outside its directory', async (t) => {
  const source = newFolder(t, 'files')
  const outside = newFolder(t, 'files')
  fs.writeFileSync(join(source, 'evil'), 'evil')
  const pack = (...args: string[]) => spawnSync('tar', ['-C', source, '-P', '-cf', '-', ...args]).stdout
  fs.symlinkSync(outside, join(source, 'way'))
  const link = pack('way')
  fs.unlinkSync(join(source, 'way'))
  fs.mkdirSync(join(source, 'way'))
  fs.writeFileSync(join(source, 'way', 'evil'), 'evil')
  const through = Buffer.concat([link.subarray(0, 512), pack('way/evil')])
  const target = join(folder, 'unpacked')
  /** [name, archive, status, message] */
  const rows: [string, Buffer, number, RegExp][] = [
    ['..', pack('--transform', 's,^,../,', 'evil'), 400, /outside the directory/],
    ['absolute', pack('--transform', `s,^,${outside}/,`, 'evil'), 400, /outside the directory/],
    ['through a link of its own', through, 409, /already exists/],
    ['no tar', Buffer.alloc(2048, 'x'), 400, /expected a tar archive/],
    ['cut', pack('evil').subarray(0, 700), 400, /ends too early/],
    ['nothing', Buffer.alloc(0), 400, /ends too early/],
  ]
  for (const [name, body, status, says] of rows) {
    const reply = await ask('PUT', target, { headers: { 'content-type': 'application/x-tar' }, body })
    t.equal(reply.status, status, name)
    t.match(reply.json.error?.message, says, name)
  }
  t.same(fs.readdirSync(outside), [])
  t.notOk(fs.existsSync(join(folder, 'evil')))
  t.same(partsIn(target), [])
  const file = join(folder, 'plain')
  fs.writeFileSync(file, '')
  t.equal(
    (await ask('PUT', file, { headers: { 'content-type': 'application/x-tar' }, body: pack('evil') })).status,
    409,
  )
})

t.test('limits concurrent transfers, and ends them with the service', async (t) => {
  const own = await startService()
  t.teardown(() => own.stop())
  const sockets = Array.from({ length: 64 }, (_, index) => {
    const socket = connect(own.port, '127.0.0.1').on('error', () => {})
    socket.write(
      `PUT ${at(join(folder, `many${index}`))} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${own.token}\r\ncontent-length: 9\r\n\r\nx`,
    )
    return socket
  })
  t.ok(await until(() => partsIn(folder).length === 64))
  const refused = await ask('GET', join(folder, 'file'), {}, own)
  t.match(refused, { status: 503, json: { error: { type: 'pool_full' } } })
  t.equal((await own.exec({ command: 'true' })).status, 'completed', 'commands are not held up')
  t.equal((await own.kill('SIGTERM')) ?? 0, 0)
  t.ok(await until(() => partsIn(folder).length === 0))
  for (const socket of sockets) socket.destroy()
})

t.test('the digest of an endless file ends on cancel, disconnect and stop', async (t) => {
  const own = await startService()
  t.teardown(() => own.stop())
  const endless = join(newFolder(t, 'files'), 'endless')
  fs.closeSync(fs.openSync(endless, 'w'))
  fs.truncateSync(endless, 2 ** 40)
  const live = async () => ((await (await own.request('/runs?status=live')).json()) as { runs: ExecRecord[] }).runs
  const begin = async (signal?: AbortSignal) => {
    const reply = own.request(at(endless), { method: 'HEAD', ...(signal && { signal }) }).catch(() => 'cut')
    t.ok(await until(async () => (await live()).length === 1))
    return { reply, id: (await live())[0]!.id }
  }
  const endOf = async (id: string) => (await own.request(`/runs/${id}?wait_seconds=300`)).json() as Promise<ExecRecord>

  const canceled = await begin()
  await own.request(`/runs/${canceled.id}`, { method: 'DELETE' })
  t.match(await endOf(canceled.id), {
    status: 'canceled',
    notes: [note('TRANSFER'), note('NOT_READ_TO_END'), note('CANCELED_BY_CLIENT')],
  })
  t.equal(await canceled.reply, 'cut')

  const gone = new AbortController()
  const left = await begin(gone.signal)
  gone.abort()
  t.match(await endOf(left.id), {
    status: 'canceled',
    notes: [note('TRANSFER'), note('NOT_READ_TO_END'), note('CLIENT_WENT_AWAY')],
  })

  const { reply } = await begin()
  t.equal((await own.kill('SIGTERM')) ?? 0, 0, 'the stop waits for none')
  t.equal(await reply, 'cut')
})
