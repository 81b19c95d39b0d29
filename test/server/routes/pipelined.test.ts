import { Agent, request } from 'node:http'
import t from 'tap'
import { createLedger } from '../../../src/server/routes/bounds.ts'
import { startService, until, processesWith } from '../../support/helper.ts'
import { closed, openRaw, requestText } from '../../support/raw-client.ts'

t.test('past the limit, the idle client is disconnected; if none is idle, the one that began first', async (t) => {
  const one = { name: 'one' }
  const two = { name: 'two' }
  const three = { name: 'three' }
  const cut: object[] = []
  let nowMs = 0
  const ledger = createLedger<object>(
    10,
    (client) => cut.push(client),
    () => nowMs,
  )
  for (const client of [one, two, three]) ledger.note(client, 3, true)
  ledger.note(one, 4, true)
  t.strictSame(cut, [], 'there is room for all')
  ledger.note(two, 4, true)
  t.strictSame(cut, [one], 'all move: the newest is not cut, though it moved last of all')
  ledger.note(three, 1, true)
  nowMs += 300
  ledger.note(two, 6, true)
  ledger.note(one, 4, true)
  t.strictSame(cut, [one, three], 'one is still: it goes, though another began before')
})

t.test('pipelined requests are answered in order, one after the other', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const socket = await openRaw(service.port)
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  const post = (command: string) => {
    const body = JSON.stringify({ command })
    const more = `Accept: text/plain\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    return requestText(service, 'POST /exec', more) + body
  }
  const end = closed(socket)
  socket.write(['sleep 0.2; echo one', 'echo two', 'echo three'].map(post).join(''))
  socket.write(requestText(service, 'GET /health', 'Connection: close\r\n'))
  await end
  t.match(received, /one[^]*two[^]*three[^]*"status":"ok"/)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const status = await new Promise((resolve) =>
    request({ host: '127.0.0.1', port: service.port, path: '/health', agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).end(),
  )
  t.equal(status, 200)
  agent.destroy()

  const { id } = await service.exec({ command: 'sleep 7807', background: true })
  const leaver = await openRaw(service.port)
  leaver.write(post('sleep 7806') + requestText(service, `DELETE /runs/${id}`))
  t.ok(await until(() => processesWith('sleep 7806').length > 0))
  leaver.destroy()
  t.ok(await until(() => processesWith('sleep 7806').length === 0))
  await service.exec({ command: 'true' })
  t.not(processesWith('sleep 7807').length, 0, 'what waits for its turn is not done when its client has gone')
})
