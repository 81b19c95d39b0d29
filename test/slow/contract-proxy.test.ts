import { spawn } from 'node:child_process'
import t from 'tap'
import { freePort, root, startService, until } from '../support/helper.ts'

const service = await startService()
t.teardown(() => service.stop())
const port = await freePort()
// one for all tests, because it takes seconds to start
const prism = spawn(process.execPath, [
  `${root}/test/slow/node_modules/@stoplight/prism-cli/dist/index.js`,
  ...['proxy', `${root}/openapi.yaml`, service.url, '--port', String(port), '--host', '127.0.0.1'],
])
t.teardown(() => void prism.kill())
let said = ''
prism.stdout.on('data', (chunk) => (said += chunk))
prism.stderr.on('data', (chunk) => (said += chunk))
t.ok(await until(() => said.includes('Prism is listening')), 'Prism forwards to the service')

/** The response through the proxy, and the violations of the contract in it or in the request. */
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${service.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  return { status: response.status, text: await response.text(), violations: response.headers.get('sl-violations') }
}

t.test('a contract proxy finds no violation', async (t) => {
  const { id } = await service.exec({ command: 'echo out; echo err >&2' })
  const noRun = '01m808gre5000mhvbe2gtwpcnj'
  /** [method, path, body, status, headers] */
  const rows: [string, string, unknown, number, Record<string, string>?][] = [
    ['POST', '/exec', { command: 'echo hi' }, 200],
    ['POST', '/exec', { command: 'echo hi', timeout_seconds: '5', max_length: '100' }, 200],
    ['POST', '/exec', { command: 'exit 3', encoding: 'base64' }, 200],
    ['POST', '/exec', { command: 'rm -rf /' }, 403],
    ['POST', '/exec', { command: 'true', background: true }, 202],
    ['POST', '/exec', { command: 'true' }, 401, { authorization: 'Bearer wrong' }],
    ['POST', '/exec', { command: 'true' }, 403, { origin: 'https://evil.example' }],
    ['GET', '/runs', undefined, 200],
    ['GET', '/runs?status=live&limit=3', undefined, 200],
    ['GET', `/runs/${id}`, undefined, 200],
    ['GET', `/runs/${noRun}`, undefined, 404],
    ['DELETE', `/runs/${id}`, undefined, 200],
    ['POST', `/runs/${id}/stdin`, { data: 'x' }, 409],
    ['GET', `/runs/${id}/stdin`, undefined, 409],
    ['POST', `/runs/${id}/signal`, { signal: 'INT' }, 409],
    ['GET', '/health', undefined, 200],
    ['GET', '/dialects', undefined, 200],
    ['POST', '/exec/picoclaw', { command: 'echo hi' }, 200],
    ['POST', '/exec/none', {}, 404],
    ['POST', '/policy/check', { command: 'rm -rf x' }, 200],
    ['GET', '/approvals', undefined, 200],
    ['POST', '/approvals/none', { decision: 'deny' }, 404],
    ['GET', '/tokens', undefined, 200],
  ]
  for (const [method, path, body, status, headers] of rows) {
    const answer = await ask(method, path, body, headers)
    const name = `${method} ${path} ${JSON.stringify(body)?.slice(0, 60) ?? ''}: ${status}`
    t.equal(answer.status, status, `${name} ${answer.text.slice(0, 200)}`)
    t.equal(answer.violations, null, name)
  }
  const wrong = await ask('POST', '/exec', { comand: 'x' })
  t.match(wrong.violations, /request/, 'a violation is reported')
})
