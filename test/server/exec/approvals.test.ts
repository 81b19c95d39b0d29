import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord, PendingApproval } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { sandboxOf, type Service, until } from '../../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-approvals-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const answer = (service: Service, id: string, body: object) => service.post(`/approvals/${id}`, body)
const listing = async (service: Service) =>
  (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[]; rules: { id: string }[] }
const touch = (name: string) => `touch ${join(folder, name)}`
/** For tests that need no settings of their own; each test leaves no approval pending. */
const { service, watcher, ask, question } = await watchedService(t)

t.test('over HTTP: approves once, denies, approves always, revokes', async (t) => {
  const once = await ask(touch('once'), { env: { A: 'b' } })
  t.match(once.question, {
    command: touch('once'),
    env: { A: 'b' },
    dialect: 'oneclaw',
    risk: 'medium',
    always: { covers: /exactly this command/ },
  })
  const before = Date.now()
  t.match(await (await answer(service, once.question.id, { decision: 'approve', by: 'ann' })).json(), {
    outcome: 'approved',
  })
  const record = await once.answered
  t.match(record, {
    status: 'completed',
    exit_code: 0,
    approval: { outcome: 'approved', by: 'owner "ann"', how: 'http', scope: 'once' },
  })
  const decidedAt = Date.parse(record.approval!.at)
  t.ok(before <= decidedAt && decidedAt <= Date.now(), 'when')
  const kept = (await (await service.request(`/runs/${record.id}`)).json()) as ExecRecord
  t.same(kept.approval, record.approval, 'history contains who answered, when and how')
  t.equal((await answer(service, once.question.id, { decision: 'deny' })).status, 409, 'decided once')

  const again = await ask(touch('once'), { env: { A: 'b' } })
  t.equal((await answer(service, again.question.id, { decision: 'deny', scope: 'always' })).status, 400)
  await answer(service, again.question.id, { decision: 'deny' })
  t.match(await again.answered, { status: 'denied', approval: { outcome: 'denied', by: 'owner' } })

  const always = await ask(touch('always'))
  await answer(service, always.question.id, { decision: 'approve', scope: 'always' })
  const saved = (await always.answered).approval!.saved_rule
  t.match(await service.exec({ command: touch('always') }), {
    status: 'completed',
    approval: { outcome: 'approved', how: 'rule', scope: 'always', saved_rule: saved },
  })
  const others: [string, object][] = [
    ['another directory', { working_directory: folder }],
    ['another environment', { env: { GIT_DIR: '/' } }],
  ]
  for (const [name, more] of others) {
    const other = await ask(touch('always'), more)
    await answer(service, other.question.id, { decision: 'deny' })
    t.equal((await other.answered).status, 'denied', `${name} asks again`)
  }
  const dialect = service.post('/exec/nullclaw', { command: touch('always') })
  const theirs = await question(touch('always'))
  t.equal(theirs.dialect, 'nullclaw', 'another dialect needs a new approval')
  await answer(service, theirs.id, { decision: 'deny' })
  await dialect

  t.same(
    (await listing(service)).rules.map(({ id }) => id),
    [saved],
  )
  t.equal((await service.request(`/approvals/rules/${saved}`, { method: 'DELETE' })).status, 204)
  const revoked = await ask(touch('always'))
  await answer(service, revoked.question.id, { decision: 'deny' })
  t.equal((await revoked.answered).status, 'denied', 'a revoked rule no longer applies')
})

