import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord, PendingApproval } from '../../../src/shared/schema/index.ts'
import { openSocket, type Socket, startService, until } from '../../support/helper.ts'
import { closed, frame, growthDuring, openRawWebSocket } from '../../support/raw-client.ts'

const service = await startService({ env: { SHELLPHONE_MAX_BACKGROUND_RUNNING: '1' } })
t.teardown(() => service.stop())

async function background(body: object, token?: string): Promise<string> {
  const init = {
    method: 'POST',
    body: JSON.stringify({ ...body, background: true }),
    headers: { 'content-type': 'application/json' },
  }
  const response = await service.request('/exec', token === undefined ? init : { ...init, token })
  return ((await response.json()) as ExecRecord).id
}
const cancel = (id: string) => service.request(`/runs/${id}`, { method: 'DELETE' })
const live = async (token?: string) => {
  const response = await service.request('/runs?status=live', token === undefined ? {} : { token })
  return ((await response.json()) as { runs: ExecRecord[] }).runs.map(({ id, status }) => [id, status])
}
const stepsOf = (socket: Socket, id: string) =>
  socket.messages
    .map(({ run }) => run as ExecRecord)
    .filter((run) => run?.id === id)
    .map(({ status }) => status)

t.test('GET /runs?status=live returns the runs that have not ended', async (t) => {
  t.strictSame(await live(), [])
  await service.exec({ command: 'false' })
  const running = await background({ command: 'sleep 71' })
  const queued = await background({ command: 'sleep 71' })
  t.ok(await until(async () => (await live()).some(([, status]) => status === 'running')))
  t.strictSame(await live(), [
    [queued, 'queued'],
    [running, 'running'],
  ])
  await Promise.all([cancel(queued), cancel(running)])
  t.ok(await until(async () => (await live()).length === 0))
  t.equal((await service.request('/runs?status=alive')).status, 400)
})

t.test('watch_runs reports each live run and each of its steps', async (t) => {
  const before = await background({ command: 'echo before; sleep 72' })
  const socket = await service.socket()
  socket.send({ type: 'watch_runs' })
  socket.send({ type: 'watch_runs' })
  t.ok(await until(() => stepsOf(socket, before).length > 0))
  const record = await service.exec({ command: 'echo hidden; exit 2' })
  t.ok(await until(() => stepsOf(socket, record.id).at(-1) === 'failed'))
  t.ok(stepsOf(socket, record.id).length <= 4, 'each once')
  const last = socket.messages.map(({ run }) => run as ExecRecord).findLast(({ id }) => id === record.id)!
  const { stdout: _1, stderr: _2, output: _3, ...withoutOutput } = record
  t.strictSame(last, withoutOutput, 'the record without its texts')
  const denied = await service.exec({ command: 'rm -rf /' })
  t.ok(await until(() => stepsOf(socket, denied.id).at(-1) === 'denied'))
  await cancel(before)
  t.ok(await until(() => stepsOf(socket, before).at(-1) === 'canceled'))
  t.equal(stepsOf(socket, before).filter((status) => status === 'canceled').length, 1)
  await socket.close()
})

t.test('a token that may read only its own runs watches only those', async (t) => {
  const made = await service.post('/tokens', { name: 'own', read: 'own' })
  const { token } = (await made.json()) as { token: string }
  const socket = await openSocket(service.url, token)
  socket.send({ type: 'watch_runs' })
  socket.send({ type: 'ping' })
  await socket.next(({ type }) => type === 'pong')
  const other = await background({ command: 'sleep 73' })
  const own = await background({ command: 'true' }, token)
  t.equal((await live(token)).filter(([id]) => id === other).length, 0)
  await cancel(other)
  t.ok(await until(() => stepsOf(socket, own).at(-1) === 'completed'))
  t.strictSame(stepsOf(socket, other), [])
  await socket.close()
})

t.test('watch_runs reports a pending approval and its answer, also to a token that cannot answer', async (t) => {
  const made = await service.post('/tokens', { name: 'asker', read: 'own', policy: 'supervised' })
  const { token } = (await made.json()) as { token: string }
  const socket = await openSocket(service.url, token)
  socket.send({ type: 'watch_runs' })
  const reported = (isIt: (run: ExecRecord) => boolean) =>
    until(() => socket.messages.some(({ run }) => run && isIt(run as ExecRecord)))
  const path = join(mkdtempSync(join(tmpdir(), 'wire-runs-')), 'file')
  writeFileSync(path, 'old')
  const body = JSON.stringify({ path, edits: [{ old: 'old', new: 'new' }] })
  const headers = { 'content-type': 'application/json' }
  const edited = service.request('/files/edit', { method: 'POST', token, body, headers })
  t.ok(await reported((run) => run.pending_approval !== undefined), 'after the preview of a change')
  const answer = async (decision: string) => {
    const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }
    await service.post(`/approvals/${approvals[0]!.id}`, { decision })
  }
  await answer('deny')
  await edited
  const running = await background({ command: 'sleep 74' })
  const waiting = await background({ command: 'touch waiting' }, token)
  t.ok(await reported(({ id, pending_approval: pending }) => id === waiting && pending !== undefined))
  await answer('approve')
  const isApproved = ({ id, status, pending_approval: pending, approval }: ExecRecord) =>
    id === waiting && status === 'queued' && pending === undefined && approval?.outcome === 'approved'
  t.ok(await reported(isApproved), 'while it waits for a slot')
  await cancel(waiting)
  await cancel(running)
  await socket.close()
})

t.test('a watcher that does not read costs bounded memory', async (t) => {
  const sockets = []
  for (let n = 0; n < 8; n++) {
    const socket = (await openRawWebSocket(service.port, service.token)).pause()
    socket.write(frame(1, '{"type":"watch_runs"}'))
    sockets.push(socket)
  }
  const reader = await service.socket()
  reader.send({ type: 'watch_runs' })
  const command = `: ${'x'.repeat(100_000)}`
  const grown = await growthDuring(service, async () => {
    for (let n = 0; n < 100; n++) await service.exec({ command })
    const { id } = await service.exec({ command: 'true' })
    t.ok(await until(() => stepsOf(reader, id).at(-1) === 'completed'), 'a reader receives each step')
  })
  await reader.close()
  t.ok(grown < 96, `memory grew by ${grown.toFixed(0)} MiB`)
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map(closed))
})
