import t from 'tap'
import { startService, until } from '../../support/helper.ts'
import { closed, frame, openRaw, requestText } from '../../support/raw-client.ts'

const service = await startService()
t.teardown(() => service.stop())

const json = 'Accept: text/plain\r\nContent-Type: application/json\r\n'
const sized = (command: string) => {
  const body = JSON.stringify({ command })
  return requestText(service, 'POST /exec', `${json}Content-Length: ${body.length}\r\n`) + body
}
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = (command: string, stdin = '') => {
  const text = JSON.stringify({ command, stdin })
  const chunks = chunk(text.slice(0, 5)) + chunk(text.slice(5))
  return `${requestText(service, 'POST /exec', `${json}Transfer-Encoding: chunked\r\n`)}${chunks}0\r\n\r\n`
}
const last = requestText(service, 'GET /health', 'Connection: close\r\n')
/** Empty lines in a body look like the end of a head. */
const emptyLines = JSON.stringify({ command: 'echo two' }).replace('{', `{${'\r\n\r\n'.repeat(2000)}`)
const emptyChunks = `${chunk('\r\n'.repeat(100_000))}0\r\n\r\n`

/** [name, bytes that one connection sends] */
const rows: [string, string][] = [
  ['bodies with a length', [sized('echo one'), sized('echo two'), last].join('')],
  ['bodies in chunks', [chunked('echo one'), chunked('echo two'), last].join('')],
  ['a large body between', [sized('echo one'), chunked('wc -c; echo two', 'x'.repeat(300_000)), last].join('')],
  [
    'empty lines in a body',
    sized('echo one') +
      requestText(service, 'POST /exec', `${json}Content-Length: ${emptyLines.length}\r\n`) +
      emptyLines +
      last,
  ],
  [
    'empty lines in a chunk',
    sized('echo one') + chunked('wc -c; echo two', '').replace('0\r\n\r\n', '') + emptyChunks + last,
  ],
  [
    'an expectation',
    sized('echo one') + sized('echo two').replace('Accept:', 'Expect: 100-continue\r\nAccept:') + last,
  ],
]

for (const [name, text] of rows) {
  for (const step of [text.length, 1021, 1]) {
    if (step === 1 && text.length > 2000) continue
    t.test(`${name}, ${step} bytes at once`, async (t) => {
      const socket = (await openRaw(service.port)).setNoDelay(true)
      let received = ''
      socket.on('data', (data) => {
        received += data
      })
      const end = closed(socket)
      for (let at = 0; at < text.length; at += step) {
        socket.write(text.slice(at, at + step))
        if (step < text.length) await new Promise(setImmediate)
      }
      await end
      t.match(received, /^HTTP[^]*one\n[^]*two\n[^]*"status":"ok"/)
    })
  }
}

t.test('a WebSocket may follow a request on its connection, with its first message at once', async (t) => {
  const socket = await openRaw(service.port)
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
  const messages = Array(1000).fill(frame(1, '{"type":"ping"}'))
  const head = sized('echo one') + requestText(service, 'GET /ws', upgrade + key)
  socket.write(Buffer.concat([Buffer.from(head), ...messages]))
  await until(() => received.split('pong').length >= 1001)
  t.match(received, /^HTTP[^]*one\n[^]*101 Switching Protocols/)
  t.equal(received.split('pong').length, 1001)
  socket.destroy()
})

t.test('a client that disconnects after a second request cancels the first', async (t) => {
  const socket = await openRaw(service.port, sized('sleep 30; echo 8841') + sized('echo two'))
  const running = async () => {
    const { runs } = (await (await service.request('/runs?status=running')).json()) as { runs: object[] }
    return runs.length
  }
  await until(async () => (await running()) > 0)
  t.equal(await running(), 1)
  socket.destroy()
  await until(async () => (await running()) === 0)
  t.equal(await running(), 0)
})
