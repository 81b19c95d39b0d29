import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { PhoneRequests, Piece } from '../../src/fleet/plane/calls/phone-requests.ts'
import { PhoneCall } from '../../src/fleet/plane/calls/call.ts'
import { callTable } from '../../src/fleet/plane/calls/call-states.ts'
import { cancelTable, commandTable, deliveryTable } from '../../src/fleet/plane/calls/command-states.ts'
import { execute } from '../../src/fleet/plane/calls/execution.ts'
import type { PhoneRequest } from '../../src/fleet/plane/calls/phone-request.ts'
import { isSettled, type JobState, rowAfter, type RowEvent, rowTable } from '../../src/fleet/plane/jobs/row-states.ts'
import type { StateTable } from '../../src/fleet/plane/calls/state-table.ts'
import { type ErrorCode, ShellphoneError } from '../../src/shared/schema/index.ts'
import { root } from '../support/helper.ts'

/** [table, initial states] */
const tables: Record<string, [StateTable, string[]]> = {
  call: [callTable, ['asked', 'once']],
  command: [commandTable, ['starting']],
  delivery: [deliveryTable, ['reading']],
  cancellation: [cancelTable, ['idle']],
  row: [rowTable, ['queued']],
}

/** The states that can be reached from these. */
function reachable(table: StateTable, from: string[]): Set<string> {
  const seen = new Set(from)
  for (const state of seen) for (const next of Object.values(table[state]!)) seen.add(next)
  return seen
}

t.test('every state can be reached and leads to an end state', async (t) => {
  for (const [name, [table, starts]] of Object.entries(tables)) {
    t.same([...reachable(table, starts)].sort(), Object.keys(table).sort(), name)
    for (const state of Object.keys(table)) {
      const ends = [...reachable(table, [state])].filter((one) => Object.keys(table[one]!).length === 0)
      t.ok(ends.length > 0, `${name}: ${state}`)
    }
  }
})

/** The table below `### The states of a NAME`: one row for each state, `event → state` in the second column. */
function inReadme(text: string, name: string): StateTable {
  const [, part = ''] = text.split(`### The states of a ${name}\n`)
  const rows = part
    .split('\n#')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  return Object.fromEntries(
    rows.map((line) => {
      const [, state = '', turns = ''] = line.split('|').map((cell) => cell.trim().replaceAll('`', ''))
      const pairs = turns.split(', ').flatMap((turn) => (turn.includes('→') ? [turn.split(' → ')] : []))
      return [state, Object.fromEntries(pairs)]
    }),
  )
}

t.test('the README has the same tables', async (t) => {
  const text = readFileSync(join(root, 'src/fleet/plane/README.md'), 'utf8')
  for (const [name, [table]] of Object.entries(tables)) t.same(inReadme(text, name), table, name)
})

t.test('only the changes of the table are written to a row', async (t) => {
  const all = Object.keys(rowTable) as JobState[]
  const settled = ['ended', 'refused', 'unknown', 'withdrawn', 'expired']
  t.same(all.filter(isSettled).sort(), settled.sort())
  const events: RowEvent[] = ['send', 'wait', 'run', 'cancel', 'end', 'refuse', 'lose']
  const written = (state: JobState) => Object.fromEntries(events.map((event) => [event, rowAfter(state, event)]))
  const last = { end: 'ended', refuse: 'refused', lose: 'unknown' }
  const never = Object.fromEntries(events.map((event) => [event, null]))
  t.same(written('queued'), { ...never, send: 'sent', cancel: 'withdrawn' })
  t.same(written('sent'), { ...last, send: null, wait: 'accepted', run: 'running', cancel: 'sent' })
  t.same(written('accepted'), { ...last, send: null, wait: null, run: 'running', cancel: 'accepted' })
  t.same(written('running'), { ...last, send: null, wait: null, run: null, cancel: 'running' })
  for (const state of all.filter(isSettled)) t.same(written(state), never, state)
})

/** One response of a phone, or the error in its place. */
type Reply = ErrorCode | (Partial<Omit<Piece, 'data'>> & { text?: string; end?: 'eof' | 'more'; failure?: ErrorCode })

