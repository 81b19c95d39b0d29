import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createAccessLog } from '../../../src/server/access/index.ts'
import { privateFile } from '../../../src/server/host/index.ts'
import type { AccessEvent, ExecRecord } from '../../../src/shared/schema/index.ts'
import { openSocket, type Service, startService, until } from '../../support/helper.ts'

const MAX_EVENTS = 1000

/** A log in its own file; `open` opens the file again. */
function fileLog(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-access-log-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'access.jsonl')
  const said: string[] = []
  const log = (facts: object, sentence: string) => void said.push(`${sentence} ${JSON.stringify(facts)}`)
  const clock = { ms: 0 }
  const open = (file = privateFile(path)) => createAccessLog({ file, log, now: () => clock.ms })
  return { path, said, open, clock }
}
const note = (log: ReturnType<typeof createAccessLog>, token: string) => log.note({ what: 'paired', token })
const names = (log: ReturnType<typeof createAccessLog>, limit = MAX_EVENTS) => log.list(limit).map(({ token }) => token)

t.test('stores the newest 1000 events in a bounded private file', (t) => {
  const { path, said, open } = fileLog(t)
  const log = open()
  const counts = new Set<number>()
  for (let n = 1; n <= 3 * MAX_EVENTS; n++) {
    note(log, `t${n}`)
    if (n % 500 === 0) counts.add(readFileSync(path, 'utf8').split('\n').length - 1)
  }
  t.ok(Math.max(...counts) <= 2 * MAX_EVENTS, `the file has at most ${Math.max(...counts)} lines`)
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.same(names(log, 2), ['t3000', 't2999'])
  t.equal(names(log).length, MAX_EVENTS)
  t.same(names(open()), names(log), 'a restart reads the same events')
  t.same(said, [])
  t.end()
})

t.test('counts the failed sign-ins of an address as one event, for at most 100 addresses', (t) => {
  const { path, open, clock } = fileLog(t)
  const log = open()
  const failures = (one: typeof log) =>
    one
      .list(MAX_EVENTS)
      .flatMap(({ what, from, attempts }) => (attempts === null ? [] : [`${what} ${from} ${attempts}`]))
  note(log, 'laptop')
  for (let n = 0; n < 1000; n++) log.noteFailure('wrong_token', '192.0.2.1')
  log.noteFailure('wrong_code', '192.0.2.1')
  for (const from of ['2001:db8::1', '2001:db8::2']) log.noteFailure('wrong_token', from)
  t.same(failures(log), ['wrong_token 2001:db8::2 2', 'wrong_code 192.0.2.1 1', 'wrong_token 192.0.2.1 1000'])
  t.equal(readFileSync(path, 'utf8').split('\n').length - 1, 14, 'the file gets the counts 1, 2, 4 … 512')
  t.same(failures(open()), ['wrong_token 2001:db8::2 2', 'wrong_code 192.0.2.1 1', 'wrong_token 192.0.2.1 512'])
  clock.ms += 3_600_001
  log.noteFailure('wrong_token', '192.0.2.1')
  t.same(failures(log).slice(0, 1), ['wrong_token 192.0.2.1 1'], 'after an hour without one, another event begins')
  for (let n = 0; n < 2000; n++) log.noteFailure('wrong_token', `198.51.${Math.floor(n / 250)}.${n % 250}`)
  t.equal(failures(log).length, 100)
  t.same(names(log).filter(Boolean), ['laptop'], 'failed sign-ins push no other event out')
  t.same(failures(open()), failures(log), 'a restart reads the same events')
  t.end()
})

t.test('leaves damaged lines out, reports them, and writes the file again', (t) => {
  const { path, said, open } = fileLog(t)
  const log = open()
  for (const name of ['a', 'b', 'c']) note(log, name)
  const [first, , last] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `${first}\n{"what":"paired"}\nnonsense\n${last!.slice(0, 20)}`)
  const again = open()
  t.same(names(again), ['a'])
  t.same(said, ['access.jsonl: damaged lines are ignored {"damaged":3}'])
  note(again, 'd')
  t.same(names(open()), ['d', 'a'])
  t.equal(said.length, 1, 'the damage is gone')
  t.end()
})

t.test('keeps events in memory while the disk refuses, and writes them with the next', (t) => {
  const { path, said, open } = fileLog(t)
  const file = privateFile(path)
  let isFull = true
  const refuse = () => {
    if (isFull) throw new Error('ENOSPC')
  }
  const log = open({
    ...file,
    append: (text) => (refuse(), file.append(text)),
    write: (text) => (refuse(), file.write(text)),
  })
  note(log, 'a')
  note(log, 'b')
  t.same(names(log), ['b', 'a'])
  t.same(said, Array(2).fill('access.jsonl cannot be written {"reason":"ENOSPC"}'))
  isFull = false
  note(log, 'c')
  t.same(names(open()), ['c', 'b', 'a'])
  t.end()
})

