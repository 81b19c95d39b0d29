import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import WebSocket from 'ws'
import { parse } from 'yaml'
import { type Service, startService, until } from '../../support/helper.ts'
import { createThrottle } from '../../../src/http/index.ts'
import { openRaw } from '../../support/raw-client.ts'
import { listRoutes } from '../../support/routes-of-app.ts'

const secrets = {
  MY_SECRET: 'hidden-1',
  GITHUB_TOKEN: 'hidden-2',
  AWS_SECRET_ACCESS_KEY: 'hidden-3',
  OPENAI_API_KEY: 'hidden-4',
  DB_PASSWORD: 'hidden-5',
  SSH_PRIVATE_KEY: 'hidden-6',
  DATABASE_URL: 'postgres://u:hidden-7@h/db',
  npm_config_auth: 'hidden-8',
}
const plain = { PLAIN_SETTING: 'plain value', MONKEY: 'banana', EMPTY: '', NULLISH: 'null' }
const token = 'the-token-of-this-test-0123456789abcdefghijk'
const service = await startService({
  env: {
    ...secrets,
    ...plain,
    SHELLPHONE_TOKEN: token,
    SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100000',
    SHELLPHONE_ALLOWED_ORIGINS: 'https://app.example',
    SHELLPHONE_ALLOWED_HOSTS: 'phone.local',
  },
})
t.teardown(() => service.stop())

/** Starts a service that inherits two descriptors, with this environment for commands and this spawner. */
const startOther = (environment: string, spawner: string) =>
  startService({
    before: 'exec 9</etc/passwd 200</etc/passwd;',
    env: {
      ...{ ...secrets, ...plain, SHELLPHONE_TOKEN: token },
      ...{ SHELLPHONE_ENVIRONMENT: environment, SHELLPHONE_SPAWNER: spawner },
    },
  })
const others = { minimal: await startOther('minimal', 'auto'), full: await startOther('full', 'child_process') }
const strict = await startService({
  env: { SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '5', SHELLPHONE_MAX_CONNECTIONS: '20' },
})
t.teardown(() => Promise.all([strict, ...Object.values(others)].map(({ stop }) => stop())))

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}
/** One request with exactly these headers and `body`, on a new connection: the service may just have closed an idle one. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
  of = service,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: of.port, method, path, headers, agent: false as const }
    const request = httpRequest(options, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode!, headers: response.headers, body: text })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** [method, path, whether it is public] of every route. */
const routes = (await listRoutes()).map(({ method, path, isPublic }): [string, string, boolean] => [
  method,
  path.replace(/:\w+/g, 'x'),
  isPublic,
])

t.test('lists the routes that need no token', async (t) => {
  const open = routes.filter(([method, , isPublic]) => isPublic && method !== 'HEAD')
  t.same(
    open.map(([method, path]) => `${method} ${path}`),
    [
      ...['GET /ws', 'GET /health', 'POST /approvals/press/x', 'POST /pair', 'GET /docs'],
      ...['GET /', 'GET /sw.js', 'GET /manifest.webmanifest', 'GET /icon.svg'],
      'GET /page/x',
    ],
  )
})

