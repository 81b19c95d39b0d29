import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { soon, startService, until } from '../../support/helper.ts'
import { growthDuring, MiB, openMany, openRaw, requestText } from '../../support/raw-client.ts'
import { sseEvents } from '../../support/sse.ts'

const service = await startService({ env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '4194304' } })
t.teardown(() => service.stop())

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  trailers: NodeJS.Dict<string>
  body: Buffer
}

/** receives the head of a response before the body is complete */
let onHeaders: (headers: IncomingMessage['headers']) => void = () => {}
/** receives the first chunk before the body is complete */
let onChunk: () => void = () => {}

/** Sends a request like curl's; resolves with the raw bytes and trailers of the response. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  body?: string,
  method = body === undefined ? 'GET' : 'POST',
  of = service,
) {
  return new Promise<Answer>((resolve, reject) => {
    const options = {
      port: of.port,
      path,
      method,
      headers: { authorization: `Bearer ${of.token}`, ...headers },
    }
    const request = httpRequest(options, async (response) => {
      onHeaders(response.headers)
      const chunks: Buffer[] = []
      try {
        for await (const chunk of response) {
          chunks.push(chunk)
          onChunk()
        }
      } catch (error) {
        return reject(new Error('cut', { cause: error }))
      }
      const { statusCode: status = 0, headers, trailers } = response
      resolve({ status, headers, trailers, body: Buffer.concat(chunks) })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const bytesOf = (command: string, more: Record<string, string> = {}) =>
  ask('/exec', { accept: 'application/octet-stream', 'content-type': 'text/plain', ...more }, command)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const record = async (id: unknown, wait = 0) =>
  (await (await service.request(`/runs/${id}?wait_seconds=${wait}`)).json()) as ExecRecord
async function background(body: object): Promise<string> {
  const response = await service.post('/exec', { ...body, background: true })
  return ((await response.json()) as ExecRecord).id
}
const errorOf = ({ body }: Answer) => (JSON.parse(body.toString()) as { error: { type: string; field?: string } }).error

t.test('Accept: application/octet-stream returns raw stdout live and complete, then the exit code', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-curl-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const go = join(folder, 'go')
  // the command ends only after its first bytes have arrived
  onChunk = () => writeFileSync(go, '')
  const live = await soon(
    bytesOf(String.raw`printf 'a\377'; until [ -e ${go} ]; do sleep 0.05; done; echo no >&2; printf b; exit 7`),
  )
  onChunk = () => {}
  t.equal(live.status, 200)
  t.strictSame(live.body, Buffer.from('a\xffb', 'latin1'))
  t.strictSame(live.trailers, { 'exit-code': '7', 'run-status': 'failed' })
  t.hasStrict(await record(live.headers['run-id']), { exit_code: 7, stderr: 'no\n' })

  const total = 12 * MiB
  const large = await bytesOf(`seq 1 100000000 | head -c ${total}; seq 1 700000 >&2`)
  t.equal(large.body.length, total, 'past what is kept of a run, though stderr is, too')
  t.hasStrict(await record(large.headers['run-id']), { stdout_sha256: sha256(large.body), stdout_bytes: total })
  t.strictSame(large.trailers, { 'exit-code': '0', 'run-status': 'completed' })

  /** [command, body, trailers] */
  const rows: [string, string, object][] = [
    ['true', '', { 'exit-code': '0', 'run-status': 'completed' }],
    ['echo fast', 'fast\n', { 'exit-code': '0', 'run-status': 'completed' }],
    ['kill -9 $$', '', { 'exit-code': '-1', 'run-status': 'failed' }],
  ]
  for (const [command, body, trailers] of rows) {
    const answer = await bytesOf(command)
    t.strictSame([answer.status, answer.body.toString(), answer.trailers], [200, body, trailers], command)
  }
  const old = await openRaw(
    service.port,
    `POST /exec HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\nAccept: application/octet-stream\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\necho old`,
  )
  let text = ''
  old.on('data', (chunk) => (text += chunk))
  t.ok(await until(() => text.endsWith('\r\n\r\nold\n')), 'HTTP/1.0')
})

t.test('a reader that stops reading slows the command down; one that disconnects ends it', async (t) => {
  const head = requestText(
    service,
    'POST /exec',
    'Accept: application/octet-stream\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n',
  )
  const sockets = await openMany(4, () => openRaw(service.port, `${head}cat /dev/zero`))
  const running = async () =>
    ((await (await service.request('/runs?status=running')).json()) as { runs: { id: string }[] }).runs
  const isFull = async () => {
    const records = await Promise.all((await running()).map(({ id }) => record(id)))
    return records.length === 4 && records.every(({ stdout_bytes }) => stdout_bytes > 4 * MiB)
  }
  t.ok(await until(isFull), 'more than is kept has come')
  // meanwhile another run prints so much that four copies of it in memory would be noticed
  const grown = await growthDuring(service, async () => {
    const other = await service.exec({ command: 'head -c 32000000 /dev/zero', max_length: 10 })
    t.equal(other.status, 'completed', 'others are served')
  })
  t.ok(grown < 64, `memory grew by ${grown.toFixed(0)} MiB`)
  for (const socket of sockets) socket.destroy()
  t.ok(await until(async () => (await running()).length === 0))
})

