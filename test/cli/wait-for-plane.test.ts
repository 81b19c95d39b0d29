import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { waitForPlane } from '../../src/cli/subcommands/wait-for-plane.ts'
import { freePort } from '../support/helper.ts'

t.test('waits for a control plane that begins to listen', async (t) => {
  const port = await freePort()
  let isListening = false
  const waiting = waitForPlane('127.0.0.1', port, () => {}).then(() => isListening)
  const server = createServer()
  t.teardown(() => server.close())
  server.listen(port, '127.0.0.1', () => (isListening = true))
  await once(server, 'listening')
  t.equal(await waiting, true)
})

t.test('says what it waits for', async (t) => {
  const port = await freePort()
  const server = createServer()
  t.teardown(() => server.close())
  const printed: string[] = []
  await waitForPlane('127.0.0.1', port, (line) => {
    printed.push(line)
    server.listen(port, '127.0.0.1')
  })
  t.same(printed, [`waiting for the control plane at http://127.0.0.1:${port}`])
})

t.test('does not wait for an address that fails in another way', async (t) => {
  await waitForPlane('nobody.invalid', 1, (line) => t.fail(line))
  t.pass('the request itself reports the error')
})
