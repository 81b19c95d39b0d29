import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { fleetCli } from '../support/plane.ts'

const pending = (phone: string, id: string, command = 'touch x') => ({ phone, id, command, reason: null, rule: null })

/** A control plane that lists `lists` one after the other as pending approvals, and ends each command when it has listed the last of them. */
async function planeThatLists(t: Test, lists: object[][], results: object[]): Promise<string> {
  let [asked, execution] = [0, null as ServerResponse | null]
  const plane = createServer((request, response) => {
    if (request.url === '/exec') {
      execution = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return execution.flushHeaders()
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ approvals: lists[Math.min(asked++, lists.length - 1)], silent: [] }))
    if (asked < lists.length || !execution) return
    for (const result of results) execution.write(`event: phone\ndata: ${JSON.stringify(result)}\n\n`)
    execution.end()
    execution = null
  }).listen(0, '127.0.0.1')
  t.teardown(() => plane.close())
  await once(plane, 'listening')
  return `http://127.0.0.1:${(plane.address() as AddressInfo).port}`
}

t.test('fleet exec says on which phones the command waits for approval, and what continues after --wait', async (t) => {
  const before = [pending('pixel', 'of-another-run'), pending('pixel', 'of-another-command', 'ls')]
  const lists = [before, before, [...before, pending('nexus', 'own')], [...before, pending('nexus', 'own')]]
  const results = [
    { name: 'pixel', state: 'running' },
    { name: 'nexus', state: 'accepted' },
    { name: 'moto', state: 'ended', status: 'completed', exit_code: 0, output: 'hi\n' },
  ]
  const { start } = fleetCli(await planeThatLists(t, lists, results), 'token', t.testdir())
  const { code, out, err } = await start(['fleet', 'exec', '*', 'touch x', '--on', 'fleet']).ended
  t.equal(code, 1)
  t.match(out.toString(), /^pixel +running\nnexus +needs approval\nmoto +ended 0\n {2}hi\n$/)
  t.same(err.trimEnd().split('\n'), [
    'shellphone: nexus: waiting for approval; answer on the phone, or with shellphone fleet approvals approve nexus own --on fleet',
    'shellphone: pixel and 1 more: not finished within the time of --wait; the command continues; see it with shellphone ps --on fleet/pixel',
  ])
})

t.test('fleet exec prints nothing else if nothing waits', async (t) => {
  const url = await planeThatLists(t, [[], []], [{ name: 'pixel', state: 'ended', status: 'completed', exit_code: 0 }])
  const { start } = fleetCli(url, 'token', t.testdir())
  const { code, out, err } = await start(['fleet', 'exec', '*', 'true', '--on', 'fleet']).ended
  t.match({ code, err, out: out.toString() }, { code: 0, err: '', out: /^pixel +ended 0\n$/ })
})