const home = mkdtempSync(join(tmpdir(), 'shellphone-access-log-'))
const env = { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' }
let service: Service
t.before(async () => {
  service = await startService({ home, env })
})
t.teardown(async () => {
  await service.stop()
  rmSync(home, { recursive: true, force: true })
})

const json = async (response: Promise<Response>) => (await response).json() as Promise<any>
const events = async (query = ''): Promise<AccessEvent[]> => (await json(service.request(`/access-log${query}`))).events
/** The events since `count` events, oldest first, without their times. */
const since = async (count: number) =>
  (await events())
    .slice(0, -count || undefined)
    .reverse()
    .map(({ at: _at, ...event }) => event)
const plain = {
  ...{ token: null, by: 'owner', how: null, from: '127.0.0.1', run_id: null },
  ...{ is_saved: false, rights: null, attempts: null },
}
const rights = { approves: 'none', read: 'own', shell: false, files: 'write', policy: null }

t.test('records who pairs and who loses access, and from where', async (t) => {
  const before = (await events()).length
  const { code } = await json(service.post('/pairing', { approves: 'all' }))
  const pair = { body: JSON.stringify({ code, name: 'laptop' }), headers: { 'content-type': 'application/json' } }
  const { token } = await json(service.request('/pair', { method: 'POST', token: null, ...pair }))
  await service.post('/tokens', { name: 'robot' })
  await service.request('/tokens/robot/rotate', { method: 'POST', token })
  await service.request('/tokens/robot', { method: 'DELETE', token })
  t.equal((await service.request('/tokens/robot', { method: 'DELETE' })).status, 404)
  t.same(await since(before), [
    { ...plain, what: 'code_created', rights: { ...rights, approves: 'all' } },
    { ...plain, what: 'paired', token: 'laptop', by: null, rights: { ...rights, approves: 'all' } },
    { ...plain, what: 'token_created', token: 'robot', rights },
    { ...plain, what: 'token_rotated', token: 'robot', by: 'laptop' },
    { ...plain, what: 'token_revoked', token: 'robot', by: 'laptop' },
  ])
})

t.test('records wrong tokens and wrong pairing codes, but not requests without a token', async (t) => {
  const before = (await events()).length
  t.equal((await service.request('/runs', { token: 'x'.repeat(43) })).status, 401)
  t.equal((await service.request('/runs', { token: 'y'.repeat(43) })).status, 401)
  t.equal((await service.request('/runs', { token: null })).status, 401)
  const body = JSON.stringify({ code: 'AAAA-AAAA', name: 'thief' })
  const headers = { 'content-type': 'application/json' }
  t.equal((await service.request('/pair', { method: 'POST', token: null, body, headers })).status, 401)
  t.same(await since(before), [
    { ...plain, by: null, what: 'wrong_token', attempts: 2 },
    { ...plain, by: null, what: 'wrong_code', attempts: 1 },
  ])
})

t.test('records who answers approval requests and who revokes saved approvals', async (t) => {
  const before = (await events()).length
  const pendingOf = async (command: string) => {
    const { id } = (await json(service.post('/exec', { command, background: true }))) as ExecRecord
    let found: { id: string; run_id: string } | undefined
    await until(async () => {
      const { approvals } = await json(service.request('/approvals'))
      found = approvals.find(({ run_id }: { run_id: string }) => run_id === id)
      return found !== undefined
    })
    return found!
  }
  const [denied, saved] = [await pendingOf('touch denied'), await pendingOf('touch saved')]
  const socket = await openSocket(service.url, service.token)
  socket.send({ type: 'approval', id: denied.id, decision: 'deny', by: 'ann' })
  await until(async () => (await events()).length > before)
  await service.post(`/approvals/${saved.id}`, { decision: 'approve', scope: 'always' })
  const { rules } = await json(service.request('/approvals'))
  await json(service.post('/exec', { command: 'touch saved' }))
  await service.request(`/approvals/rules/${rules[0].id}`, { method: 'DELETE' })
  const answer = { ...plain, token: 'owner' }
  t.same(await since(before), [
    { ...answer, what: 'denied', by: 'owner "ann"', how: 'websocket', run_id: denied.run_id },
    { ...answer, what: 'approved', how: 'http', run_id: saved.run_id, is_saved: true },
    { ...answer, what: 'rule_revoked' },
  ])
  await socket.close()
})

t.test('records tokens that expire and tokens that are edited in tokens.json', async (t) => {
  for (const name of ['expiring', 'edited', 'removed']) await service.post('/tokens', { name, expires_in_days: 1 })
  const before = (await events()).length
  const file = join(service.home, 'tokens.json')
  const stored = JSON.parse(readFileSync(file, 'utf8')) as { tokens: { name: string; read: string }[] }
  const kept = stored.tokens.filter(({ name }) => name !== 'removed')
  for (const row of kept) if (row.name === 'edited') row.read = 'all'
  writeFileSync(file, JSON.stringify({ tokens: kept }))
  service.process.kill('SIGHUP')
  await until(async () => (await events()).length >= before + 2)
  const edited = { ...plain, what: 'token_edited', by: null, from: null }
  t.same(await since(before), [
    { ...edited, token: 'edited' },
    { ...edited, token: 'removed' },
  ])
  await service.post('/tokens', { name: 'short', expires_in_days: 0.00001 })
  await until(async () => (await events()).some(({ what }) => what === 'token_expired'))
  t.match(await events('?limit=1'), [{ what: 'token_expired', token: 'short', by: null, from: null }])
})

t.test('shows the log only to people, and survives a restart', async (t) => {
  const { token } = await json(service.post('/tokens', { name: 'agent' }))
  t.equal((await service.request('/access-log', { token })).status, 403)
  for (const limit of ['0', '1001', 'x']) {
    t.equal((await service.request(`/access-log?limit=${limit}`)).status, 400, limit)
  }
  const before = await events('?limit=1000')
  await service.stop()
  service = await startService({ home, env })
  t.same(await events('?limit=1000'), before)
})