t.test('every other route needs the token, and all refusals are the same', async (t) => {
  /** [name, headers, query] */
  const rows: [string, Record<string, string>, string?][] = [
    ['none', {}],
    ['wrong', { authorization: 'Bearer wrong' }],
    ['one character short', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['one character long', { authorization: `Bearer ${token}x` }],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['no scheme', { authorization: token }],
    ['in the query', {}, `?token=${token}&access_token=${token}&authorization=Bearer%20${token}`],
    ['in a cookie', { cookie: `token=${token}` }],
    ['in another header', { 'x-api-key': token }],
    ['empty', { authorization: 'Bearer ' }],
    ['very long', { authorization: `Bearer ${'x'.repeat(8000)}` }],
  ]
  const bodies = new Set<string>()
  const wrong: string[] = []
  const guarded = routes.filter(([, , isPublic]) => !isPublic)
  t.ok(guarded.length > 15, `${guarded.length} routes`)
  for (const [method, path] of [...guarded, ['GET', '/no-such-route'], ['GET', '/page']] as [string, string][]) {
    for (const [name, headers, query = ''] of rows) {
      const json: Record<string, string> = method === 'POST' ? { 'content-type': 'application/json' } : {}
      const answer = await send(
        method,
        path + query,
        { ...headers, ...json },
        method === 'POST' ? '{"command":"echo > /tmp/shellphone-intruder"}' : undefined,
      )
      const challenge = String(answer.headers['www-authenticate'])
      if (answer.status !== 401 || !challenge.startsWith('Bearer')) {
        wrong.push(`${method} ${path}, ${name}: ${answer.status}, WWW-Authenticate: ${challenge}`)
      }
      if (method !== 'HEAD') bodies.add(answer.body)
    }
  }
  t.same(wrong, [], 'answers that are not 401 with WWW-Authenticate: Bearer')
  t.equal(bodies.size, 1, 'one uniform answer')
  t.equal(JSON.parse([...bodies][0]!).error.type, 'unauthorized')
  t.equal(
    (await send('GET', '/metrics', { authorization: `bEaReR ${token}` })).status,
    200,
    'the scheme is case-insensitive',
  )
})

t.test('checks the token before it reads a body', async (t) => {
  const socket = await openRaw(
    service.port,
    'POST /exec HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{"comm',
  )
  t.match(await firstData(socket), /^HTTP\/1.1 401 /, 'though the body never comes')
  socket.destroy()
})

/** The first bytes that arrive; '' if the service closes or resets the connection without a response. */
const firstData = (socket: Socket) =>
  new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data))).once('close', () => resolve(''))
    if (socket.closed) resolve('')
  })

t.test('Host and Origin', async (t) => {
  const bearer = { authorization: `Bearer ${token}` }
  /** [headers, status, error type] */
  const rows: [Record<string, string>, number, string?][] = [
    [{ host: `127.0.0.1:${service.port}` }, 200],
    [{ host: 'localhost' }, 200],
    [{ host: 'LOCALHOST:80' }, 200],
    [{ host: '192.168.1.5:8029' }, 200],
    [{ host: '[::1]:8029' }, 200],
    [{ host: 'phone.local' }, 200],
    [{ host: 'phone.local:8029' }, 200],
    [{ host: 'evil.example' }, 403, 'forbidden_host'],
    [{ host: 'evil.example:8029' }, 403, 'forbidden_host'],
    [{ host: 'localhost.evil.example' }, 403, 'forbidden_host'],
    [{ host: '127.0.0.1.evil.example' }, 403, 'forbidden_host'],
    [{ host: 'localhost@evil.example' }, 403, 'forbidden_host'],
    [{ host: 'phone.local.evil.example' }, 403, 'forbidden_host'],
    [{ host: 'localhost', origin: 'https://app.example' }, 200],
    [{ host: 'localhost', origin: 'https://evil.example' }, 403, 'forbidden_origin'],
    [{ host: 'localhost', origin: 'http://app.example' }, 403, 'forbidden_origin'],
    [{ host: 'localhost', origin: 'https://app.example.evil.example' }, 403, 'forbidden_origin'],
    [{ host: 'localhost', origin: 'null' }, 403, 'forbidden_origin'],
    [{ host: 'localhost', origin: `http://127.0.0.1:${service.port}` }, 403, 'forbidden_origin'],
  ]
  for (const [headers, status, type] of rows) {
    for (const path of ['/runs', '/health']) {
      const answer = await send('GET', path, { ...bearer, ...headers })
      t.equal(answer.status, status, `${path} ${JSON.stringify(headers)}`)
      if (type) t.equal(JSON.parse(answer.body).error.type, type, `${path} ${JSON.stringify(headers)}`)
    }
  }
  const evil = await send('GET', '/runs', { ...bearer, host: 'evil.example' })
  t.match(JSON.parse(evil.body).error.message, /a name listed in allowed_hosts, got "evil\.example"$/)
  const other = await send('GET', '/runs', { ...bearer, origin: 'https://evil.example' })
  t.match(JSON.parse(other.body).error.message, /listed in allowed_origins, got "https:\/\/evil\.example"$/)
  const allowed = await send('GET', '/runs', { ...bearer, origin: 'https://app.example' })
  t.equal(allowed.headers['access-control-allow-origin'], 'https://app.example')
  const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  t.equal((await send('OPTIONS', '/exec', preflight)).status, 403, 'a preflight from elsewhere')
})

