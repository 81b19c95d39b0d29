import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { OWNER, type Who } from '../../../src/shared/schema/index.ts'
import { until } from '../../support/helper.ts'
import {
  agent,
  createEvents,
  openAll,
  openWorld,
  type Received,
  type Respond,
  START_MS,
  startReceiver,
} from './webhook-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-subscriptions-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
type Test = Parameters<Parameters<typeof t.test>[0]>[0]

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`
const bodyOf = ({ body }: Received) => JSON.parse(body) as Record<string, never>
const isChallenge = (one: Received) => bodyOf(one)['type'] === 'verification'

/** A receiver that repeats challenges and answers events with this status; a history; and webhooks in a home of their own. */
async function openSubscriptions(t: Test, statusOf: (runId: string) => number | null = () => 204, holders: Who[] = []) {
  const respond: Respond = (one, _nth, response) => {
    const body = bodyOf(one)
    if (isChallenge(one)) return void response.end(JSON.stringify({ challenge: body['challenge'] }))
    const status = statusOf(body['data']!['run_id'])
    if (status !== null) response.writeHead(status).end()
  }
  const all = await openAll(t, mkdtempSync(join(folder, 'home-')), respond, holders)
  const { receiver, webhooks } = all
  const events = () => receiver.received.filter((one) => !isChallenge(one))
  const input = {
    ...{ url: receiver.url, name: 'run.ended' as const, session: undefined, secret: secretOf(1) },
    ...{ cursor: null, sinceMs: -Infinity, ttlMs: 3_600_000 as number | null | undefined },
  }
  const subscribe = (more: Partial<typeof input> | { cursor: string } = {}, who: Who = OWNER) =>
    webhooks.subscriptions.subscribe({ ...input, ...more }, who)
  return { ...all, sent: events, subscribe, key: input }
}

t.test('expires after the time that was granted, with what waits', async (t) => {
  const { subscribe, end, sent, webhooks, clock, home } = await openSubscriptions(t, () => 500)
  const minute = 60_000
  for (const [ttlMs, granted] of [
    [0, minute],
    [minute + 1, minute + 1],
    [undefined, 1440 * minute],
    [null, 43_200 * minute],
    [Number.MAX_SAFE_INTEGER, 43_200 * minute],
    [3_600_000, 3_600_000],
  ] as const) {
    t.match(await subscribe({ ttlMs }), { refreshBefore: new Date(START_MS + granted).toISOString() }, String(ttlMs))
  }
  end('run-1')
  await until(() => webhooks.list(OWNER)[0]?.deliveries[0]?.tries === 1)
  clock.move(3_599_999 - clock.now())
  t.equal(webhooks.list(OWNER).length, 1)
  const { length } = sent()
  clock.move(1)
  end('run-2')
  t.same(webhooks.list(OWNER), [])
  clock.move(86_400_000)
  t.equal(sent().length, length, 'nothing more is sent')
  t.same(JSON.parse(readFileSync(join(home, 'webhooks.json'), 'utf8')), { webhooks: [] })
})

t.test('renewing with another secret signs with both', async (t) => {
  const { subscribe, end, sent } = await openSubscriptions(t)
  await subscribe()
  await subscribe({ secret: secretOf(2) })
  end('run-1')
  await until(() => sent().length === 1)
  t.match(sent()[0]!.headers['webhook-signature'], /^v1,\S+ v1,\S+$/)
})

t.test('the cursor never passes an event that waits', async (t) => {
  let status = 500
  const { subscribe, end, sent, webhooks, clock } = await openSubscriptions(t, (run) =>
    run === 'run-1' ? status : 204,
  )
  t.match(await subscribe(), { cursor: '1.0' })
  end('run-1') // at 1.1
  await until(() => webhooks.list(OWNER)[0]?.deliveries[0]?.tries === 1)
  end('run-2')
  await until(() => sent().length === 2)
  t.equal(bodyOf(sent()[0]!)['cursor'], '1.1', 'all events before it have arrived')
  t.equal(bodyOf(sent()[1]!)['cursor'], '1.0', 'run-1 waits')
  t.match(await subscribe(), { cursor: '1.0' })
  status = 204
  clock.move(5_000)
  await until(() => webhooks.list(OWNER)[0]?.waiting === 0)
  t.match(await subscribe(), { cursor: '1.2' })
})

t.test('retries with the same id, and gives up after 413', async (t) => {
  let status = 503
  const { subscribe, end, sent, webhooks, clock } = await openSubscriptions(t, () => status)
  await subscribe()
  end('run-1')
  await until(() => webhooks.list(OWNER)[0]?.deliveries[0]?.tries === 1)
  status = 413
  clock.move(5_000)
  await until(() => webhooks.list(OWNER)[0]?.deliveries[0]?.status === 'failed')
  const [first, second] = sent() as [Received, Received]
  t.equal(first.id, bodyOf(first)['eventId'])
  t.equal(second.id, first.id)
  t.match(webhooks.list(OWNER), [{ status: 'active', waiting: 0, deliveries: [{ id: first.id, tries: 2 }] }])
})

t.test('a subscription that 410 has ended is verified again when it is renewed', async (t) => {
  let status = 410
  const { subscribe, end, sent, webhooks, receiver } = await openSubscriptions(t, () => status)
  await subscribe()
  end('run-1')
  await until(() => webhooks.list(OWNER)[0]?.status === 'gone')
  end('run-2')
  status = 204
  t.match(await subscribe({ cursor: '1.1' }), { truncated: false })
  t.equal(receiver.received.filter(isChallenge).length, 2)
  await until(() => sent().length === 2)
  t.match(bodyOf(sent()[1]!), { data: { run_id: 'run-2' } }, 'since its cursor')
})

t.test('a receiver that hangs has 10 s to answer the challenge', async (t) => {
  const hanging = await startReceiver(() => {})
  const world = openWorld(mkdtempSync(join(folder, 'home-')), createEvents().events, [hanging.host])
  t.teardown(() => hanging.close())
  const { subscriptions } = world.webhooks
  const one = (path: string) =>
    subscriptions.subscribe(
      {
        ...{ url: hanging.url + path, name: 'run.ended', session: undefined, secret: secretOf(1) },
        ...{ cursor: null, sinceMs: 0, ttlMs: null },
      },
      OWNER,
    )
  const results = Array.from({ length: 8 }, (_, count) => one(String(count)))
  await until(() => hanging.received.length === 8)
  t.same(await one('more'), { limit: 'verifications', max: 8 })
  world.clock.move(10_000)
  t.same(await Promise.all(results), Array(8).fill({ fault: 'timeout' }))
  t.same(world.webhooks.list(OWNER), [])
})

t.test('at most 30 verifications a minute reach a host', async (t) => {
  const { subscribe, receiver, webhooks, clock } = await openSubscriptions(t)
  const once = async (count: number) => {
    const result = await subscribe({ url: `${receiver.url}?${count}` })
    for (const { name } of webhooks.list(OWNER)) webhooks.remove(name, OWNER)
    return result
  }
  for (let count = 0; count < 30; count++) t.match(await once(count), { id: /^sub_/ })
  t.same(await once(30), { limit: 'verifications_per_minute', max: 30 })
  clock.move(60_000)
  t.match(await once(31), { id: /^sub_/ })
})

t.test('creates nothing for a token that is revoked while its URL is verified', async (t) => {
  const holders = [agent]
  const { subscribe, webhooks } = await openSubscriptions(t, undefined, holders)
  const result = subscribe({}, agent)
  holders.pop()
  t.same(await result, { revoked: true })
  t.same(webhooks.list(agent), [])
})

t.test('two requests for the same subscription make one', async (t) => {
  const { subscribe, webhooks } = await openSubscriptions(t)
  const [one, other] = await Promise.all([subscribe(), subscribe()])
  t.same(one, other)
  t.equal(webhooks.list(OWNER).length, 1)
})

t.test('does not skip an event that happens while the history is read', async (t) => {
  const { subscribe, end, sent, events } = await openSubscriptions(t)
  end('run-1')
  const { after } = events
  events.after = async function* (position) {
    yield* after(position)
    end('run-2')
  }
  await subscribe({ cursor: '1.0' })
  await until(() => sent().length === 2)
  t.same(
    sent().map((one) => bodyOf(one)['data']!['run_id']),
    ['run-1', 'run-2'],
  )
})
