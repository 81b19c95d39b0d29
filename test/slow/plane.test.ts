import { createHash } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { wants } from '../support/helper.ts'
import { linkProxy } from '../support/link-proxy.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, json, startPlane } from '../support/plane.ts'
import { readOverCuts } from '../support/plane-floods.ts'

wants(t, noBroker)

const MIB = 1_048_576
const broker = await startBroker()
const plane = await startPlane(broker)
const link = await linkProxy(Number(new URL(broker.url).port))
const far = { ...broker, url: `nats://127.0.0.1:${link.port}` }
const pixel = await addPhone(plane, far, 'pixel', { env: { SHELLPHONE_POLICY: 'open' } })
t.teardown(async () => {
  await pixel.stop()
  await plane.close()
  link.close()
  await broker.stop()
})
const exec = async (command: string) =>
  json(await plane.post('/phones/pixel/exec', { command, max_length: 1000, timeout_seconds: 600 }))

t.test('reads 64 MiB through windows over 10 cuts, every byte once', (t) =>
  readOverCuts(t, { plane, name: 'pixel', link, mib: 64, cutMib: 5 }),
)

t.test('transfers files that are longer than one response', async (t) => {
  const path = join(t.testdir(), 'big')
  const { stdout } = await exec(`head -c ${40 * MIB} /dev/urandom > ${path} && sha256sum < ${path}`)
  const answer = await plane.request(`/phones/pixel/files?${new URLSearchParams({ path })}`)
  t.equal(answer.status, 200)
  const hash = createHash('sha256').update(new Uint8Array(await answer.arrayBuffer()))
  t.equal(hash.digest('hex'), stdout.slice(0, 64))
})