t.test('returns 405 for a method that a path does not serve', async (t) => {
  const document = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, object>>
  }
  const bearer = { authorization: `Bearer ${token}` }
  const wrong: string[] = []
  for (const [path, operations] of Object.entries(document.paths)) {
    const served = Object.keys(operations).map((name) => name.toUpperCase())
    const all = [...new Set(served.includes('GET') ? [...served, 'HEAD'] : served)]
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (one) => !all.includes(one),
    )) {
      const { status, headers, body } = await send(method, path.replace(/\{\w+\}/g, 'x'), bearer)
      const type = method === 'HEAD' ? 'method_not_allowed' : JSON.parse(body).error.type
      const found = `${status} ${type}, Allow: ${headers.allow}`
      if (found !== `405 method_not_allowed, Allow: ${all.sort().join(', ')}`) wrong.push(`${method} ${path}: ${found}`)
    }
  }
  t.same(wrong, [], 'answers that are not 405 with the methods that are served')
  t.equal((await send('GET', '/exec', {})).status, 401, 'for who may know which there are')
  t.match(await send('PUT', '/no-such', bearer), {
    status: 404,
    body: /No such route: PUT \/no-such; GET \/docs lists the routes/,
  })
})

t.test('health shows clients without a token only that the service is up', async (t) => {
  const stranger = JSON.parse((await send('GET', '/health', {})).body)
  t.strictSame(Object.keys(stranger).sort(), ['status', 'version'])
  t.equal(stranger.status, 'ok')
  const owner = (await (await service.request('/health')).json()) as object
  for (const name of ['pool', 'sandbox', 'platform', 'warnings']) t.ok(name in owner, `with token: ${name}`)
  const wrong = await send('GET', '/health', { authorization: 'Bearer wrong' })
  t.ok(wrong.status === 401 || !('pool' in JSON.parse(wrong.body)), 'with a wrong token: nothing more')
})

t.test('passes only safe variables to a command', async (t) => {
  const shown = async (of: Service, body: object) => (await of.exec(body)).stdout
  const env = await shown(service, { command: 'env', env: { ADDED: 'added' } })
  for (const [name, value] of Object.entries(secrets)) {
    t.notMatch(env, new RegExp(`^${name}=`, 'm'), `${name} is kept back`)
    t.notOk(env.includes(value), `${name}: its value too`)
  }
  t.notMatch(env, /^SHELLPHONE_/m, 'no SHELLPHONE_*')
  t.notOk(env.includes(token), 'no token')
  t.match(env, /^PLAIN_SETTING=plain value$/m, 'the rest is inherited')
  t.match(env, /^MONKEY=banana$/m, 'a name that only looks a little like a key')
  t.match(env, /^ADDED=added$/m)
  t.notMatch(env, /^(EMPTY|NULLISH)=/m, 'empty and "null" values are dropped')
  t.match(env, /^TERM=/m)
  t.match(env, /^PATH=/m)
  const minimal = await shown(others.minimal, { command: 'env' })
  t.notMatch(minimal, /hidden-|PLAIN_SETTING|SHELLPHONE|MONKEY/, 'minimal')
  t.match(minimal, /^PATH=/m)
  const full = await shown(others.full, { command: 'env' })
  t.match(full, /^GITHUB_TOKEN=hidden-2$/m, 'full')
  t.notMatch(full, /SHELLPHONE_/, 'full: never our own')
  t.notOk(full.includes(token), 'full: never the token')
  const search = await shown(service, {
    command: 'cat /proc/self/environ /proc/$$/environ | tr "\\0" "\\n"; cat /proc/$$/cmdline /proc/self/cmdline',
  })
  t.notOk(search.includes(token) || search.includes('hidden-'), 'nor through /proc/self')
})

