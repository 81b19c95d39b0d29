import t from 'tap'
import { until, wants } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, enrol, startPlane } from '../support/plane.ts'

wants(t, noBroker)

const broker = await startBroker()
const plane = await startPlane(broker)
const other = await startPlane(broker, { plane: plane.file })
const credentials = await enrol(plane, 'pixel')
let pixel = await addPhone(plane, broker, 'pixel', { credentials })
t.teardown(async () => {
  await pixel.stop()
  await Promise.all([plane.close(), other.close()])
  await broker.stop()
})

t.test('a killed phone is offline in the lists of all planes as soon as a request finds it offline', async (t) => {
  const listed = async (at: typeof plane) => (await at.get('/phones')).phones[0]
  t.ok(await until(async () => (await listed(other)).online))
  await pixel.kill('SIGKILL')
  t.ok(await until(async () => (await plane.request('/phones/pixel/health')).status === 503))
  t.match(await listed(plane), { online: false }, 'the plane that sent the request')
  t.ok(await until(async () => !(await listed(other)).online), 'a plane that sent no request')
  t.match(await (await plane.request('/metrics')).text(), /phones\{state="online"\} 0/)

  pixel = await addPhone(plane, broker, 'pixel', { credentials })
  t.ok(await until(async () => (await listed(other)).online), 'it is online again after its next message')
})
