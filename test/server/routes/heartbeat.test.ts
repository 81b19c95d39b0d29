import { once } from 'node:events'
import t from 'tap'
import WebSocket from 'ws'
import { startService, until } from '../../support/helper.ts'

/** Makes intervals of 15 s or more five times as short in the service: a peer on a busy machine must answer within one. */
const quicker = `const setSlow = globalThis.setInterval
globalThis.setInterval = (call, ms, ...more) => setSlow(call, ms >= 15_000 ? ms / 5 : ms, ...more)`
const service = await startService({
  node: [`--import=data:text/javascript,${encodeURIComponent(quicker)}`],
  env: { SHELLPHONE_TIMEOUT_SECONDS: '3600', SHELLPHONE_MAX_TIMEOUT_SECONDS: '3600' },
})
t.teardown(() => service.stop())

t.test('disconnects a peer that answers no ping and ends its runs; keeps one that answers', async (t) => {
  const headers = { authorization: `Bearer ${service.token}` }
  const open = async (autoPong: boolean) => {
    const raw = new WebSocket(`${service.url.replace('http', 'ws')}/ws`, { headers, autoPong })
    await once(raw, 'open')
    return raw
  }
  const answering = await open(true)
  const deaf = await open(false)
  deaf.send(JSON.stringify({ type: 'exec', command: 'sleep 3000' }))
  t.ok(await until(() => deaf.readyState === WebSocket.CLOSED), 'cut')
  t.ok(
    await until(async () => ((await (await service.request('/runs')).json()) as Runs).runs[0]?.status === 'canceled'),
  )
  t.equal(answering.readyState, WebSocket.OPEN)
  answering.terminate()
})

interface Runs {
  runs: { status: string }[]
}

t.test('an idle stream sends comments', async (t) => {
  const reply = await service.post('/exec', { command: 'sleep 3000' }, { accept: 'text/event-stream' })
  let said = ''
  for await (const text of reply.body!.pipeThrough(new TextDecoderStream())) {
    said += text
    if (/(: keep-alive\n\n){2}/.test(said)) break
  }
  t.match(said, /(: keep-alive\n\n){2}$/)
})
