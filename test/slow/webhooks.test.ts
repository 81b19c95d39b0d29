import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { OWNER } from '../../src/shared/schema/index.ts'
import {
  createEvents,
  openWorld,
  pick,
  type Received,
  reply,
  type Respond,
  startReceiver,
  tryOf,
} from '../server/wake/webhook-world.ts'
import { type Service, startService, until } from '../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-webhooks-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const runOf = ({ body }: Received) => (JSON.parse(body) as { data: { run_id: string } }).data.run_id

t.test(
  '1000 deliveries through a receiver that fails, hangs, redirects and restarts arrive at least once',
  async (t) => {
    const inner = await startReceiver(reply(200)) // an address to which nothing may be sent
    const accepted = new Set<string>()
    const hanging = new Set<string>()
    // the answer to the first two tries depends on the message
    const respond: Respond = (received, nth, response) => {
      const answer =
        nth > 2 ? 'accept' : ['fail', 'hang', 'redirect', 'cut', 'accept'][pick(`${received.id} ${nth}`, 5)]
      if (answer === 'hang') return void hanging.add(tryOf(received))
      if (answer === 'cut') return void response.destroy()
      if (answer === 'redirect') return void response.writeHead(307, { location: inner.url }).end()
      if (answer === 'accept') accepted.add(runOf(received))
      response.writeHead(answer === 'accept' ? 200 : 500).end()
    }
    let receiver = await startReceiver(respond)
    const { events, end } = createEvents()
    let world = openWorld(folder, events, [receiver.host])
    // only tries that hang reach their time limit, however slow the machine is
    const moveOn = () => [...world.open].every((one) => hanging.has(one)) && world.clock.move(15_000)
    world.webhooks.start()
    t.teardown(() => Promise.all([world.webhooks.close(), receiver.close(), inner.close()]))
    world.webhooks.put('a', { url: receiver.url }, OWNER)
    for (let run = 0; run < 500; run++) end(`run-${run}`)
    await until(() => {
      moveOn()
      return accepted.size > 20
    })
    await receiver.close()
    hanging.clear()
    for (let run = 500; run < 750; run++) end(`run-${run}`)
    await until(() => world.webhooks.get('a', OWNER).deliveries.some(({ error }) => /ECONN/.test(error ?? '')))
    // the service stops while the receiver is down, and misses events
    await world.webhooks.close()
    for (let run = 750; run < 1000; run++) end(`run-${run}`)
    const restarted = await startReceiver(respond, receiver.port)
    restarted.received.unshift(...receiver.received)
    receiver = restarted
    world = openWorld(folder, events, [receiver.host], { clock: world.clock })
    world.webhooks.start()
    await until(() => world.webhooks.get('a', OWNER).waiting > 0)
    const waiting = () => world.webhooks.get('a', OWNER).waiting
    // each wait is for one event less: the machine may be busy
    for (let left = waiting(); left > 0; left = waiting()) {
      await until(() => {
        moveOn()
        return waiting() < left
      })
    }
    t.same(accepted, new Set(Array.from({ length: 1000 }, (_, run) => `run-${run}`)))
    t.equal(inner.received.length, 0, 'nothing followed a redirect')
    t.equal(new Set(receiver.received.map(({ id }) => id)).size, 1000, 'each event has one id')
    t.match(world.webhooks.get('a', OWNER), { dropped: 0, waiting: 0 })
    t.comment(`${receiver.received.length} tries`)
  },
)

/** Verifies the signature with the reference library. */
const isSigned = ({ headers, body }: Received, secret: string) => {
  new Webhook(secret).verify(body, headers as Record<string, string>)
  return true
}

const put = async (service: Service, body: object) => {
  const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return ((await (await service.request('/webhooks/ci', init)).json()) as { secret: string }).secret
}

t.test('standardwebhooks verifies each message, also with an old secret', async (t) => {
  const receiver = await startReceiver(reply(200))
  const service = await startService({ env: { SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]) } })
  t.teardown(() => Promise.all([service.stop(), receiver.close()]))
  const first = await put(service, { url: receiver.url })
  await service.exec({ command: 'true' })
  await until(() => receiver.received.length === 1)
  const second = await put(service, { url: receiver.url, rotate_secret: true })
  await service.exec({ command: 'true' })
  await until(() => receiver.received.length === 2)
  const [before, after] = receiver.received as [Received, Received]
  t.ok(isSigned(before, first))
  t.throws(() => isSigned(before, second))
  t.ok(isSigned(after, first), 'the old secret is still valid')
  t.ok(isSigned(after, second))
  t.throws(() => isSigned({ ...after, body: after.body.replace('run.ended', 'run.asked') }, second))
})

t.test('kill -9 of the service loses no event', async (t) => {
  let isHanging = true
  const receiver = await startReceiver((_received, _nth, response) => void (isHanging || response.writeHead(200).end()))
  const home = mkdtempSync(join(folder, 'home-'))
  const env = { SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]) }
  const killed = await startService({ home, env })
  t.teardown(() => killed.stop())
  const secret = await put(killed, { url: receiver.url })
  const ids: string[] = []
  for (let run = 0; run < 20; run++) ids.push((await killed.exec({ command: 'true' })).id)
  const background = await killed.post('/exec', { command: 'sleep 1000', background: true })
  ids.push(((await background.json()) as { id: string }).id)
  await until(() => receiver.received.length === 2)
  await killed.kill('SIGKILL')
  isHanging = false
  const service = await startService({ home, env })
  t.teardown(() => Promise.all([service.stop(), receiver.close()]))
  const arrived = () => new Set(receiver.received.slice(2).map(runOf))
  await until(() => arrived().size === ids.length)
  t.same([...arrived()].sort(), ids.sort(), 'also the end of the run that the kill interrupted')
  t.ok(receiver.received.every((one) => isSigned(one, secret)))
})
