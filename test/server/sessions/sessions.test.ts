import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord, PendingApproval, SessionInfo } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { noSessions, type Service, startService, until } from '../../support/helper.ts'
import { initialize, post } from '../../support/mcp/raw.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-sessions-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** The session files of a service. */
const filesOf = ({ home }: Service) =>
  readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(home, 'sessions', name))
const listed = async (service: Service, more = {}) =>
  ((await (await service.request('/sessions', more)).json()) as { sessions: SessionInfo[] }).sessions
const release = (path: string) => writeFileSync(path, '')
const waitsFor = (path: string) => `while [ ! -e ${path} ]; do sleep 0.02; done`

const service = await startService({ env: { SHELLPHONE_POLICY: 'open', FROM_SERVICE: 'yes' } })
t.teardown(() => service.stop())
const needs = { skip: (await noSessions(service)) ?? false }

let count = 0
const fresh = () => `s${++count}`
const inSession =
  (session: string) =>
  (command: string, more: object = {}) =>
    service.exec({ command, session, ...more })

t.test('a session passes on the directory and the exported variables', needs, async (t) => {
  const name = fresh()
  const run = inSession(name)
  const first = await run('cd /usr && export A="1 2" && B=3; unset FROM_SERVICE')
  t.match(first, {
    status: 'completed',
    working_directory: /./,
    session: { name, cwd: '/usr', set: ['A'], unset: ['FROM_SERVICE'], kept: true, reason: null },
    notes: [],
  })
  const second = await run('pwd; echo "$A/${B-none}/${FROM_SERVICE-none}"')
  t.match(second, { working_directory: '/usr', stdout: '/usr\n1 2/none/none\n', stderr: '' })
  t.match(second.session, { cwd: '/usr', set: [], unset: [], kept: true })
  t.match(await run('export A=4 FROM_SERVICE=new; exit 3'), {
    exit_code: 3,
    session: { set: ['A', 'FROM_SERVICE'], unset: [] },
  })
  t.match(await run('unset A'), { session: { set: [], unset: ['A'] } })
  t.match(await run('echo "${A-none} $FROM_SERVICE"'), { stdout: 'none new\n' })
  t.match(await service.exec({ command: 'pwd; echo $FROM_SERVICE' }), { stdout: /\nyes\n/ }, 'others are not affected')
  t.notMatch(await service.exec({ command: 'true' }), { session: {} })
  t.match(await inSession(fresh())('echo ${A-none}'), { stdout: 'none\n' }, 'nor are other sessions')
})

t.test('a request overrides the session, and the result is kept', needs, async (t) => {
  const run = inSession(fresh())
  await run('cd /usr; export A=1 B=1')
  t.match(await run('pwd; echo $A $B', { working_directory: '/etc', env: { A: '2' } }), { stdout: '/etc\n2 1\n' })
  t.match(await run('pwd; echo $A $B'), { stdout: '/etc\n2 1\n' })
})

t.test('a command that only starts programs needs no trap, and keeps the state', needs, async (t) => {
  const run = inSession(fresh())
  await run('cd /usr; export A=1')
  const plain = await run('/bin/ls -d . | cat && grep -c . /proc/self/cmdline', { env: { C: '3' } })
  t.match(plain, { session: { cwd: '/usr', set: ['C'], kept: true } })
  t.match(await run('echo $A $C; pwd'), { stdout: '1 3\n/usr\n' })
})

t.test('states that are not kept', needs, async (t) => {
  const name = fresh()
  const run = inSession(name)
  await run('cd /usr; export A=1')
  for (const [command, more, reason] of [
    ['cd /etc; exec true', {}, 'not_captured'],
    ['trap "" EXIT; cd /etc', {}, 'not_captured'],
    ['cd /etc; kill -KILL $$', {}, 'stopped'],
    ['cd /etc; sleep 60', { timeout_seconds: 0.5 }, 'stopped'],
    ['cd /etc; export B=$(head -c 131001 /dev/zero | tr "\\0" x)', {}, 'not_captured|too_large'],
    ['v=$(head -c 30000 /dev/zero | tr "\\0" x); for n in 1 2 3 4 5 6 7 8 9; do export V$n=$v; done', {}, 'too_large'],
    [`mkdir ${folder}/$(printf '\\377'); cd ${folder}/$(printf '\\377')`, {}, 'not_utf8'],
  ] as const) {
    const { session, notes } = await run(command, more)
    t.match(session, { cwd: '/usr', set: [], unset: [], kept: false }, command)
    t.match(session?.reason, new RegExp(reason), command)
    if (reason !== 'stopped') t.match(notes, [{ code: 'SESSION_NOT_KEPT' }], command)
    t.match(await run('pwd; echo $A'), { stdout: '/usr\n1\n' }, command)
  }
})

