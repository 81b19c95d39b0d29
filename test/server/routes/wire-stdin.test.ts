import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { isLongUpload, longUpload } from '../../../src/http/bodies.ts'
import { toClientError } from '../../../src/http/error-replies.ts'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import { openFrames, stdinFrame } from '../../support/frames.ts'
import { startService, until } from '../../support/helper.ts'
import { cut, growthDuring, MiB, openRaw, pour, requestText } from '../../support/raw-client.ts'

const service = await startService()
t.teardown(() => service.stop())

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
/** Starts a background run with open stdin; resolves with its id. */
async function open(command: string): Promise<string> {
  const response = await service.post('/exec', { command, stdin: 'open', background: true })
  return ((await response.json()) as ExecRecord).id
}
const ended = async (id: string) =>
  (await (await service.request(`/runs/${id}?wait_seconds=300`)).json()) as ExecRecord & { error?: unknown }
const piece = async (id: string, body: object) => {
  const response = await service.post(`/runs/${id}/stdin`, body)
  const answer = (await response.json()) as { offset?: number; error?: { type: string; field?: string } }
  return { status: response.status, offset: answer.offset, type: answer.error?.type, field: answer.error?.field }
}
const put = async (path: string, body: Buffer | string, headers: Record<string, string> = {}) => {
  const init = { method: 'PUT', body, headers, duplex: 'half' } as RequestInit
  const response = await service.request(path, init)
  return { status: response.status, ...((await response.json()) as { offset?: number; error?: { type: string } }) }
}
const cancel = (id: string) => service.request(`/runs/${id}`, { method: 'DELETE' })
const untilThere = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`

t.test('takes pieces over HTTP in order, repeated, with a gap, and after the end', async (t) => {
  const id = await open('cat')
  /** [what, body, status, offset or error] */
  const rows: [string, object, number, number | string][] = [
    ['the first', { data: 'abc' }, 200, 3],
    ['the next, by its offset', { data: 'def', offset: 3 }, 200, 6],
    ['again', { data: 'def', offset: 3 }, 200, 6],
    ['from the start, and more', { data: 'abcdefgh', offset: 0 }, 200, 8],
    ['a gap', { data: 'x', offset: 9 }, 416, 'out_of_range'],
    ['far off', { data: 'x', offset: 2 ** 53 - 1 }, 416, 'out_of_range'],
    ['a negative offset', { data: 'x', offset: -1 }, 400, 'validation_error'],
    ['half an offset', { data: 'x', offset: 0.5 }, 400, 'validation_error'],
    ['an end before what came', { data: 'ab', offset: 0, end: true }, 409, 'conflict'],
    ['bytes', { data: Buffer.from('ÿ').toString('base64'), encoding: 'base64', offset: 8 }, 200, 10],
    ['the end', { end: true, offset: 10 }, 200, 10],
  ]
  for (const [what, body, status, expected] of rows) {
    const answer = await piece(id, body)
    t.strictSame([answer.status, answer.offset ?? answer.type], [status, expected], what)
  }
  t.hasStrict(await ended(id), { status: 'completed', stdout: 'abcdefghÿ' })
  t.hasStrict(await piece(id, { data: 'x' }), { status: 409, type: 'conflict' }, 'the run has ended')
})

t.test('refuses data after the end of stdin, but not a repeated end', async (t) => {
  const gate = join(t.testdir(), 'gate')
  const id = await open(`cat; ${untilThere(gate)}`)
  t.hasStrict(await piece(id, { data: 'abc', end: true }), { status: 200, offset: 3 })
  t.hasStrict(await piece(id, { data: 'c', offset: 2, end: true }), { status: 200, offset: 3 })
  t.hasStrict(await piece(id, { data: 'd', offset: 3 }), { status: 409, type: 'conflict' })
  const state = await service.request(`/runs/${id}/stdin`)
  t.strictSame(await state.json(), { offset: 3, ended: true })
  writeFileSync(gate, '')
  t.hasStrict(await ended(id), { stdout: 'abc' })
})

t.test('accepts nothing beyond the window, and bounds memory', async (t) => {
  const id = await open('sleep 60')
  const socket = await openFrames(service)
  const bytes = Buffer.alloc(65_536, 'x')
  const grown = await growthDuring(service, async () => {
    for (let offset = 0; offset < 64 * MiB; offset += bytes.length) socket.bytes(stdinFrame(id, offset, bytes))
    t.ok(await until(() => socket.errors().some(({ type }) => type === 'out_of_range')))
  })
  t.equal(socket.errors()[0]!.type, 'conflict', 'the first that is too far on')
  t.match(socket.errors()[0]!.message, /is not reading its stdin: 1\d{6} bytes are already waiting/)
  t.ok(grown < 64, `memory grew by ${grown.toFixed(0)} MiB`)
  await cancel(id)
  await socket.close()
})

t.test('accepts the end of stdin while the window is full', async (t) => {
  const gate = join(t.testdir(), 'gate')
  const id = await open(`${untilThere(gate)}; wc -c`)
  const socket = await openFrames(service)
  const bytes = Buffer.alloc(65_535, 'x')
  for (let at = 0; at < 64; at++) socket.bytes(stdinFrame(id, at * bytes.length, bytes))
  t.ok(await until(() => socket.errors().some(({ type }) => type === 'conflict')))
  const came = Math.floor(MiB / bytes.length + 1) * bytes.length
  let offset = came
  const sendEnd = () => piece(id, { end: true, offset })
  let ending = sendEnd()
  writeFileSync(gate, '') // now the command reads, so it may accept more
  for (; (await ending).type === 'conflict'; ending = sendEnd()) offset += bytes.length
  t.ok(offset < 2 * MiB, `the end at ${offset}`)
  t.hasStrict(await ended(id), { status: 'completed', stdout: `${offset}\n` })
  await socket.close()
})

t.test('refuses a refused piece again over every route', async (t) => {
  const id = await open('exec <&-; echo closed; sleep 60')
  const output = async () => (await service.request(`/runs/${id}/output`)).text()
  t.ok(await until(async () => (await output()) === 'closed\n'))
  const sent = Buffer.from('abc')
  t.hasStrict(await piece(id, { data: 'abc', offset: 0 }), { status: 409, type: 'conflict' }, 'at first')
  t.hasStrict(await piece(id, { data: 'abc', offset: 0 }), { status: 409, type: 'conflict' }, 'again')
  t.hasStrict(await piece(id, { data: 'ab', offset: 0 }), { status: 409, type: 'conflict' }, 'a part of it')
  t.hasStrict(await piece(id, { end: true }), { status: 409, type: 'conflict' }, 'an end behind it')
  t.hasStrict(await put(`/runs/${id}/stdin`, sent), { status: 409 }, 'as a stream')
  const state = (await (await service.request(`/runs/${id}/stdin`)).json()) as { offset: number }
  t.hasStrict(
    await piece(id, { data: '', offset: state.offset }),
    { status: 200, offset: state.offset },
    'nothing is fine',
  )
  await cancel(id)
})

t.test('binary frames: a reconnect resumes after the last byte taken, without loss or repetition', async (t) => {
  const bytes = Buffer.alloc(3 * MiB)
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at)
  const id = await open('sha256sum')
  let from = 0
  for (let round = 0; from < bytes.length; round++) {
    const socket = await openFrames(service)
    socket.send({ type: 'attach', id })
    from = await socket.taken(() => true)
    let sent = from
    const enough = Math.min(bytes.length, from + 400_000)
    while (sent < enough) {
      const next = Math.min(bytes.length, sent + 50_000)
      socket.bytes(stdinFrame(id, sent, bytes.subarray(sent, next)))
      sent = next
    }
    if (sent === bytes.length) {
      from = await socket.taken((offset) => offset === bytes.length)
      socket.send({ type: 'stdin', id, offset: sent, end: true })
      t.match(await socket.result(), { status: 'completed', stdout: new RegExp(sha256(bytes)) })
      t.ok(round > 3, `${round} reconnects`)
    } else {
      await socket.taken((offset) => offset > from)
      socket.raw.terminate() // while bytes are in transit
    }
  }
})

t.test('rejects malformed binary messages', async (t) => {
  const id = await open('sleep 60')
  const socket = await openFrames(service)
  /** [what, message, error] */
  const rows: [string, Buffer, RegExp][] = [
    ['empty', Buffer.alloc(0), /at least 35 bytes, got 0/],
    ['short', stdinFrame(id, 0, Buffer.alloc(0)).subarray(0, 34), /at least 35 bytes, got 34/],
    ['stdout', Buffer.concat([Buffer.from([1]), stdinFrame(id, 0, Buffer.from('x')).subarray(1)]), /stream 0/],
    ['no such run', stdinFrame('01m808gre5000mhvbe2gtwpcnj', 0, Buffer.from('x')), /No such run/],
    ['an id of NUL', stdinFrame('\0'.repeat(26), 0, Buffer.from('x')), /No such run/],
    ['an offset of 2^64-1', stdinFrame(id, 2 ** 64 - 2048, Buffer.from('x')), /expected at most 0/],
  ]
  for (const [what, message, expected] of rows) {
    const before = socket.errors().length
    socket.bytes(message)
    t.ok(await until(() => socket.errors().length > before), what)
    t.match(socket.errors().at(-1)!.message, expected, what)
  }
  t.equal(
    socket.messages.filter((message) => message.type === 'error' && message.id === id).length,
    2,
    'each names its run',
  )
  await cancel(id)
  await socket.close()
})

t.test('PUT takes a stream of any length and type, and resumes it after a cut', async (t) => {
  const bytes = Buffer.alloc(24 * MiB, 'put ')
  const whole = await open('sha256sum; exit 3')
  t.hasStrict(
    await put(`/runs/${whole}/stdin`, bytes),
    { status: 200, ok: true, offset: bytes.length },
    'beyond the limit of bodies',
  )
  t.hasStrict(await ended(whole), { exit_code: 3, stdout: `${sha256(bytes)}  -\n` })

  const id = await open('cat')
  const text = 'one two three four'
  t.hasStrict(await put(`/runs/${id}/stdin?end=false`, text.slice(0, 4)), { status: 200, offset: 4 })
  const upload = await openRaw(
    service.port,
    requestText(service, `PUT /runs/${id}/stdin?offset=4`, 'Content-Length: 100\r\n') + text.slice(4, 8),
  )
  const isTaken = async () =>
    ((await (await service.request(`/runs/${id}/stdin`)).json()) as { offset: number }).offset === 8
  t.ok(await until(isTaken), 'taken as it comes')
  await cut(upload)
  t.ok(await isTaken(), 'a cut leaves it open')
  t.hasStrict(
    await put(`/runs/${id}/stdin`, text.slice(6), { 'content-range': 'bytes 6-17/18' }),
    { status: 200, offset: 18 },
    'gone on with, as curl -C says it',
  )
  t.hasStrict(await ended(id), { status: 'completed', stdout: text })

  const bad = await open('sleep 60')
  /** [what, query, headers, status, error] */
  const rows: [string, string, Record<string, string>, number, string][] = [
    ['a gap', '?offset=5', {}, 416, 'out_of_range'],
    ['a gap by range', '', { 'content-range': 'bytes 5-7/8' }, 416, 'out_of_range'],
    ['a range that is none', '', { 'content-range': 'bytes x' }, 400, 'validation_error'],
    ['a negative offset', '?offset=-1', {}, 400, 'validation_error'],
    ['an unknown parameter', '?at=1', {}, 400, 'validation_error'],
    ['end that is no word of it', '?end=no', {}, 400, 'validation_error'],
  ]
  for (const [what, query, headers, status, type] of rows) {
    t.hasStrict(await put(`/runs/${bad}/stdin${query}`, 'x', headers), { status, error: { type } }, what)
  }
  t.hasStrict(await put('/runs/01m808gre5000mhvbe2gtwpcnj/stdin', 'x'), { status: 404 })
  await cancel(bad)
  const { id: none } = await service.exec({ command: 'true' })
  t.hasStrict(await put(`/runs/${none}/stdin`, 'x'), { status: 409 })
})

t.test('PUT ends with the run, and waits for a slow command in bounded memory', async (t) => {
  const id = await open('head -c 3')
  const socket = await openRaw(
    service.port,
    requestText(service, `PUT /runs/${id}/stdin`, 'Content-Length: 1000\r\n') + 'abc',
  )
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk))
  t.hasStrict(await ended(id), { stdout: 'abc' })
  t.ok(await until(() => answer.includes('conflict')))
  t.match(answer, /^HTTP\/1.1 409 [^]*The run has ended; it took 3 bytes of its stdin/)

  const deaf = await open('sleep 60')
  const flood = await openRaw(
    service.port,
    requestText(service, `PUT /runs/${deaf}/stdin`, `Content-Length: ${512 * MiB}\r\n`),
  )
  const grown = await growthDuring(service, async () => {
    t.ok((await pour(flood, Buffer.alloc(MiB), 256 * MiB, service)) < 64 * MiB, 'it is not read from')
  })
  t.ok(grown < 64, `memory grew by ${grown.toFixed(0)} MiB`)
  await cancel(deaf)
  flood.destroy()
})

t.test('a long upload is exempt from the request timeout; other requests are not', async (t) => {
  const server = createServer({ requestTimeout: 200, headersTimeout: 100, connectionsCheckingInterval: 50 })
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  server.on('clientError', toClientError)
  server.on('request', (request, response) => {
    if (request.url === '/long') longUpload({ raw: request })
    request
      .on('data', () => {})
      .on('end', () => response.end('done'))
      .on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const begin = (path: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    const exchange = { socket, answer: '' }
    socket.on('data', (chunk) => (exchange.answer += chunk))
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na`)
    return exchange
  }
  const long = begin('/long')
  await once(server, 'request')
  const short = begin('/short')
  t.ok(await until(() => /^HTTP\/1.1 408 /.test(short.answer)), 'the other, which began later, is out of time')
  long.socket.write('b')
  t.ok(await until(() => /^HTTP\/1.1 200 [^]*done/.test(long.answer)), 'the long one is not')
  for (const { socket } of [long, short]) socket.destroy()
  t.ok(await until(() => !sockets.some(isLongUpload)), 'nor is it for ever')
})