/** A phone that sends these responses in order. `sent`: the requests that it received. */
function scripted(replies: Reply[]) {
  const sent: PhoneRequest[] = []
  const left = [...replies]
  const stream: PhoneRequests['stream'] = async (request, take) => {
    if (request.channel?.act === 'close') return { end: 'eof', trailers: {} }
    sent.push(request)
    const reply = left.shift()
    if (reply === undefined) throw new Error(`one request too many: ${request.method} ${request.path}`)
    if (typeof reply === 'string') throw new ShellphoneError(reply, 'as scripted')
    const { text = '', end = 'eof', failure, ...piece } = reply
    take({ ...piece, data: Buffer.from(text) })
    if (failure) throw new ShellphoneError(failure, 'as scripted')
    return { end, trailers: {} }
  }
  const fetch: PhoneRequests['fetch'] = async (request) => {
    const pieces: Piece[] = []
    const { end, trailers } = await stream(request, (piece) => pieces.push(piece))
    const { status = 0, headers = {} } = pieces[0]!
    return { status, headers, trailers, end, body: Buffer.concat(pieces.map(({ data }) => data)) }
  }
  let nowMs = 0
  const clock = {
    brokerNow: () => nowMs,
    monotonicMs: () => nowMs,
    pause: async (ms: number) => void (nowMs += ms),
    close() {},
  }
  const phoneRequests: PhoneRequests = { stream, fetch, phoneReconnected() {}, open: () => 0, close() {} }
  return { parts: { phoneRequests, clock }, sent, left }
}

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const error = (type: string) => JSON.stringify({ error: { type, message: 'no' } })
const record = (status: string) => JSON.stringify({ id: 'r1', status, exit_code: 0, output: '' })
const head = { status: 200, headers: { 'run-id': 'r1' } }
const result = event('result', { type: 'result', id: 'r1', status: 'completed' })

t.test('a command, for each kind of response', async (t) => {
  /** [case, responses in order, outcome, reported progress] */
  const rows: [string, Reply[], object, string?][] = [
    ['a short one', [{ ...head, text: result }], { state: 'ended', runId: 'r1' }, 'accepted'],
    ['no phone is listening', ['PHONE_OFFLINE'], { state: 'offline' }],
    [
      'no response, then no phone is listening',
      ['PHONE_SILENT', ...Array(40).fill('PHONE_OFFLINE')],
      { state: 'silent' },
    ],
    ['no response, then one', ['PHONE_SILENT', { ...head, text: result }], { state: 'ended' }, 'accepted'],
    ['refused', [{ status: 400, text: error('validation_error') }], { state: 'refused', refusal: { status: 400 } }],
    [
      'busy, then not',
      [
        { status: 503, text: error('pool_full') },
        { ...head, text: result },
      ],
      { state: 'ended' },
      'accepted',
    ],
    ['nothing within the wait', [{ end: 'more' }, { ...head, text: result }], { state: 'ended' }, 'accepted'],
    [
      'a long one',
      [
        { ...head, text: event('status', { status: 'running' }), end: 'more' },
        { status: 200, text: record('running') },
        { status: 200, text: record('completed') },
      ],
      { state: 'ended', record: { status: 'completed' } },
      'accepted runs contact runs contact',
    ],
    [
      'one that waits for approval',
      [
        { ...head, text: event('note', {}), end: 'more' },
        { status: 200, text: record('queued') },
        { status: 200, text: record('denied') },
      ],
      { state: 'ended', record: { status: 'denied' } },
      'accepted waits contact waits contact',
    ],
    [
      'interrupted during the first response',
      [
        { ...head, failure: 'PHONE_SILENT' },
        'PHONE_OFFLINE',
        'BROKER_UNAVAILABLE',
        'PHONE_GARBLED',
        { status: 200, text: record('failed') },
      ],
      { state: 'ended', record: { status: 'failed' } },
      'accepted contact contact contact contact',
    ],
    [
      'the phone lost the run',
      [
        { ...head, end: 'more' },
        { status: 404, text: error('not_found') },
        { ...head, text: result },
      ],
      { state: 'ended' },
      'accepted contact accepted',
    ],
    [
      'a new home while it ran',
      [
        { ...head, end: 'more' },
        { status: 409, text: error('wrong_home') },
      ],
      { state: 'refused', refusal: { type: 'wrong_home' } },
      'accepted contact',
    ],
    [
      'busy while it ran',
      [{ ...head, end: 'more' }, { status: 503 }, { status: 200, text: record('completed') }],
      { state: 'ended' },
      'accepted contact contact',
    ],
    [
      'no longer followed while it ran',
      [{ ...head, end: 'more' }, ...Array(40).fill('PHONE_OFFLINE')],
      { state: 'running', runId: 'r1' },
    ],
  ]
  for (const [what, replies, expected, progress] of rows) {
    const { parts } = scripted(replies)
    const reported: string[] = []
    const order = { name: 'pixel', by: 'owner', body: {}, key: 'k', signal: new AbortController().signal }
    const outcome = await execute(parts, {
      ...order,
      maxSilenceMs: 15_000,
      onProgress: (one) => void reported.push(one),
    })
    t.match(outcome, expected, what)
    if (progress !== undefined) t.equal(reported.join(' '), progress, `${what}: progress`)
  }
  const { parts } = scripted(['BROKER_UNAVAILABLE'])
  const order = {
    name: 'pixel',
    by: 'owner',
    body: {},
    key: 'k',
    signal: new AbortController().signal,
    maxSilenceMs: 1,
  }
  await t.rejects(execute(parts, order), { code: 'BROKER_UNAVAILABLE' }, 'it was not sent')
})