t.test('names that can hijack the shell are dropped with a note', needs, async (t) => {
  const run = inSession(fresh())
  const record = await run(
    'export LD_PRELOAD= NODE_OPTIONS=--x BASH_ENV=x A=1; export C="$(printf "\\377")"; FROM_SERVICE=$C',
  )
  t.match(record.session, { set: ['A'], unset: [], kept: true })
  t.match(record.notes, [{ code: 'SESSION_DROPPED', text: /BASH_ENV, C, FROM_SERVICE, .*NODE_OPTIONS/ }])
  t.match(await run('echo "${NODE_OPTIONS-none} ${BASH_ENV-none} $A $FROM_SERVICE"'), { stdout: 'none none 1 yes\n' })
})

t.test('background runs read the state and do not write it', needs, async (t) => {
  const name = fresh()
  await inSession(name)('cd /usr; export A=1')
  const { id } = await inSession(name)('pwd; cd /etc; echo $A', { background: true })
  let record: ExecRecord
  await until(async () => {
    record = (await (await service.request(`/runs/${id}`)).json()) as ExecRecord
    return record.ended_at !== null
  })
  t.match(record!, { stdout: '/usr\n1\n', session: { name, cwd: '/usr', kept: false, reason: 'background' } })
  t.match(await inSession(name)('pwd'), { stdout: '/usr\n' })
})

t.test('a background run with a lease writes the state, and the next command waits for it', needs, async (t) => {
  const name = fresh()
  const gate = join(folder, 'lease')
  const script = `cd /usr; export A=1; until test -e ${gate}; do sleep 0.05; done`
  const { id } = await inSession(name)(script, { background: true, lease_seconds: 3600 })
  const next = inSession(name)('pwd; echo $A')
  const record = async () => (await service.request(`/runs/${id}`)).json()
  t.match(await record(), { ended_at: null })
  release(gate)
  t.match(await next, { stdout: '/usr\n1\n', session: { name, kept: true } })
  t.match(await record(), { session: { name, cwd: '/usr', set: ['A'], kept: true } })
})

t.test('a missing or replaced directory refuses the next command', needs, async (t) => {
  const own = join(folder, 'own')
  mkdirSync(own)
  const name = fresh()
  const run = inSession(name)
  t.match(await run(`cd ${own}; export A=1`), { session: { cwd: own } })
  rmSync(own, { recursive: true })
  const missing = await service.post('/exec', { command: 'pwd', session: name })
  t.equal(missing.status, 400)
  t.match(await missing.json(), {
    error: { field: 'session', message: /does not exist: .*own; the session .* is there; send another/ },
  })
  symlinkSync('/etc', own)
  t.match(await run('pwd'), { error: { message: /replaced by a link to \/etc/ } })
  t.match(await run('pwd; echo $A', { working_directory: '/usr' }), { stdout: '/usr\n1\n' })
  mkdirSync(join(folder, 'left'))
  t.match(await run(`cd ${folder}/left; rmdir ../left; export B=2`), { session: { kept: true, set: ['B'] } })
  t.match(await run('pwd'), { error: { message: /does not exist: .*left/ } }, 'it never falls back')
})

t.test('foreground commands run one at a time, in order', needs, async (t) => {
  const name = fresh()
  const gate = join(folder, `gate${name}`)
  const first = inSession(name)(`export N=1; ${waitsFor(gate)}`)
  await until(async () => (await (await service.request(`/runs?status=running`)).text()).includes(gate))
  const [entry] = (await listed(service)).filter((one) => one.name === name)
  t.match(entry, { cwd: null, set: [], revision: 0, busy: true }, 'a session is listed while its first command runs')
  const others = Array.from({ length: 17 }, async (_, at) => {
    const reply = await service.post('/exec', { command: `export N=$N.${at + 2}`, session: name })
    return { status: reply.status, body: await reply.json() }
  })
  const refused = await Promise.race(others)
  t.match(refused, { status: 503, body: { error: { message: /16 commands .* already waiting/ } } })
  release(gate)
  await Promise.all([first, ...others])
  const { stdout } = await inSession(name)('echo $N')
  const order = stdout.trim().split('.')
  t.equal(order.length, 17)
  t.same(new Set(order).size, 17, 'each saw the state of the one before')
})

