import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord, PendingApproval } from '../src/schema/index.ts'
import { watchedService } from './ask.ts'
import { type Service, until } from './helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-approvals-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const answer = (service: Service, id: string, body: object) => service.post(`/approvals/${id}`, body)
const listing = async (service: Service) =>
  (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[]; rules: { id: string }[] }
const touch = (name: string) => `touch ${join(folder, name)}`

t.test('over HTTP: once, deny, always, revoke', async (t) => {
  const { service, ask, question } = await watchedService(t)

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
    approval: { outcome: 'approved', by: 'ann', how: 'http', scope: 'once' },
  })
  t.ok(Math.abs(Date.parse(record.approval!.at) - before) < 5000, 'when')
  const kept = (await (await service.request(`/runs/${record.id}`)).json()) as ExecRecord
  t.same(kept.approval, record.approval, 'history tells who, when and how')
  t.equal((await answer(service, once.question.id, { decision: 'deny' })).status, 409, 'decided once')

  const again = await ask(touch('once'), { env: { A: 'b' } })
  t.equal((await answer(service, again.question.id, { decision: 'deny', scope: 'always' })).status, 400)
  await answer(service, again.question.id, { decision: 'deny' })
  t.match(await again.answered, { status: 'denied', approval: { outcome: 'denied', by: 'token' } })

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
  t.equal(theirs.dialect, 'nullclaw', 'another dialect asks again')
  await answer(service, theirs.id, { decision: 'deny' })
  await dialect

  t.same(
    (await listing(service)).rules.map(({ id }) => id),
    [saved],
  )
  t.equal((await service.request(`/approvals/rules/${saved}`, { method: 'DELETE' })).status, 204)
  const revoked = await ask(touch('always'))
  await answer(service, revoked.question.id, { decision: 'deny' })
  t.equal((await revoked.answered).status, 'denied', 'a revoked rule answers no more')
})

t.test('over WebSocket: asked, answered, told', async (t) => {
  const { service, watcher, question } = await watchedService(t)
  const agent = await service.socket()
  t.teardown(() => agent.close())
  for (const [decision, status] of [
    ['approve', 'completed'],
    ['deny', 'denied'],
  ]) {
    const result = agent.exec(decision!, { command: touch(decision!) })
    const { id } = await question(touch(decision!))
    watcher.send({ type: 'approval', id, decision, by: 'bob' })
    t.match(await result, { type: 'result', status, approval: { by: 'bob', how: 'websocket' } })
    t.match(await watcher.next((one) => one.type === 'approval_decided' && one.id === id), { by: 'bob' })
  }
  watcher.send({ type: 'watch_approvals' })
  const denied = agent.exec('twice', { command: touch('twice') })
  const { id } = await question(touch('twice'))
  watcher.send({ type: 'approval', id, decision: 'deny' })
  await denied
  await watcher.next((one) => one.type === 'approval_decided' && one.id === id)
  watcher.send({ type: 'ping' })
  await watcher.next((one) => one.type === 'pong')
  t.equal(watcher.messages.filter((one) => one.type === 'approval_decided' && one.id === id).length, 1, 'told once')

  watcher.send({ type: 'approval', ref: 'late', id: 'nobody', decision: 'approve' })
  t.match(await watcher.next((one) => one.ref === 'late'), { type: 'error', error: { type: 'not_found' } })
})

t.test('silence is no', async (t) => {
  const { ask } = await watchedService(t, { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0.3' })
  const { answered } = await ask(touch('silence'))
  t.match(await answered, { status: 'denied', exit_code: -1, approval: { outcome: 'timeout', by: null } })
})

t.test('with nobody to ask it is denied at once', async (t) => {
  const { service } = await watchedService(t, { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0' })
  t.match(await service.exec({ command: touch('nobody') }), { status: 'denied', approval: { outcome: 'nobody' } })
})

t.test('while it waits', async (t) => {
  const { service, watcher, ask } = await watchedService(t, {
    SHELLPHONE_MAX_RUNNING: '1',
    SHELLPHONE_MAX_PENDING_APPROVALS: '1',
  })
  const decided = (id: string) => watcher.next((one) => one.type === 'approval_decided' && one.id === id)

  const waiting = await ask(touch('waiting'))
  t.match(await service.exec({ command: 'echo free' }), { stdout: 'free\n' }, 'it holds no slot')
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
  t.match(await decided(id), { outcome: 'withdrawn' }, 'the client has gone: nobody needs the answer')
  await until(async () => ((await (await service.request(`/runs/${run_id}`)).json()) as ExecRecord).status !== 'queued')
  t.match(await (await service.request(`/runs/${run_id}`)).json(), { status: 'canceled' })
})

t.test('a restart denies what was pending, and saved rules stay', async (t) => {
  const home = mkdtempSync(join(folder, 'home-'))
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { service, ask } = await watchedService(t, {}, { home })
    const kept = await ask(touch(signal))
    await answer(service, kept.question.id, { decision: 'approve', scope: 'always' })
    await kept.answered
    const pending = await ask(touch(`pending-${signal}`))
    pending.answered.catch(() => {})
    await service.kill(signal)
    if (signal === 'SIGTERM') {
      t.match(await pending.answered, { status: 'denied', approval: { outcome: 'closed' } }, 'and says so')
    }

    const { service: next, ask: askNext } = await watchedService(t, {}, { home })
    t.same((await listing(next)).approvals, [], `${signal}: nothing waits`)
    t.equal((await answer(next, pending.question.id, { decision: 'approve' })).status, 404)
    const run = (await (await next.request(`/runs/${pending.question.run_id}`)).json()) as ExecRecord
    t.not(run.status, 'completed')
    t.match(await next.exec({ command: touch(signal) }), { status: 'completed', approval: { how: 'rule' } })
    const asked = await askNext(touch(`pending-${signal}`))
    await answer(next, asked.question.id, { decision: 'deny' })
    t.equal((await asked.answered).status, 'denied', 'it is asked anew')
    await next.stop()
  }
})

t.test('approved is the directory that was shown (PicoClaw #3081)', async (t) => {
  const { service, ask } = await watchedService(t)
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