t.test('over WebSocket: a request is sent, answered and its decision reported', async (t) => {
  const agent = await service.socket()
  t.teardown(() => agent.close())
  for (const [decision, status] of [
    ['approve', 'completed'],
    ['deny', 'denied'],
  ]) {
    const result = agent.exec(decision!, { command: touch(decision!) })
    const { id } = await question(touch(decision!))
    watcher.send({ type: 'approval', id, decision, by: 'bob' })
    t.match(await result, { type: 'result', status, approval: { by: 'owner "bob"', how: 'websocket' } })
    t.match(await watcher.next((one) => one.type === 'approval_decided' && one.id === id), { by: 'owner "bob"' })
  }
  watcher.send({ type: 'watch_approvals' })
  const denied = agent.exec('twice', { command: touch('twice') })
  const { id } = await question(touch('twice'))
  watcher.send({ type: 'approval', id, decision: 'deny' })
  await denied
  await watcher.next((one) => one.type === 'approval_decided' && one.id === id)
  watcher.send({ type: 'ping' })
  await watcher.next((one) => one.type === 'pong')
  t.equal(watcher.messages.filter((one) => one.type === 'approval_decided' && one.id === id).length, 1, 'reported once')

  watcher.send({ type: 'approval', ref: 'late', id: 'nobody', decision: 'approve' })
  t.match(await watcher.next((one) => one.ref === 'late'), { type: 'error', error: { type: 'not_found' } })
})

t.test('denies a request without an answer', async (t) => {
  const { ask } = await watchedService(t, { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0.3' })
  const { answered } = await ask(touch('silence'))
  t.match(await answered, { status: 'denied', exit_code: -1, approval: { outcome: 'timeout', by: null } })
})

t.test('without anyone to ask', async (t) => {
  const { service } = await watchedService(t, { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0' })
  await t.test('denies the command at once', async (t) => {
    t.match(await service.exec({ command: touch('nobody') }), { status: 'denied', approval: { outcome: 'nobody' } })
  })
  await t.test('explains which setting to change', async (t) => {
    const record = await service.exec({ command: touch('alone') })
    t.match(record, { status: 'denied', output: /approval_timeout_seconds is 0; .*shellphone approvals/ })
  })
})

t.test('while a command waits for approval', async (t) => {
  const { service, watcher, ask } = await watchedService(t, {
    SHELLPHONE_MAX_RUNNING: '1',
    SHELLPHONE_MAX_PENDING_APPROVALS: '1',
  })
  const decided = (id: string) => watcher.next((one) => one.type === 'approval_decided' && one.id === id)

  const waiting = await ask(touch('waiting'))
  t.match(await service.exec({ command: 'echo free' }), { stdout: 'free\n' }, 'the pending command holds no slot')
  t.match(
    await service.exec({ command: touch('second') }),
    { status: 'denied', approval: { outcome: 'full' } },
    'one more question than may wait is denied',
  )
  t.equal((await service.request(`/runs/${waiting.question.run_id}`, { method: 'DELETE' })).status, 200)
  t.match(await waiting.answered, { status: 'canceled', approval: { outcome: 'withdrawn' } })
  t.equal((await answer(service, waiting.question.id, { decision: 'approve' })).status, 409, 'too late')

  const gone = new AbortController()
  const request = service.request('/exec', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ command: touch('gone') }),
    signal: gone.signal,
  })
  request.catch(() => {})
  await until(async () => (await listing(service)).approvals.length === 1)
  const { id, run_id } = (await listing(service)).approvals[0]!
  gone.abort()
  t.match(await decided(id), { outcome: 'withdrawn' }, 'a disconnected client withdraws its request')
  await until(async () => ((await (await service.request(`/runs/${run_id}`)).json()) as ExecRecord).status !== 'queued')
  t.match(await (await service.request(`/runs/${run_id}`)).json(), { status: 'canceled' })
})

t.test('a restart denies pending requests and keeps saved rules', async (t) => {
  const home = mkdtempSync(join(folder, 'home-'))
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { service, ask } = await watchedService(t, {}, { home })
    const kept = await ask(touch(signal))
    await answer(service, kept.question.id, { decision: 'approve', scope: 'always' })
    await kept.answered
    const pending = await ask(touch(`pending-${signal}`))
    pending.answered.catch(() => {})
    const { run_id } = pending.question
    const history = join(home, 'history', '00000001.jsonl')
    t.ok(await until(() => readFileSync(history, 'utf8').includes(`{"b":"${run_id}"`)), 'its begin line is on disk')
    await service.kill(signal)
    if (signal === 'SIGTERM') {
      t.match(await pending.answered, { status: 'denied', approval: { outcome: 'closed' } }, 'and says so')
    }

    const { service: next, ask: askNext } = await watchedService(t, {}, { home })
    t.same((await listing(next)).approvals, [], `${signal}: nothing waits`)
    t.equal((await answer(next, pending.question.id, { decision: 'approve' })).status, 404)
    const run = (await (await next.request(`/runs/${run_id}`)).json()) as ExecRecord
    t.equal(run.status, signal === 'SIGTERM' ? 'denied' : 'failed')
    t.notOk('pending_approval' in run, 'and its run does not wait either')
    t.match(await next.exec({ command: touch(signal) }), { status: 'completed', approval: { how: 'rule' } })
    const asked = await askNext(touch(`pending-${signal}`))
    await answer(next, asked.question.id, { decision: 'deny' })
    t.equal((await asked.answered).status, 'denied', 'it needs approval again')
    await next.stop()
  }
})

