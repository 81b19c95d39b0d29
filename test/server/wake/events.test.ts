import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { RunEvents, StoredRunEvent } from '../../../src/server/store/index.ts'
import { followEvents, toTypes } from '../../../src/server/wake/index.ts'
import { watchedService } from '../../support/ask.ts'
import { type Service, type ServiceOptions, soon, startService } from '../../support/helper.ts'
import { type SseEvent, sseEvents } from '../../support/sse.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-events-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

interface WakeData {
  type: string
  timestamp: string
  data: { run_id: string; status: string; exit_code: number | null }
}

/** An open stream of GET /events. */
interface Stream {
  status: number
  /** the id to resume from before the first event */
  start: string
  next(): Promise<SseEvent & { data: WakeData }>
  /** whether the service has ended the stream */
  ended(): Promise<boolean>
  close(): void
}

/** Opens the stream. Resolves when the service follows the events. */
async function follow(service: Service, { query = '', from = '', token = service.token } = {}): Promise<Stream> {
  const gone = new AbortController()
  const headers: Record<string, string> = from === '' ? {} : { 'last-event-id': from }
  const response = await service.request(`/events${query}`, { token, headers, signal: gone.signal })
  const [body, copy] = response.body!.tee()
  const first = new TextDecoder().decode((await copy.getReader().read()).value)
  const events = sseEvents(new Response(body))
  return {
    status: response.status,
    start: /^id: (.*)\n\n/.exec(first)?.[1] ?? '',
    next: async () => (await soon(events.next())).value as SseEvent & { data: WakeData },
    ended: async () => (await soon(events.next())).done === true,
    close: () => gone.abort(),
  }
}

async function startHere(t: Test, options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options)
  t.teardown(() => service.stop())
  return service
}
type Test = Parameters<Parameters<typeof t.test>[0]>[0]

const tokenOf = async (service: Service, name: string, rights: object = {}) =>
  ((await (await service.post('/tokens', { name, ...rights })).json()) as { token: string }).token

t.test('reports the end of each run, without command and output', async (t) => {
  const service = await startHere(t)
  const stream = await follow(service)
  const { id } = await service.exec({ command: 'echo secret; exit 3' })
  const event = await stream.next()
  t.equal(event.event, 'run.ended')
  t.same(event.data, {
    type: 'run.ended',
    timestamp: event.data.timestamp,
    data: { run_id: id, status: 'failed', exit_code: 3 },
  })
  const denied = await service.exec({ command: 'rm -rf /' })
  t.match((await stream.next()).data.data, { run_id: denied.id, status: 'denied', exit_code: null })
  const record = await (await service.request(`/runs/${denied.id}`)).json()
  t.match(record, { status: 'denied' }, 'the record already says so')
  stream.close()
})

t.test('reports an approval request and its answer before the end', async (t) => {
  const { service, ask } = await watchedService(t)
  const stream = await follow(service)
  const { question, answered } = await ask(`touch ${folder}/asked`)
  const data = { run_id: question.run_id, status: 'queued', exit_code: null }
  t.match((await stream.next()).data, { type: 'run.asked', data })
  await service.post(`/approvals/${question.id}`, { decision: 'approve' })
  t.match((await stream.next()).data, { type: 'run.answered', data })
  t.match((await stream.next()).data, { type: 'run.ended', data: { ...data, status: 'completed', exit_code: 0 } })
  await answered
  const again = await follow(service, { from: stream.start, query: '?types=run.answered,run.ended' })
  t.match(
    [(await again.next()).event, (await again.next()).event],
    ['run.answered', 'run.ended'],
    'also from the history',
  )
  stream.close()
  again.close()
})

t.test('reports only the runs that the token may read', async (t) => {
  const service = await startHere(t)
  const [own, all] = [await tokenOf(service, 'own'), await tokenOf(service, 'all', { read: 'all' })]
  const streams = [await follow(service, { token: own }), await follow(service, { token: all })] as const
  const others = await service.exec({ command: 'true' })
  const sent = await service.request('/exec', {
    ...{ method: 'POST', token: own, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ command: 'true' }),
  })
  const { id } = (await sent.json()) as { id: string }
  t.equal((await streams[0].next()).data.data.run_id, id)
  t.equal((await streams[1].next()).data.data.run_id, others.id)
  t.equal((await streams[1].next()).data.data.run_id, id)
  const resumed = await follow(service, { token: own, from: streams[1].start })
  t.equal((await resumed.next()).data.data.run_id, id, 'also from the history')
  for (const stream of [...streams, resumed]) stream.close()
})