t.test('children inherit no descriptors of the service', async (t) => {
  const sockets = await Promise.all(Array.from({ length: 5 }, () => service.socket()))
  const nothing = (await service.exec({ command: 'ls -l /proc/self/fd' })).stdout
  for (const [, number, target] of nothing.matchAll(/ (\d+) -> (.*)$/gm)) {
    t.ok(Number(number) <= 2 || /^\/proc\/\d+\/fd$/.test(target!), `descriptor ${number} -> ${target}`)
  }
  t.match(nothing, /0 -> \/dev\/null/, 'stdin is /dev/null')
  t.notMatch(nothing, /\/(token|lock|mark|history|keys|runs)\b/, 'no file of the service')
  const listening =
    (await service.exec({ command: 'for fd in /proc/$$/fd/*; do readlink $fd; done' })).stdout.match(
      /socket:\[(\d+)]/g,
    ) ?? []
  const inodes = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => line.includes(`:${service.port.toString(16).toUpperCase().padStart(4, '0')}`))
    .map((line) => line.trim().split(/\s+/)[9])
  t.ok(inodes.length > 0)
  for (const socket of listening) {
    t.notOk(inodes.includes(/\d+/.exec(socket)![0]), 'no socket of a client or the listener')
  }
  await Promise.all(sockets.map((socket) => socket.close()))
})

t.test('children inherit no descriptors of the process that started the service', async (t) => {
  for (const [name, { exec }] of Object.entries(others)) {
    const { stdout } = await exec({ command: 'readlink /proc/$$/fd/*' })
    t.match(stdout, '/dev/null', name)
    t.notMatch(stdout, '/etc/passwd', name)
  }
})

t.test('throttles wrong tokens of an address, but never a valid one', async (t) => {
  const owner = await strict.socket()
  const statuses: number[] = []
  while (statuses.at(-1) !== 429) {
    const response = await strict.request('/runs', { token: 'wrong' })
    statuses.push(response.status)
    if (response.status === 429) {
      t.match(response.headers.get('retry-after'), /^[1-9]\d*$/, 'Retry-After')
      t.equal(((await response.json()) as { error: { type: string } }).error.type, 'rate_limited')
    } else await response.text()
  }
  t.strictSame(statuses.slice(0, 5), [401, 401, 401, 401, 401], 'five at least')
  t.equal((await strict.request('/runs')).status, 200, 'the right token passes in the same burst')
  t.hasStrict(await owner.exec('a', { command: 'echo hi' }), { stdout: 'hi\n' }, 'and where it was shown before')
  await owner.close()
  t.equal((await strict.request('/health', { token: null })).status, 200, 'health answers strangers')
  const overWebSocket = () =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${strict.port}/ws`, { headers: { authorization: 'Bearer wrong' } })
      socket.on('error', () => {})
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    })
  t.ok(await until(async () => (await overWebSocket()) === 429), 'over WebSocket too')
})

t.test('an address may show this many wrong tokens at once, and as many each minute', async (t) => {
  let nowMs = 0
  const throttle = createThrottle(5, () => nowMs)
  const show = () => {
    const seconds = throttle.waitSeconds('a')
    if (seconds === 0) throttle.note('a')
    return seconds
  }
  t.same(Array.from({ length: 8 }, show), [0, 0, 0, 0, 0, 12, 12, 12])
  t.equal(throttle.waitSeconds('b'), 0, 'another address does not wait')
  nowMs = 11_000
  t.equal(show(), 1)
  nowMs = 12_000
  t.same([show(), show()], [0, 12], 'one more after twelve seconds')
  nowMs = 120_000
  t.same(Array.from({ length: 6 }, show), [0, 0, 0, 0, 0, 12], 'five after a minute')
})

t.test('judging a script file reveals nothing about a hidden one', async (t) => {
  const folder = t.testdir({
    link: t.fixture('symlink', join(service.home, 'kept.sh')),
    memory: t.fixture('symlink', `/proc/${service.pid}/environ`),
    'plain.sh': 'hidden-word --of a plain script',
  })
  const hidden = join(service.home, 'kept.sh')
  writeFileSync(hidden, `hidden-word\n${token}\n`)
  const checkText = async (command: string, policy: object) =>
    (await service.post('/policy/check', { command, policy, working_directory: folder })).text()
  const policies = [{ allowed_commands: ['bash'] }, { custom_deny_patterns: ['hidden'] }, { policy: 'strict' }, {}]
  const listed = await checkText('bash plain.sh', { allowed_commands: ['bash'] })
  t.match(listed, /"plain.sh:1"/, 'of one that is not, it says where in it something is refused')
  for (const command of [
    `bash ${hidden}`,
    `. ${hidden}`,
    `sh < ${hidden}`,
    `cat ${hidden} | sh`,
    `cp ${hidden} x; sh x`,
    'bash link',
    'bash memory',
  ]) {
    const answers = await Promise.all(policies.map((policy) => checkText(command, policy)))
    t.notOk(
      answers.some((answer) => answer.includes(token)),
      `${command}: no word of it`,
    )
    t.notMatch(answers.join('\n'), /"hidden-word|refused pattern/, `${command}: nor whether a pattern is in it`)
  }
})

t.test('survives 1000 connections and headers that never end', async (t) => {
  const sockets: Socket[] = []
  for (let n = 0; n < 1000; n++) {
    sockets.push(await openRaw(service.port, n % 2 ? 'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' : ''))
  }
  for (let n = 0; n < 20; n++) {
    const answer = await send('GET', '/health', {})
    t.equal(answer.status, 200, '/health answers meanwhile')
  }
  t.hasStrict(await service.exec({ command: 'echo hi' }), { stdout: 'hi\n' })
  for (const socket of sockets) socket.destroy()
  t.ok(await until(() => service.descriptors().length < 100), 'and all are given back')
})

t.test('past max_connections the service stays alive', async (t) => {
  const sockets = Array.from({ length: 100 }, () => connect(strict.port, '127.0.0.1').on('error', () => {}))
  t.ok(
    await until(() => sockets.filter((socket) => socket.destroyed || socket.readyState === 'closed').length >= 80),
    'the rest is closed at once',
  )
  for (const socket of sockets) socket.destroy()
  t.ok(
    await until(async () => (await strict.request('/health').catch(() => null))?.status === 200),
    'and it answers again',
  )
})

t.test('answers input that is not HTTP with an error', async (t) => {
  /** [name, bytes, first line of the response] */
  const rows: [string, string, RegExp][] = [
    ['garbage', '\x16\x03\x01\x02garbage\r\n\r\n', /^HTTP\/1.1 400 /],
    ['empty Host', 'GET /health HTTP/1.1\r\nHost:\r\n\r\n', /^HTTP\/1.1 (400|403) /],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n', /^HTTP\/1.1 (400|403) /],
    [
      'two lengths',
      'POST /exec HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      /^HTTP\/1.1 400 /,
    ],
    [
      'length and chunks',
      'POST /exec HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
    [
      '100 kB of headers',
      `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 /,
    ],
  ]
  for (const [name, bytes, expected] of rows) {
    const socket = await openRaw(service.port)
    const answer = firstData(socket)
    socket.write(bytes)
    const text = await answer
    t.match(text, expected, name)
    if (text.includes('\r\n\r\n{')) {
      t.hasOwnProp(JSON.parse(text.split('\r\n\r\n')[1]!), 'error', `${name}: in our shape`)
    }
    socket.destroy()
  }
})