const sse = { 'content-type': 'text/event-stream', 'run-id': 'r1' }
const file = { 'accept-ranges': 'bytes', etag: '"e"' }
const channel = { window: 1, channel: { id: '', act: 'pull' as const } }

t.test('a call, for each kind of response', async (t) => {
  /** [case, first request, responses in order, what the client gets, the requests after the first] */
  const rows: [string, Partial<PhoneRequest>, Reply[], string, string[]][] = [
    ['complete at once', {}, [{ status: 200, text: 'a' }], '200 a.', []],
    ['nothing within the wait', {}, [{ end: 'more' }, { status: 200, text: 'a' }], '200 a.', ['GET /runs/r1']],
    ['no response, sent again', {}, ['PHONE_SILENT', { status: 200 }], '200 .', ['GET /runs/r1']],
    ['no phone is listening', {}, ['PHONE_OFFLINE'], 'PHONE_OFFLINE', []],
    ['no response to a request that must not be sent twice', { method: 'POST' }, ['PHONE_SILENT'], 'PHONE_SILENT', []],
    [
      'a part of a response that must not be requested twice',
      { method: 'POST' },
      [{ status: 200, text: 'a', end: 'more' }],
      '200 a!PHONE_SILENT',
      [],
    ],
    [
      'a part of a response that cannot resume',
      {},
      [{ status: 200, text: 'a', end: 'more' }],
      '200 a!PHONE_SILENT',
      [],
    ],
    [
      'all bytes, and no end',
      {},
      [{ status: 200, headers: { 'content-length': '1' }, text: 'a', failure: 'PHONE_SILENT' }],
      '200 a.',
      [],
    ],
    [
      'events, resumed from the last complete one',
      { method: 'POST', path: '/exec' },
      [
        { status: 200, headers: sse, text: 'id: 3\ndata: x\n\nid: 4', end: 'more' },
        'PHONE_OFFLINE',
        { status: 200, headers: sse, text: 'id: 4\ndata: y\n\n' },
      ],
      '200 id: 3\ndata: x\n\nid: 4\ndata: y\n\n.',
      ['GET /runs/r1/events 3', 'GET /runs/r1/events 3'],
    ],
    [
      'events, that were all sent',
      { path: '/runs/r1/events' },
      [{ status: 200, headers: sse, text: 'id: 9\ndata: x\n\n', end: 'more' }, { status: 204 }],
      '200 id: 9\ndata: x\n\n.',
      ['GET /runs/r1/events 9'],
    ],
    [
      'output of a command, resumed from a byte',
      { method: 'POST', path: '/exec' },
      [
        { status: 200, headers: { 'run-id': 'r1' }, text: 'abc', failure: 'PHONE_SILENT' },
        { status: 200, text: 'd' },
      ],
      '200 abcd.',
      ['GET /runs/r1/output?follow=true&offset=3'],
    ],
    [
      'output of a run, resumed from a byte',
      { path: '/runs/r1/output?offset=2&limit=9' },
      [
        { status: 200, text: 'abc', end: 'more' },
        { status: 200, text: 'd' },
      ],
      '200 abcd.',
      ['GET /runs/r1/output?offset=5&limit=6'],
    ],
    [
      'a file, resumed from a byte',
      { path: '/artifacts/x' },
      [
        { status: 200, headers: file, text: 'abc', failure: 'PHONE_GARBLED' },
        { status: 206, text: 'd' },
      ],
      '200 abcd.',
      ['GET /artifacts/x bytes=3- "e"'],
    ],
    [
      'a file that has changed',
      { path: '/artifacts/x' },
      [{ status: 200, headers: file, text: 'abc', end: 'more' }, { status: 412 }],
      '200 abc!EXPIRED',
      ['GET /artifacts/x bytes=3- "e"'],
    ],
    [
      'a file through a channel',
      { path: '/files', ...channel },
      [{ status: 200, headers: file, channel: 'c', text: 'ab', end: 'more' }, { text: 'c' }],
      '200 abc.',
      ['GET /files c'],
    ],
    [
      'a channel that was lost',
      { path: '/files', ...channel },
      [
        { status: 200, headers: file, channel: 'c', text: 'ab', end: 'more' },
        { status: 410 },
        { status: 206, channel: 'd', text: 'c', end: 'more' },
        { text: 'd' },
      ],
      '200 abcd.',
      ['GET /files c', 'GET /files bytes=2- "e"', 'GET /files d'],
    ],
    [
      'a channel that was lost before the response',
      { path: '/files', ...channel },
      [{ channel: 'c', end: 'more' }, { status: 410 }, { status: 200, text: 'x' }],
      '200 x.',
      ['GET /files c', 'GET /files'],
    ],
    [
      'a long body with a response through its channel',
      { method: 'PUT', path: '/files', ...channel },
      [{ channel: 'c', end: 'more' }, { status: 200, text: 'x', end: 'more' }, { text: 'y' }],
      '200 xy.',
      ['PUT /files c', 'PUT /files c'],
    ],
    [
      'a long body, and a channel that was lost',
      { method: 'PUT', path: '/files', ...channel },
      [{ channel: 'c', end: 'more' }, 'PHONE_SILENT'],
      'PHONE_SILENT',
      ['PUT /files c'],
    ],
  ]
  for (const [what, request, replies, expected, requests] of rows) {
    const { parts, sent, left } = scripted(replies)
    const first: PhoneRequest = {
      name: 'pixel',
      callClass: 'run',
      by: 'owner',
      method: 'GET',
      path: '/runs/r1',
      ...request,
    }
    let got = ''
    const call = new PhoneCall(parts, first, {
      begin: (status) => void (got += `${status} `),
      write: async (bytes) => void (got += Buffer.from(bytes).toString()),
      end: () => void (got += '.'),
      cut() {},
    })
    await call.answer().catch(({ code }) => (got += `${call.hasBegun ? '!' : ''}${code}`))
    t.equal(got, expected, what)
    t.same(sent.slice(1).map(shown), requests, `${what}: requests`)
    t.same(left, [], `${what}: every response was requested`)
  }
})

const shown = ({ method, path, headers = {}, channel: open }: PhoneRequest) => {
  const from = [headers['last-event-id'], headers.range, headers['if-match'], open?.id]
  return [`${method} ${path}`, ...from.filter(Boolean)].join(' ')
}