t.test('an approval covers only the directory that was shown (PicoClaw #3081)', async (t) => {
  const at = (name: string) => join(folder, name)
  for (const name of ['shown', 'other']) mkdirSync(at(name))
  symlinkSync(at('shown'), at('link'))

  const linked = await ask('pwd > where; touch x', { working_directory: at('link') })
  t.equal(linked.question.working_directory, at('shown'), 'the real directory is shown')
  rmSync(at('link'))
  symlinkSync(at('other'), at('link'))
  await answer(service, linked.question.id, { decision: 'approve' })
  t.match(await linked.answered, { status: 'completed', working_directory: at('shown') })
  t.equal(
    readFileSync(join(at('shown'), 'where'), 'utf8'),
    `${at('shown')}\n`,
    'a link swapped meanwhile redirects nothing',
  )

  const replaced = await ask('touch y', { working_directory: at('shown') })
  renameSync(at('shown'), at('moved'))
  symlinkSync(at('other'), at('shown'))
  await answer(service, replaced.question.id, { decision: 'approve' })
  t.match(await replaced.answered, { status: 'denied', decision: { verdict: 'deny', rule: 'directory-replaced' } })
  t.throws(() => readFileSync(join(at('other'), 'y')), 'nothing ran there')
})

t.test('"always" covers one stdin, one sandbox and one set of script files', async (t) => {
  const sandboxes = (await sandboxOf(service)).available
  const script = join(folder, 'script.sh')
  const write = (text: string) => writeFileSync(script, `touch ${join(folder, text)}\n`)
  write('first')
  const base = { command: 'bash -s', stdin: `touch ${join(folder, 'fed')}` }
  const rows: [string, { command: string } & object, object, () => void][] = [
    ['another stdin', base, { stdin: `touch ${join(folder, 'other')}` }, () => {}],
    ['no stdin', base, { stdin: undefined }, () => {}],
    ['stdin that stays open', base, { stdin: 'open' }, () => {}],
    ['another script in the same file', { command: `sh ${script}` }, {}, () => write('second')],
    ['another text in a file that feeds a shell', { command: `cat ${script} | sh` }, {}, () => write('third')],
  ]
  if (sandboxes.includes('read-only')) {
    const sandboxed = { ...base, sandbox: 'read-only' }
    rows.push(['another stdin in a sandbox', sandboxed, { stdin: 'touch x' }, () => {}])
    rows.push(['the same without a sandbox', sandboxed, { sandbox: 'none' }, () => {}])
    rows.push(['the same without network', sandboxed, { network: false }, () => {}])
  } else t.comment('no sandboxes here: rows that need one are skipped')
  for (const [name, body, change, meanwhile] of rows) {
    const first = await ask(body.command, body)
    await answer(service, first.question.id, { decision: 'approve', scope: 'always' })
    const { approval } = await first.answered
    t.match(await service.exec(body), { approval: { how: 'rule' } }, `${name}: the same is not asked again`)
    meanwhile()
    const other = await ask(body.command, { ...body, ...change })
    await answer(service, other.question.id, { decision: 'deny' })
    t.match(await other.answered, { status: 'denied', approval: { how: 'http' } }, `${name} asks again`)
    await service.request(`/approvals/rules/${approval!.saved_rule}`, { method: 'DELETE' })
  }
})