t.test('the log holds no token, no command, no output', async (t) => {
  const marks = {
    command: 'Marked-Command-7301',
    output: 'OUTPUT-7301-OF-IT',
    env: 'marked-env-7301',
    stdin: 'marked-stdin-7301',
    directory: '/tmp/marked-directory-7301',
  }
  await service.exec({
    command: `: ${marks.command}; echo output-7301-of-it | tr a-z A-Z; cat`,
    env: { A: marks.env },
    stdin: marks.stdin,
  })
  await service.exec({ command: `${marks.command} fails`, working_directory: marks.directory })
  await service.exec({ command: '', [marks.command]: 1 })
  await service.exec({ command: `echo ${marks.command}; sleep 7301`, timeout_seconds: 0.1 })
  await send('GET', `/runs?q=${marks.command}&token=${token}`, {})
  await service.request(`/runs?q=${marks.command}`)
  const socket = await service.socket()
  await socket.exec('a', { command: `echo ${marks.command}` })
  socket.send(`{"type":"exec","command":"${marks.command}`)
  socket.send({ type: 'ping' })
  await socket.next(({ type }) => type === 'pong')
  await socket.close()
  t.ok(await until(() => service.log.some((line) => line.includes('"timed_out"'))), 'runs are logged')
  const log = service.log.join('\n')
  for (const [name, mark] of Object.entries({ ...marks, token })) t.notOk(log.includes(mark), `no ${name} in the log`)
  t.notMatch(log, /hidden-\d/, 'no secret of the environment')
  t.doesNotThrow(() => service.log.forEach((line) => JSON.parse(line)), 'every line is JSON')
})