t.test('a text/plain body is the command', async (t) => {
  const answer = await ask('/exec', { 'content-type': 'text/plain; charset=utf-8' }, 'echo "grüße"\nexit 3')
  t.hasStrict(JSON.parse(answer.body.toString()), { stdout: 'grüße\n', exit_code: 3, command: 'echo "grüße"\nexit 3' })
  /** [what, body, headers, status, error] */
  const rows: [string, string, Record<string, string>, number, string][] = [
    ['an empty one', '', { 'content-type': 'text/plain' }, 400, 'validation_error'],
    ['a blank one', ' \n', { 'content-type': 'text/plain' }, 400, 'validation_error'],
    ['NUL', 'a\0b', { 'content-type': 'text/plain' }, 400, 'validation_error'],
    ['2 MiB', 'x'.repeat(2 * MiB), { 'content-type': 'text/plain' }, 413, 'too_large'],
    ['another type', 'echo', { 'content-type': 'text/html' }, 415, 'unsupported_media_type'],
    ['a form', 'echo', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
  ]
  for (const [what, body, headers, status, type] of rows) {
    const refused = await ask('/exec', headers, body)
    t.strictSame([refused.status, errorOf(refused).type], [status, type], what)
  }
  const form = await ask('/exec', { 'content-type': 'application/x-www-form-urlencoded' }, 'echo')
  t.match(form.body.toString(), /application\/json \(curl --json sends it\); POST \/exec also accepts .* text\/plain"/)
  const elsewhere = await ask('/policy/check', { 'content-type': 'text/plain' }, 'echo')
  t.equal(elsewhere.status, 415, 'of POST /exec alone')
})

t.test('returns the record of a denied command, and reports a pending approval at once', async (t) => {
  const denied = await bytesOf('rm -rf /')
  t.equal(denied.status, 403)
  t.hasStrict(JSON.parse(denied.body.toString()), { status: 'denied' })

  const { service: asking, question } = await watchedService(t)
  for (const [decision, status, trailers] of [
    ['approve', 200, { 'exit-code': '0', 'run-status': 'completed' }],
    ['deny', 200, { 'exit-code': '-1', 'run-status': 'denied' }],
  ] as const) {
    const command = `touch /tmp/shellphone-curl-${decision}; echo done`
    const answer = ask(
      '/exec',
      { accept: 'application/octet-stream', 'content-type': 'text/plain' },
      command,
      'POST',
      asking,
    )
    const headers = await new Promise<IncomingMessage['headers']>((resolve) => (onHeaders = resolve))
    const { id } = await question(command)
    t.match(
      headers['run-note'],
      new RegExp(`waits for approval until .*; answer with shellphone approvals approve ${id}`),
    )
    const isLogged = () =>
      asking.log.some((line) => line.includes(`waiting for approval: shellphone approvals approve ${id}`))
    t.ok(await until(isLogged), 'in the log, too')
    await asking.post(`/approvals/${id}`, { decision })
    const { body, ...rest } = await answer
    t.hasStrict(rest, { status, trailers }, decision)
    t.equal(body.toString(), decision === 'approve' ? 'done\n' : '')
  }
})

t.test('GET /runs/:id/output returns all output and its ranges', async (t) => {
  const { id } = await service.exec({ command: 'seq 1 400000', max_length: 10 })
  const whole = await ask(`/runs/${id}/output`)
  t.strictSame([whole.status, whole.body.length], [200, 2_688_895])
  t.hasStrict(whole.headers, { 'content-length': '2688895', 'run-eof': 'true', 'accept-ranges': 'bytes' })
  t.equal(sha256(whole.body), (await record(id)).stdout_sha256)
  const head = await ask(`/runs/${id}/output`, {}, undefined, 'HEAD')
  t.hasStrict(head, { status: 200, headers: { 'content-length': '2688895' } })

  const { id: small } = await service.exec({ command: 'printf 0123456789' })
  /** [Range, query, status, body, Content-Range] */
  const rows: [string, string, number, string, string?][] = [
    ['bytes=0-3', '', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', '', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', '', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-99', '', 206, '89', 'bytes 8-9/10'],
    ['bytes=-99', '', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=9-9', '?stream=stdout', 206, '9', 'bytes 9-9/10'],
    ['bytes=10-', '', 416, 'out_of_range', 'bytes */10'],
    ['bytes=999999999999999-', '', 416, 'out_of_range', 'bytes */10'],
    ['bytes=-0', '', 416, 'out_of_range', 'bytes */10'],
    ['bytes=0-', '?stream=stderr', 416, 'out_of_range', 'bytes */0'],
    ['bytes=3-1', '', 200, '0123456789'],
    ['bytes=0-1,4-5', '', 200, '0123456789'],
    ['lines=0-1', '', 200, '0123456789'],
    ['bytes=-', '', 200, '0123456789'],
    ['bytes=0-1', '?offset=0', 400, 'validation_error'],
    ['bytes=0-1', '?limit=5', 400, 'validation_error'],
    ['bytes=0-1', '?follow=true', 400, 'validation_error'],
  ]
  for (const [range, query, status, expected, contentRange] of rows) {
    const answer = await ask(`/runs/${small}/output${query}`, { range })
    const text = status < 300 ? answer.body.toString() : errorOf(answer).type
    t.strictSame(
      [answer.status, text, answer.headers['content-range']],
      [status, expected, contentRange],
      `${range} ${query}`,
    )
  }
  const large = await ask(`/runs/${id}/output`, { range: 'bytes=1000-2000999' })
  t.strictSame([large.status, large.body.length], [206, 2_000_000], 'a range of more than 1 MiB')
  t.strictSame(large.body, whole.body.subarray(1000, 2_001_000))

  const running = await background({ command: 'printf 01234; sleep 60' })
  await until(async () => (await record(running)).stdout_bytes === 5)
  const part = await ask(`/runs/${running}/output`, { range: 'bytes=1-' })
  t.hasStrict(part, { status: 206, headers: { 'content-range': 'bytes 1-4/*', 'run-eof': 'false' } }, 'while it runs')
  await service.request(`/runs/${running}`, { method: 'DELETE' })

  const { id: cut } = await service.exec({ command: 'head -c 6000000 /dev/zero', max_length: 10 })
  const refused = await ask(`/runs/${cut}/output`)
  t.strictSame(
    [refused.status, JSON.parse(refused.body.toString()).error.message],
    [410, 'stdout: only the first 4194304 of 6000000 bytes were stored; read them with a limit or a range'],
  )
  const kept = await ask(`/runs/${cut}/output?limit=6000000`)
  t.strictSame([kept.body.length, kept.headers['run-eof'], kept.headers['run-total']], [4_194_304, 'false', '6000000'])
  t.equal((await ask(`/runs/${cut}/output?offset=5000000`)).status, 410)
})

t.test('?follow=true continues until the run ends', async (t) => {
  const id = await background({ command: 'echo 1; read go; echo 2; echo 3; exit 5', stdin: 'open' })
  // the command ends only after its first line has arrived
  onChunk = () => {
    onChunk = () => {}
    void service.post(`/runs/${id}/stdin`, { data: '\n' })
  }
  const answers = await soon(
    Promise.all([ask(`/runs/${id}/output?follow=true`), ask(`/runs/${id}/output?follow=true&stream=stderr`)]),
  )
  t.strictSame(
    answers.map(({ status, body, trailers }) => [status, body.toString(), trailers['exit-code']]),
    [
      [200, '1\n2\n3\n', '5'],
      [200, '', '5'],
    ],
  )
  const after = await ask(`/runs/${id}/output?follow=true&offset=2`)
  t.strictSame([after.body.toString(), after.trailers['run-status']], ['2\n3\n', 'failed'], 'after the end, too')
  t.equal((await ask(`/runs/${id}/output?follow=true&offset=7`)).status, 416)
  t.equal((await ask(`/runs/${id}/output?follow=yes`)).status, 400)
  t.equal((await ask('/runs/01m808gre5000mhvbe2gtwpcnj/output?follow=true')).status, 404)

  const { id: cut } = await service.exec({ command: 'head -c 6000000 /dev/zero', max_length: 10 })
  await t.rejects(ask(`/runs/${cut}/output?follow=true`), 'what is not kept is not passed over in silence')
})

t.test('an event stream that has ended stays ended', async (t) => {
  const { id } = await service.exec({ command: 'echo a; echo b >&2' })
  const ids: string[] = []
  for await (const { lastEventId } of sseEvents(await service.request(`/runs/${id}/events`))) ids.push(lastEventId)
  t.equal(ids.at(-1), '2.2.end')
  t.notOk(ids.slice(0, -1).some((one) => one.includes('end')))
  const again = (last: string) => service.request(`/runs/${id}/events`, { headers: { 'last-event-id': last } })
  t.equal((await again('2.2.end')).status, 204)
  const rest = await again('2.2')
  t.equal(rest.status, 200)
  t.match(await rest.text(), /event: result/)
  t.equal((await again('2.2.END')).status, 400)
  const none = await service.request('/runs/01m808gre5000mhvbe2gtwpcnj/events', {
    headers: { 'last-event-id': '2.2.end' },
  })
  t.equal(none.status, 404)
})