t.test('the request shows everything to which its answer is bound', async (t) => {
  const script = join(folder, 'shown.sh')
  writeFileSync(script, 'touch shown\n')
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const { question, answered } = await ask(`sh ${script}`, { env: { A: 'b' }, stdin: 'fed', working_directory: folder })
  const expected = {
    env: { A: 'b' },
    stdin: { text: 'fed', bytes: 3, sha256: sha256('fed') },
    working_directory: folder,
    sandbox: 'none',
    network: true,
    files: [{ path: script, sha256: sha256('touch shown\n') }],
  }
  t.match(question, expected)
  t.match((await listing(service)).approvals, [expected])
  await answer(service, question.id, { decision: 'deny' })
  await answered
  const open = await ask(touch('open'), { stdin: 'open' })
  t.match(open.question, { stdin: 'open', always: null })
  t.equal((await answer(service, open.question.id, { decision: 'approve', scope: 'always' })).status, 400)
  await answer(service, open.question.id, { decision: 'deny' })
  await open.answered
})

t.test('an approval covers only the script that was read', async (t) => {
  const script = join(folder, 'read.sh')
  writeFileSync(script, `touch ${join(folder, 'read')}\n`)
  const { question, answered } = await ask(`sh ${script}`)
  writeFileSync(script, `touch ${join(folder, 'swapped')}\n`)
  await answer(service, question.id, { decision: 'approve' })
  t.match(await answered, { status: 'denied', decision: { verdict: 'deny', rule: 'script-changed' } })
  t.notOk(existsSync(join(folder, 'swapped')), 'nothing ran')
})

t.test('an approval covers every file that the command runs, unchanged until it starts', async (t) => {
  const inFolder = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const comment = `# ${'x'.repeat(300_000)}\n`
  const many = Array.from({ length: 12 }, (_, at) => `s${at}.sh`)
  const rows: [string, Record<string, string>, string][] = [
    ['sh a.sh', { 'a.sh': '. ./b.sh\n' }, 'b.sh'],
    ['sh a.sh', { 'a.sh': '. "$(dirname "$0")/b.sh"\n' }, 'b.sh'],
    ['sh ./a.sh', { 'a.sh': 'sh "${0%/*}/b.sh"\n' }, 'b.sh'],
    ['sh a.sh b.sh', { 'a.sh': '. "./$1"\n' }, 'b.sh'],
    ['cd absent; sh ./b.sh', {}, 'b.sh'],
    ['for f in a.sh b.sh; do sh "$f"; done', { 'a.sh': 'true\n' }, 'b.sh'],
    [many.map((name) => `sh ${name}`).join('; '), Object.fromEntries(many.map((name) => [name, 'true\n'])), 's11.sh'],
    ['sh b.sh', {}, 'b.sh'],
    ['python3 b.sh', {}, 'b.sh'],
  ]
  for (const [command, files, swapped] of rows) {
    for (const [name, text] of Object.entries(files)) inFolder(name, text)
    inFolder(swapped, command === 'sh b.sh' ? comment : 'true\n')
    const { question, answered } = await ask(`${command}; ${touch('judged')}`, { working_directory: folder })
    inFolder(swapped, `touch ${join(folder, 'swapped')}\n`)
    await answer(service, question.id, { decision: 'approve' })
    t.match(
      await answered,
      { status: 'denied', decision: { rule: 'script-changed' } },
      `${command}: ${swapped} changed`,
    )
  }
  t.notOk(existsSync(join(folder, 'swapped')), 'nothing ran')
  // no approval covers changes after the start, as the module's README states
  inFolder('a.sh', 'echo begun; read go; . ./b.sh\n')
  inFolder('b.sh', 'echo judged\n')
  const { question, answered } = await ask(`sh a.sh; ${touch('judged')}`, { working_directory: folder, stdin: 'open' })
  await answer(service, question.id, { decision: 'approve' })
  const output = () => service.request(`/runs/${question.run_id}/output`).then((reply) => reply.text())
  t.ok(await until(async () => (await output()).includes('begun')), 'it has started')
  inFolder('b.sh', 'echo changed\n')
  await service.post(`/runs/${question.run_id}/stdin`, { data: 'go\n', end: true })
  t.match(await answered, { status: 'completed', stdout: 'begun\nchanged\n' })
})