t.test('a client that disconnects leaves the queue', needs, async (t) => {
  const name = fresh()
  const gate = join(folder, `gate${name}`)
  await inSession(name)('true')
  const waiting = async () => (await listed(service)).find((one) => one.name === name)?.waiting
  const first = inSession(name)(waitsFor(gate))
  await until(async () => (await (await service.request(`/runs?status=running`)).text()).includes(gate))
  const leaving = new AbortController()
  const gone = service
    .request('/exec', {
      method: 'POST',
      body: JSON.stringify({ command: `touch ${gate}.gone`, session: name }),
      headers: { 'content-type': 'application/json' },
      signal: leaving.signal,
    })
    .catch(() => null)
  const socket = await service.socket()
  const second = socket.exec('second', { command: 'echo second', session: name })
  await until(async () => (await waiting()) === 2)
  leaving.abort()
  await gone
  await until(async () => (await waiting()) === 1)
  release(gate)
  await first
  t.match(await second, { stdout: 'second\n' })
  await socket.close()
  t.notOk(existsSync(`${gate}.gone`))
})

t.test('a command that waits for its session is a run that can be canceled', needs, async (t) => {
  const name = fresh()
  const gate = join(folder, `gate${name}`)
  const own = join(folder, `own${name}`)
  mkdirSync(own)
  await inSession(name)(`cd ${own}`)
  const first = inSession(name)(`cd /usr; rmdir ${own}; ${waitsFor(gate)}`)
  await until(() => !existsSync(own))
  const runs = async () =>
    ((await (await service.request('/runs?status=live')).json()) as { runs: ExecRecord[] }).runs.filter(
      ({ session }) => session?.name === name,
    )
  const canceled = inSession(name)(`touch ${gate}.gone`)
  await until(async () => (await runs()).length === 2)
  const kept = inSession(name)('pwd')
  await until(async () => (await runs()).length === 3)
  const { id } = (await runs()).find(({ command }) => command.includes('.gone'))!
  t.equal((await service.request(`/runs/${id}`, { method: 'DELETE' })).status, 200)
  t.match(await canceled, { id, status: 'canceled', session: { kept: false, reason: 'stopped' } })
  t.match(await service.request(`/sessions/${name}`).then((reply) => reply.json()), { busy: true, waiting: 1 })
  release(gate)
  t.match(await first, { session: { cwd: '/usr', kept: true } })
  t.match(await kept, { stdout: '/usr\n', working_directory: '/usr' }, 'the old directory is not needed')
  t.notOk(existsSync(`${gate}.gone`))
})

t.test('a command that gets its turn in a missing directory is refused', needs, async (t) => {
  const name = fresh()
  const gate = join(folder, `gate${name}`)
  const own = join(folder, `own${name}`)
  mkdirSync(own)
  const first = inSession(name)(`cd ${own}; ${waitsFor(gate)}; rmdir ${own}`)
  await until(async () => (await listed(service)).some((one) => one.name === name))
  const next = service.post('/exec', { command: 'pwd', session: name })
  await until(async () => (await listed(service)).some((one) => one.name === name && one.waiting === 1))
  release(gate)
  await first
  const refused = await next
  t.equal(refused.status, 400)
  t.match(await refused.json(), { error: { field: 'session', message: /does not exist: .*; the session .* is there/ } })
  t.match(
    await inSession(name)('pwd', { working_directory: '/usr' }),
    { stdout: '/usr\n' },
    'the next one has its turn',
  )
})