t.test('resumes from Last-Event-ID after a restart, and after kill -9', async (t) => {
  const home = mkdtempSync(join(folder, 'home-'))
  const before = await startService({ home })
  const stream = await follow(before)
  const ids = [(await before.exec({ command: 'true' })).id, (await before.exec({ command: 'exit 2' })).id]
  const [first, second] = [await stream.next(), await stream.next()]
  t.same([first.data.data.run_id, second.data.data.run_id], ids)
  const background = await before.post('/exec', { command: 'sleep 1000', background: true })
  const live = ((await background.json()) as { id: string }).id
  await (await before.request(`/runs/${live}/events`)).body!.getReader().read() // it is running
  await before.kill('SIGKILL')
  const service = await startHere(t, { home })
  const resumed = await follow(service, { from: first.lastEventId })
  t.same((await resumed.next()).data, second.data, 'the event after the last one')
  t.match((await resumed.next()).data.data, { run_id: live, status: 'failed', exit_code: null }, 'the interrupted run')
  const { id } = await service.exec({ command: 'true' })
  const next = await resumed.next()
  t.equal(next.data.data.run_id, id, 'then the live events, each once')
  const [segment, offset] = next.lastEventId.split('.').map(Number)
  for (const from of [`${segment! + 1}.0`, `${segment}.${offset! + 1e6}`, '0.1']) {
    const gone = await service.request('/events', { headers: { 'last-event-id': from } })
    t.equal(gone.status, 410, `${from} is not in the history`)
    t.match(await gone.json(), { error: { type: 'expired' } })
  }
  resumed.close()
})

t.test('without a stored history, events have no ids', async (t) => {
  const service = await startHere(t, { env: { SHELLPHONE_HISTORY: 'false' } })
  const gone = new AbortController()
  const response = await service.request('/events', { signal: gone.signal })
  await service.exec({ command: 'true' })
  t.match(await sseEvents(response).next(), { value: { event: 'run.ended', lastEventId: '' } })
  gone.abort()
  t.equal((await service.request('/events', { headers: { 'last-event-id': '1.1' } })).status, 410)
})

t.test('refuses a bad query and a bad Last-Event-ID', async (t) => {
  const service = await startHere(t)
  const types = /^types: expected run.asked, run.answered, run.ended, separated by commas, got "/
  for (const [path, id, message] of [
    ['/events?types=run.started', '', types],
    ['/events?types=', '', types],
    ['/events?other=1', '', /other/],
    ['/events', 'x', /^Last-Event-ID: expected the id of an event, SEGMENT.OFFSET, got "x"/],
    ['/events', '1.2.3', /^Last-Event-ID: /],
    ['/events', '-1.0', /^Last-Event-ID: /],
  ] as const) {
    const response = await service.request(path, { headers: id === '' ? {} : { 'last-event-id': id } })
    t.equal(response.status, 400, `${path} ${id}`)
    t.match(await response.json(), { error: { type: 'validation_error', message } })
  }
})

t.test('limits the streams of one token, so that others get one', async (t) => {
  const service = await startHere(t)
  const token = await tokenOf(service, 'greedy')
  const streams: Stream[] = []
  let stream = await follow(service, { token })
  for (; stream.status === 200; stream = await follow(service, { token })) streams.push(stream)
  t.equal(streams.length, 32)
  t.equal(stream.status, 503)
  const others = await follow(service)
  t.equal(others.status, 200)
  for (const one of [...streams, others]) one.close()
})

/** A history whose events the test makes. */
function fakeEvents() {
  let listener = (_event: StoredRunEvent) => {}
  const past: StoredRunEvent[] = []
  const events: RunEvents = {
    newest: () => ({ segment: 1, offset: 0 }),
    subscribe: (listen) => ((listener = listen), () => (listener = () => {})),
    async *after() {
      yield* past
    },
  }
  const event = (offset: number): StoredRunEvent => ({
    ...{ type: 'run.ended', run_id: String(offset), status: 'completed', exit_code: 0, at: '' },
    ...{ started_at: null, ended_at: null, position: { segment: 1, offset } },
  })
  return { events, past, event, emit: (offset: number) => listener(event(offset)) }
}
const all = toTypes(undefined)

t.test('does not repeat live events that the history contained', async (t) => {
  const { events, past, event, emit } = fakeEvents()
  const gone = new AbortController()
  const { feed } = followEvents(events, { from: { segment: 1, offset: 0 }, types: all }, gone.signal)
  past.push(event(1), event(2))
  for (const offset of [1, 2, 3]) emit(offset)
  const ids: (string | null)[] = []
  for (let count = 0; count < 3; count++) ids.push((await feed.next()).value!.id)
  t.same(ids, ['1.1', '1.2', '1.3'])
  gone.abort()
  t.match(await feed.next(), { done: true })
})

t.test('ends the stream of a reader that falls behind', async (t) => {
  const { events, emit } = fakeEvents()
  const { feed } = followEvents(events, { from: null, types: all }, new AbortController().signal)
  const first = feed.next()
  for (let offset = 1; offset <= 1002; offset++) emit(offset)
  t.match(await first, { done: true }, 'it resumes from its last event')
})