t.test('derives `how` from the route, not from the client', async (t) => {
  const key = readFileSync(join(service.home, 'cli'), 'utf8').trim()
  t.equal(statSync(join(service.home, 'cli')).mode & 0o777, 0o600)
  const said = await ask(touch('said'))
  t.equal((await answer(service, said.question.id, { decision: 'approve', how: 'cli' })).status, 400)
  watcher.send({ type: 'approval', ref: 'said', id: said.question.id, decision: 'approve', how: 'cli' })
  t.match(await watcher.next((one) => one.ref === 'said'), { type: 'error', error: { type: 'validation_error' } })
  const headers = { 'shellphone-cli-key': `${key.slice(0, -1)}!` }
  await service.post(`/approvals/${said.question.id}`, { decision: 'approve' }, headers)
  t.match(await said.answered, { approval: { how: 'http' } })
  const shown = await ask(touch('shown'))
  await service.post(`/approvals/${shown.question.id}`, { decision: 'approve' }, { 'shellphone-cli-key': key })
  t.match(await shown.answered, { approval: { how: 'cli' } })
})

t.test('reports a pending approval at once in the log and in streams', async (t) => {
  const socket = await service.socket()
  t.teardown(() => socket.close())
  const pending = async (count: number) => {
    await until(async () => (await listing(service)).approvals.length === count)
    return (await listing(service)).approvals.at(-1)!
  }
  const note = (one: { type: string }) => one.type === 'note'
  socket.send({ type: 'exec', ref: 'ws', command: touch('noted') })
  const first = await pending(1)
  const way = `shellphone approvals approve ${first.id}`
  const expected = { id: first.run_id, approval: { id: first.id, expires_at: first.expires_at } }
  t.match(await socket.next(note), { ...expected, note: { code: 'WAITS_FOR_ANSWER', text: new RegExp(way) } })
  t.ok(
    await until(() => service.log.some((line) => line.includes(`"msg":"waiting for approval: ${way}"`))),
    'in the log',
  )
  t.notOk(
    service.log.some((line) => line.includes('noted')),
    'no command in the log',
  )
  await answer(service, first.id, { decision: 'approve' })
  await socket.next((one) => one.type === 'result' && one.ref === 'ws')
  const ofRun = socket.messages.filter(({ type }) => ['status', 'note', 'result'].includes(type))
  t.same(
    ofRun.map(({ type, status }) => `${type} ${status ?? ''}`.trim()),
    ['status queued', 'note', 'status starting', 'status running', 'status completed', 'result completed'],
  )

  const response = await service.post('/exec', { command: touch('noted') }, { accept: 'text/event-stream' })
  const second = await pending(1)
  const reader = response.body!.getReader()
  let seen = ''
  while (!seen.includes('event: note')) seen += new TextDecoder().decode((await reader.read()).value)
  t.match(seen, new RegExp(`event: note\nid: 0[.]0\ndata: [{].*approvals approve ${second.id}`))
  const late = await service.request(`/runs/${second.run_id}/events`)
  await answer(service, second.id, { decision: 'deny' })
  const all = await late.text()
  t.equal(all.match(/event: note/g)?.length, 1, 'a later watcher receives it, once')
  const after = await (await service.request(`/runs/${second.run_id}/events`)).text()
  t.notOk(after.includes('event: note'), 'no note after the decision')
})

t.test('artifacts of a sandboxed command cannot come from the hidden home', async (t) => {
  const sandboxes = (await sandboxOf(service)).available
  if (!sandboxes.includes('read-only')) return t.comment('no sandboxes here: skipped')
  const link = join(folder, 'home-link')
  symlinkSync(service.home, link)
  const artifact_paths = [join(service.home, 'token'), join(link, 'cli'), '/etc/hostname']
  const { artifacts } = await service.exec({ command: 'true', sandbox: 'read-only', artifact_paths })
  t.match(artifacts, [{ error: 'outside the allowed directories' }, { error: 'outside the allowed directories' }, {}])
  t.equal(artifacts[0]!.sha256, undefined)
  t.equal(artifacts[2]!.error, undefined)
})