t.test('names, routes and rights', needs, async (t) => {
  for (const session of ['..', '.x', '', 'a/b', 'a'.repeat(65), 'a b']) {
    const refused = await service.post('/exec', { command: 'true', session })
    t.equal(refused.status, 400, session)
    const { error } = (await refused.json()) as { error: { message: string } }
    t.match(error.message, /^session: expected a name of 1 to 64 letters, digits, '\.', '_' and '-' that starts with /)
  }
  const name = fresh()
  await inSession(name)('cd /usr; export A=secret')
  const reply = await service.request(`/sessions/${name}`)
  const text = await reply.text()
  t.match(JSON.parse(text), {
    name,
    cwd: '/usr',
    set: ['A'],
    unset: [],
    lost: [],
    revision: 1,
    busy: false,
    waiting: 0,
  })
  t.notMatch(text, /secret/, 'no values')
  t.equal((await service.request('/sessions/none')).status, 404)
  t.equal((await service.request('/sessions/..%2f', { method: 'DELETE' })).status, 400)
  const made = (await (await service.post('/tokens', { name: 'other' })).json()) as { token: string }
  const headers = { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' }
  t.same(await listed(service, { headers }), [])
  t.equal((await service.request(`/sessions/${name}`, { headers })).status, 404)
  t.equal((await service.request(`/sessions/${name}`, { method: 'DELETE', headers })).status, 404)
  t.match(await (await service.post('/exec', { command: 'pwd; export B=1', session: name }, headers)).json(), {
    session: { set: ['B'] },
  })
  t.match(await inSession(name)('echo $A ${B-none}'), { stdout: 'secret none\n' }, 'each token has its own')
  const all = await service.request('/sessions?all=true')
  const listedText = await all.text()
  const { sessions } = JSON.parse(listedText) as { sessions: SessionInfo[] }
  const ofAll = sessions.filter((session) => session.name === name)
  t.same(
    ofAll.map(({ token, set }) => ({ token, set })).sort((a, b) => a.token.localeCompare(b.token)),
    [
      { token: 'other', set: ['B'] },
      { token: 'owner', set: ['A'] },
    ],
    'all=true lists the sessions of all tokens',
  )
  t.notMatch(listedText, /secret/, 'without values')
  t.same(new Set((await listed(service)).map(({ token }) => token)), new Set(['owner']), 'the default is its own')
  const refused = await service.request('/sessions?all=true', { headers })
  t.equal(refused.status, 403)
  t.match(await refused.json(), { error: { type: 'forbidden', message: /read: all.*omit all=true/ } })
  t.equal((await service.request('/sessions?all=yes')).status, 400)
  const before = filesOf(service).length
  t.equal((await service.request('/tokens/other', { method: 'DELETE' })).status, 204)
  t.equal(filesOf(service).length, before - 1, 'revoking a token deletes its sessions')
  t.equal((await service.request(`/sessions/${name}`, { method: 'DELETE' })).status, 204)
  t.equal((await service.request(`/sessions/${name}`)).status, 404)
  t.match(await inSession(name)('echo ${A-none}'), { stdout: 'none\n' })
})

t.test('a session that is deleted during a command is not written again', needs, async (t) => {
  const name = fresh()
  const gate = join(folder, `gate${name}`)
  await inSession(name)('export A=1')
  const running = inSession(name)(`export A=2; ${waitsFor(gate)}`)
  await until(async () => (await (await service.request(`/runs?status=running`)).text()).includes(gate))
  t.equal((await service.request(`/sessions/${name}`, { method: 'DELETE' })).status, 204)
  release(gate)
  t.match((await running).session, { kept: false, reason: 'deleted' })
  t.match(await inSession(name)('echo ${A-none}'), { stdout: 'none\n' })
})

t.test('WebSocket, MCP and dialects', needs, async (t) => {
  const name = fresh()
  const socket = await service.socket()
  t.match(await socket.exec('a', { command: 'cd /usr; export A=5', session: name }), { session: { cwd: '/usr' } })
  t.match(await socket.exec('b', { dialect: 'meka', arguments: { command: 'pwd' }, session: name }), {
    output: /\/usr/,
  })
  await socket.close()
  const meka = await service.post(`/exec/meka?session=${name}`, { command: 'echo $A; cd /etc' })
  t.match(await meka.json(), { output: /5/ })
  t.equal((await service.post('/exec/meka?session=..', { command: 'true' })).status, 400)
  const call = async (path: string, tool: string, args: object) => {
    const headers = { accept: 'application/json, text/event-stream' }
    const { session } = await post(service, initialize, headers, path)
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: tool, arguments: args } }
    return JSON.stringify((await post(service, body, { ...headers, 'mcp-session-id': session! }, path)).body)
  }
  t.match(await call('/mcp', 'exec', { command: 'pwd', session: name }), /\/etc/)
  t.match(await call(`/mcp?session=${name}`, 'exec', { command: 'echo A=$A; cd /bin/..' }), /A=5/)
  t.match(await inSession(name)('pwd'), { stdout: '/\n' })
})

t.test('in a sandbox', needs, async (t) => {
  const { sandbox } = (await (await service.request('/health')).json()) as { sandbox: { available: string[] } }
  for (const name of sandbox.available) {
    const run = inSession(fresh())
    const more = { sandbox: name, ...(name === 'workspace-write' && { working_directory: folder }) }
    t.match(await run('cd /usr; export A=1 T="$TMPDIR"', more), { session: { cwd: '/usr', kept: true } }, name)
    const { stdout } = await run('pwd; echo "$A"; test "$TMPDIR" = "$T" && echo same', { sandbox: 'none' })
    t.equal(stdout, name === 'workspace-write' ? '/usr\n1\n' : '/usr\n1\nsame\n', `${name}: its own TMPDIR is not kept`)
  }
})

