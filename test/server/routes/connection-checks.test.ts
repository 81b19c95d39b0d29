import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import t from 'tap'
import { boundClients } from '../../../src/server/routes/clients.ts'
import { until } from '../../support/helper.ts'

t.test('Node checks for slow clients only while an HTTP client is connected', async (t) => {
  const app = fastify()
  t.teardown(() => app.close())
  boundClients(app, 10)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const timer = Object.getOwnPropertySymbols(app.server).find(
    ({ description }) => description === 'http.server.connectionsCheckingInterval',
  )!
  const everyMs = () => Reflect.get(Reflect.get(app.server, timer), '_idleTimeout')
  const { port } = app.server.address() as AddressInfo
  t.equal(everyMs(), 2 ** 31 - 1, 'never while idle')
  const socket = connect(port, '127.0.0.1')
  await once(app.server, 'connection')
  t.equal(everyMs(), 2000, 'every two seconds with a client')
  socket.destroy()
  t.ok(await until(() => everyMs() === 2 ** 31 - 1), 'never when it has gone')
})