t.test('a session outlives a restart, except values that look like secrets', needs, async (t) => {
  const home = mkdtempSync(join(folder, 'home-'))
  const start = () => startService({ home, env: { SHELLPHONE_POLICY: 'open' } })
  let at = await start()
  t.teardown(() => at.stop())
  await at.exec({ command: 'cd /usr; export A=kept GITHUB_TOKEN=hidden-value', session: 's' })
  t.match(await at.exec({ command: 'echo $GITHUB_TOKEN', session: 's' }), { stdout: 'hidden-value\n' })
  const [file] = filesOf(at)
  t.notMatch(readFileSync(file!, 'utf8'), /hidden-value/)
  await at.kill('SIGKILL')
  at = await start()
  const next = await at.exec({ command: 'pwd; echo "$A ${GITHUB_TOKEN-lost}"', session: 's' })
  t.match(next, { stdout: '/usr\nkept lost\n', notes: [{ code: 'SESSION_LOST', text: /GITHUB_TOKEN/ }] })
  t.match(await at.exec({ command: 'true', session: 's' }), { notes: [] }, 'the note appears once')
  await at.kill('SIGTERM')
  writeFileSync(file!, readFileSync(file!, 'utf8').slice(0, 40))
  writeFileSync(join(home, 'sessions', 'stray'), '')
  at = await start()
  t.same(await listed(at), [], 'a damaged file is discarded')
  t.ok(at.log.some((line) => line.includes('a session was discarded')))
  t.match(await at.exec({ command: 'echo ${A-none}', session: 's' }), { stdout: 'none\n' })
})

t.test('a session is judged, shown and bound', needs, async (t) => {
  const { service: at, ask, question } = await watchedService(t)
  const answer = (one: PendingApproval, decision: string, more = {}) =>
    at.post(`/approvals/${one.id}`, { decision, ...more })
  const name = 's'
  const pager = join(folder, 'pager')
  writeFileSync(pager, 'rm -rf ~')
  const set = await ask(`export GIT_PAGER="$(cat ${pager})" A=1; cd /usr`, { session: name })
  await answer(set.question, 'approve')
  t.match(await set.answered, { session: { set: ['A', 'GIT_PAGER'] } })
  t.match(
    await at.exec({ command: 'git log', session: name }),
    { status: 'denied' },
    'a variable of the session is denied',
  )
  await at.exec({ command: 'unset GIT_PAGER', session: name, env: { GIT_PAGER: 'cat' } })

  const touch = `touch ${join(folder, 'asked')}`
  const first = await ask(touch, { session: name })
  t.match(first.question, { working_directory: '/usr', env: { A: '1' }, session: { name, set: ['A'], unset: [] } })
  const second = at.exec({ command: 'echo second', session: name })
  const live = async () => ((await (await at.request('/runs?status=live')).json()) as { runs: ExecRecord[] }).runs
  t.ok(await until(async () => (await live()).length === 2))
  t.match(
    await live(),
    [
      {
        command: 'echo second',
        status: 'queued',
        session: { name, kept: false, reason: 'unfinished' },
        notes: [
          {
            code: 'WAITS_FOR_SESSION',
            text: `waits for the session ${name}, in which the run ${first.question.run_id} has not ended`,
          },
        ],
      },
      { command: touch, status: 'queued' },
    ],
    'the next command waits',
  )
  await answer(first.question, 'approve', { scope: 'always' })
  t.match(await first.answered, { status: 'completed', session: { kept: true } })
  t.match(await second, { stdout: 'second\n', working_directory: '/usr', notes: [] }, 'it starts in the new state')
  t.match(await at.exec({ command: touch, session: name }), { approval: { how: 'rule' } })
  await at.exec({ command: 'export A=2', session: name })
  const changed = at.exec({ command: touch, session: name })
  await answer(await question(touch), 'deny')
  t.match(
    await changed,
    { status: 'denied', session: { kept: false, reason: 'stopped' } },
    'the rule is bound to the state',
  )
})

t.test('a value that was approved once is not asked about again', needs, async (t) => {
  const { service: at, question } = await watchedService(t, { SHELLPHONE_POLICY: 'strict' })
  const start = at.exec({ command: 'ls', session: 's', env: { PATH: '/opt/venv/bin:/usr/bin:/bin' } })
  t.match(await Promise.race([start, question('ls')]), { command: 'ls' })
  const { approvals } = (await (await at.request('/approvals')).json()) as { approvals: PendingApproval[] }
  for (const { id } of approvals) await at.post(`/approvals/${id}`, { decision: 'approve' })
  t.match(await start, { status: 'completed', session: { set: ['PATH'] } })
  t.match(await at.exec({ command: 'ls', session: 's' }), { status: 'completed', decision: { verdict: 'allow' } })
})
