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
    { name: 'pixel', state: 'running', run_id: '01k0' },
    { name: 'nexus', state: 'accepted' },
    { name: 'moto', state: 'ended', status: 'completed', exit_code: 0, output: 'hi\n' },
  ]
  const { start } = fleetCli(await planeThatLists(t, lists, results), 'token', t.testdir())
  const { code, out, err } = await start(['fleet', 'exec', '*', 'touch x', '--on', 'fleet']).ended
  t.equal(code, 1)
  t.match(out.toString(), /^pixel +running\nnexus +needs approval\nmoto +ended 0\n {2}hi\n$/)
  t.same(err.trimEnd().split('\n'), [
    'shellphone: nexus: waiting for approval; answer on the phone, or with shellphone fleet approvals approve nexus own --on fleet',
    'shellphone: pixel and 1 more: not finished within the time of --wait; the command continues; see it with shellphone logs -f 01k0 --on fleet/pixel',
  ])
})

t.test('fleet exec --json says which phone needs approval, as fleet job does', async (t) => {
  const results = [
    { name: 'pixel', state: 'running' },
    { name: 'nexus', state: 'accepted' },
  ]
  const own = [pending('nexus', 'own')]
  const { start } = fleetCli(await planeThatLists(t, [[], own, own], results), 'token', t.testdir())
  const { out, err } = await start(['fleet', 'exec', '*', 'touch x', '--json', '--on', 'fleet']).ended
  const lines = out.toString().trimEnd().split('\n')
  t.same(
    lines.map((line) => JSON.parse(line)),
    [results[0], { ...results[1], status: 'needs_approval' }],
  )
  t.match(err, /pixel and 1 more: .* see it with shellphone ps --on fleet\/pixel\n$/, 'no run is known')
})

/** Starts `fleet exec` on the phones pixel, nexus and moto, of which moto has ended, and presses Ctrl-C. `onDelete`: what the control plane does with a request to cancel a run. */
async function interruptedExec(
  t: Test,
  onDelete: (execution: ServerResponse, path: string, press: () => void) => void,
) {
  let execution: ServerResponse
  const deleted: string[] = []
  const plane = createServer((request, response) => {
    if (request.url === '/exec') {
      execution = response.writeHead(200, { 'content-type': 'text/event-stream' })
      execution.write(sse('accepted', { name: 'pixel', run_id: 'one' }))
      execution.write(sse('accepted', { name: 'nexus', run_id: 'two' }))
      execution.write(sse('phone', { name: 'moto', state: 'ended', status: 'completed', exit_code: 0 }))
      return
    }
    response.setHeader('content-type', 'application/json')
    if (request.method !== 'DELETE') return response.end(JSON.stringify({ approvals: [], silent: [] }))
    response.end('{}')
    deleted.push(request.url!)
    onDelete(execution, request.url!, () => void child.kill('SIGINT'))
  }).listen(0, '127.0.0.1')
  t.teardown(() => plane.close())
  await once(plane, 'listening')
  const { start } = fleetCli(`http://127.0.0.1:${(plane.address() as AddressInfo).port}`, 'token', t.testdir())
  const { child, ended } = start(['fleet', 'exec', '*', 'touch x', '--on', 'fleet'])
  child.stdout!.once('data', () => child.kill('SIGINT')) // the row of moto, after which both runs are known
  const { code, out, err } = await ended
  return { code, out: out.toString(), err, signal: child.signalCode, deleted }
}

const sse = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

t.test('fleet exec cancels the command on all phones on Ctrl-C, and dies by SIGINT', async (t) => {
  const names: Record<string, string> = { '/phones/pixel/runs/one': 'pixel', '/phones/nexus/runs/two': 'nexus' }
  let results = 0
  const ended = await interruptedExec(t, (execution, path) => {
    execution.write(sse('phone', { name: names[path], state: 'ended', status: 'canceled', exit_code: -1 }))
    if (++results === 2) execution.end()
  })
  t.match(ended, {
    code: null,
    out: /^moto +ended 0\n(pixel|nexus) +canceled\n(pixel|nexus) +canceled\n$/,
    err: 'shellphone: canceling the command on 2 phones; Ctrl-C again exits without waiting\n',
    signal: 'SIGINT',
  })
  t.same(ended.deleted.sort(), Object.keys(names).sort())
})

t.test('fleet exec exits on the second Ctrl-C, and says where the command may continue', async (t) => {
  const ended = await interruptedExec(t, (execution, path, press) => {
    if (path !== '/phones/pixel/runs/one') return
    execution.write(sse('phone', { name: 'pixel', state: 'running', run_id: 'one' }))
    press()
  })
  t.match(ended, { code: null, signal: 'SIGINT' })
  t.match(
    ended.err,
    /exits without waiting\n(.*\n)?shellphone: the command may continue on (pixel, )?nexus; cancel it with shellphone cancel --last --on fleet\/PHONE for each phone\n$/,
  )
})

t.test('fleet exec names the phones on which a command was not canceled', async (t) => {
  let requests = 0
  const { err, signal } = await interruptedExec(t, (execution) => {
    if (++requests < 2) return
    execution.write(sse('phone', { name: 'pixel', state: 'ended', status: 'canceled', exit_code: -1 }))
    execution.end(sse('phone', { name: 'nexus', state: 'running', run_id: 'two' }))
  })
  t.equal(signal, 'SIGINT')
  t.match(err, /\nshellphone: the command may continue on nexus; cancel it with .*\n$/)
})

t.test('fleet exec says that a command may wait for approval if the token cannot read this', async (t) => {
  const { fleet } = await planeThatAnswers(t, {
    'GET /approvals': [403, { error: { type: 'forbidden', message: 'no' } }],
    'POST /exec': [200, sse('phone', { name: 'pixel', state: 'running', run_id: 'one' })],
  })
  t.match(await fleet('exec', '*', 'touch x'), {
    code: 1,
    err: 'shellphone: pixel: not finished within the time of --wait; the command continues, or waits for approval; see it with shellphone logs -f one --on fleet/pixel\n',
  })
})

t.test('fleet exec prints nothing else if nothing waits', async (t) => {
  const url = await planeThatLists(t, [[], []], [{ name: 'pixel', state: 'ended', status: 'completed', exit_code: 0 }])
  const { start } = fleetCli(url, 'token', t.testdir())
  const { code, out, err } = await start(['fleet', 'exec', '*', 'true', '--on', 'fleet']).ended
  t.match({ code, err, out: out.toString() }, { code: 0, err: '', out: /^pixel +ended 0\n$/ })
})

/** A control plane that gives these responses, by method and path, and notes the bodies. Objects are sent as JSON. */
async function planeThatAnswers(t: Test, answers: Record<string, [status: number, body: object | string]>) {
  const bodies: unknown[] = []
  const plane = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (body !== '') bodies.push(JSON.parse(body))
    const [status, answer] = answers[`${request.method} ${request.url}`] ?? [404, {}]
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }).listen(0, '127.0.0.1')
  t.teardown(() => plane.close())
  await once(plane, 'listening')
  const { port } = plane.address() as AddressInfo
  const { start } = fleetCli(`http://127.0.0.1:${port}`, 'token', t.testdir())
  const fleet = async (...args: string[]) => {
    const on = args.includes('--on') ? [] : ['--on', 'fleet']
    const { code, out, err } = await start(['fleet', ...args, ...on]).ended
    return { code, out: out.toString(), err }
  }
  return { fleet, bodies }
}

t.test('fleet phones says that its list is old if the control plane has no broker', async (t) => {
  const phones = { phones: [] }
  const listed: [number, object] = [200, phones]
  const away = await planeThatAnswers(t, {
    'GET /phones?select=*': listed,
    'GET /health': [503, { status: 'no_broker' }],
  })
  t.match(await away.fleet('phones'), {
    code: 3,
    out: 'no phones\n',
    err: /^shellphone: the control plane has no connection to its broker, so this list is old; see shellphone fleet doctor\n$/,
  })
  const there = await planeThatAnswers(t, { 'GET /phones?select=*': listed, 'GET /health': [200, { status: 'ok' }] })
  t.match(await there.fleet('phones'), { code: 0, out: 'no phones\n', err: '' })
})

const jobId = 'abcd'.repeat(8)

t.test('fleet job says where the job waits for approval', async (t) => {
  const job = {
    phones: {
      pixel: { state: 'accepted', run_id: 'one' },
      nexus: { state: 'accepted', run_id: 'two' },
    },
  }
  const approvals = [{ ...pending('nexus', 'own'), run_id: 'two' }]
  const { fleet } = await planeThatAnswers(t, {
    [`GET /jobs/${jobId}`]: [200, job],
    'GET /approvals': [200, { approvals, silent: [] }],
  })
  const { code, out, err } = await fleet('job', jobId)
  t.equal(code, 1)
  t.match(out, /^pixel +accepted .*\nnexus +needs approval /m)
  t.equal(
    err,
    'shellphone: nexus: waiting for approval; answer on the phone, or with shellphone fleet approvals approve nexus own --on fleet\n',
  )
})

t.test('fleet job says where the whole of a long output is', async (t) => {
  const ended = { state: 'ended', status: 'completed', exit_code: 0, run_id: 'one', output: 'begin', truncated: true }
  const { fleet } = await planeThatAnswers(t, { [`GET /jobs/${jobId}`]: [200, { phones: { pixel: ended } }] })
  t.match(await fleet('job', jobId), {
    code: 0,
    out: /\n {2}begin\n {2}all of it: shellphone logs one --on fleet\/pixel\n$/,
  })
})

t.test('fleet job takes the beginning or the end of an id, and says what --cancel did', async (t) => {
  const other = `abcd${'0'.repeat(28)}`
  const jobs = [jobId, other].map((job) => ({ job, request: { command: `echo ${job.slice(-4)}` } }))
  const phones = { pixel: 'withdrawn', nexus: 'canceling', moto: 'withdrawn', razr: 'settled' }
  const { fleet } = await planeThatAnswers(t, {
    'GET /jobs': [200, { jobs }],
    [`GET /jobs/${jobId}`]: [200, { phones: { pixel: { state: 'withdrawn' } } }],
    [`DELETE /jobs/${jobId}`]: [200, { job: jobId, phones }],
  })
  t.match(await fleet('job', 'abcdabcd'), { code: 1, out: /^pixel +withdrawn /m, err: '' })
  t.match(await fleet('job', 'dabcd', '--cancel'), {
    code: 0,
    err: 'shellphone: withdrawn before it was sent to 2 phones, being canceled on 1 phone, already ended on 1 phone\n',
  })
  t.match(await fleet('job', 'abcd'), {
    code: 2,
    err: /^shellphone: abcd: expected the beginning or the end of one id, got that of several; .*\n {2}abcd.* echo abcd\n {2}abcd0.* echo 0000\n$/,
  })
  t.match(await fleet('job', 'abc'), { code: 2, err: /^shellphone: abc: expected an id, or 4 or more characters/ })
})

t.test('fleet job returns 0 only if the command returned 0 on every phone, and says why one denied it', async (t) => {
  const ended = { state: 'ended', status: 'completed', exit_code: 0 }
  const failed = { ...ended, status: 'failed', exit_code: 3 }
  const denied = { ...ended, status: 'denied', exit_code: -1, output: 'DENIED', reason: 'formats a disk' }
  for (const [result, code, said] of [
    [ended, 0, /^pixel +completed +0/m],
    [failed, 1, /^pixel +failed +3/m],
    [denied, 1, /^pixel +denied .*\n {2}formats a disk\n$/m],
    [{ state: 'running' }, 1, /^pixel +running/m],
    [{ state: 'expired' }, 1, /^pixel +expired/m],
  ] as const) {
    const job = { phones: { nexus: ended, pixel: result } }
    const { fleet } = await planeThatAnswers(t, { [`GET /jobs/${jobId}`]: [200, job] })
    t.match(await fleet('job', jobId), { code, out: said })
    const printed = await fleet('job', jobId, '--json')
    t.match({ ...printed, out: JSON.parse(printed.out) }, { code, out: job })
  }
})

t.test('fleet job --wait follows the job until its end, or until the time is over', async (t) => {
  const result = (state: string) => ({ phones: { pixel: { state, status: 'completed', exit_code: 0 } } })
  let isOver = false
  const plane = createServer((request, response) => {
    if (!request.url!.endsWith('/events')) return response.end(JSON.stringify(result(isOver ? 'ended' : 'sent')))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(sse('phone', { name: 'pixel', state: 'sent' }))
    if (request.headers.authorization !== 'Bearer of-an-ended-job') return
    isOver = true
    response.write(sse('result', result('ended')))
  }).listen(0, '127.0.0.1')
  t.teardown(() => plane.close())
  await once(plane, 'listening')
  const url = `http://127.0.0.1:${(plane.address() as AddressInfo).port}`
  for (const [token, time, code] of [
    ['of-a-long-job', '0.1s', 1],
    ['of-an-ended-job', '30d', 0],
  ] as const) {
    const { start } = fleetCli(url, token, t.testdir())
    const ended = await start(['fleet', 'job', jobId, '--wait', time, '--json', '--on', 'fleet']).ended
    t.match({ ...ended, out: JSON.parse(ended.out.toString()) }, { code, out: result(code === 0 ? 'ended' : 'sent') })
  }
})

t.test('fleet approvals takes the beginning or the end of an id', async (t) => {
  const approvals = [pending('pixel', 'abcdef0123456789'), pending('nexus', 'abcd000000000000')]
  const { fleet, bodies } = await planeThatAnswers(t, {
    'GET /approvals': [200, { approvals, silent: [] }],
    'POST /phones/pixel/approvals/abcdef0123456789': [200, { outcome: 'approved' }],
  })
  t.match(await fleet('approvals', 'approve', 'pixel', 'abcd'), { code: 0, out: 'approved\n', err: '' })
  t.match(bodies, [{ decision: 'approve' }])
})

t.test('fleet approvals shows all that an answer covers, and gives it to identical requests', async (t) => {
  const asked = {
    ...{ run_id: '01k', token: 'fleet agent', working_directory: '/data', env: {}, stdin: null, changes: [] },
    ...{
      files: [{ path: '/data/x.sh', sha256: 'ab' }],
      sandbox: 'none',
      network: true,
      writable: [],
      dialect: 'oneclaw',
    },
    ...{ rule: 'ask', reason: 'it asks', risk: 'medium', expires_at: '2099-01-01T00:00:00Z', always: null },
  }
  const one = (phone: string, id: string, more: object = {}) => ({
    ...pending(phone, id, 'sh x.sh'),
    ...asked,
    ...more,
  })
  const approvals = [
    one('pixel', 'aaaa000000000000'),
    one('pixel', 'eeee000000000000', { run_id: '03k' }),
    one('nexus', 'bbbb000000000000', { token_id: 'x', run_id: '02k' }),
    one('moto', 'cccc000000000000', { files: [{ path: '/data/x.sh', sha256: 'cd' }] }),
    one('lost', 'dddd000000000000'),
  ]
  const { fleet, bodies } = await planeThatAnswers(t, {
    'GET /approvals': [200, { approvals, silent: [] }],
    'POST /phones/pixel/approvals/aaaa000000000000': [200, { outcome: 'approved' }],
    'POST /phones/nexus/approvals/bbbb000000000000': [200, { outcome: 'approved' }],
    'POST /phones/lost/approvals/dddd000000000000': [504, { error: { type: 'timeout', message: 'no response' } }],
  })
  const shown = await fleet('approvals', 'show', 'pixel', 'aaaa')
  t.match(
    shown.out,
    /^phone +│ pixel\nrequest +│ aaaa000000000000 .*\ncommand +│ sh x\.sh\n.*^script +│ \/data\/x\.sh \(sha256 ab\)$/ms,
  )
  t.match(await fleet('approvals', 'approve', 'pixel', 'aaaa', '--identical'), {
    code: 1,
    out: 'pixel: approved\nnexus: approved\n',
    err: /^shellphone: lost: no response/,
  })
  t.equal(bodies.length, 3, 'not that of the phone with another script, and not the second one of the same phone')
  t.match(await fleet('approvals', 'show', 'moto', 'aaaa'), {
    code: 2,
    err: /moto has no pending approval with this id/,
  })
  t.match(await fleet('approvals', '--identical'), { code: 2, err: /expected approve or deny before it, got list/ })
  t.match(await fleet('approvals'), {
    code: 0,
    out: /^PHONE +ID +LEFT +RISK +REASON +COMMAND\npixel +aaaa0+ +\d+ s +medium +it asks +sh x.sh$/m,
  })
})

t.test('fleet exec sends its limits, also for a job', async (t) => {
  const { fleet, bodies } = await planeThatAnswers(t, { 'POST /exec': [202, { job: 'x', phones: 1 }] })
  t.match(await fleet('exec', '*', 'true', '--queue', '1h', '--timeout', '90s', '--pick'), { code: 0 })
  t.match(await fleet('exec', '*', 'true', '--queue', '1h'), { code: 0 })
  const limited = { timeout_seconds: 90, pick: 1, background: true }
  t.same(bodies, [
    { phones: '*', command: 'true', ...limited, queue_seconds: 3600 },
    { phones: '*', command: 'true', queue_seconds: 3600 },
  ])
})

t.test('errors of fleet exec name the operand or option, not the field of the request', async (t) => {
  const less = 'expected less, got 9'
  const tooLong = 'expected a number greater than 0 and at most 604800, got 691200'
  const inUnits = 'expected a time greater than 0 s and at most 7 d, got 8 d'
  for (const [field, typed, sent, said] of [
    ['phones', 'SELECTOR', less, less],
    ['command', 'COMMAND', less, less],
    ['pick', '--pick', less, less],
    ['queue_seconds', '--queue', tooLong, inUnits],
    ['wait_seconds', '--wait', tooLong, inUnits],
    ['timeout_seconds', '--timeout', tooLong, inUnits],
  ] as const) {
    const error = { type: 'validation_error', message: `${field}: ${sent}`, field }
    const { fleet } = await planeThatAnswers(t, { 'POST /exec': [400, { error }] })
    for (const more of [[], ['--queue', '1h']]) {
      t.match(await fleet('exec', '*', 'true', ...more), {
        code: 2,
        err: `shellphone: fleet exec: ${typed}: ${said}\n`,
      })
    }
  }
})

t.test('fleet exec refuses --wait with --queue', async (t) => {
  const { fleet, bodies } = await planeThatAnswers(t, {})
  const err = 'shellphone: fleet exec: --wait: not allowed with --queue, which prints the id of a job at once\n'
  t.match(await fleet('exec', '*', 'true', '--queue', '1h', '--wait', '5s'), { code: 2, err })
  t.same(bodies, [], 'nothing is sent')
})

t.test('fleet invite sends the labels of all options --label', async (t) => {
  const made = { link: 'http://127.0.0.1:1/#i=x', expires_at: '' }
  const { fleet, bodies } = await planeThatAnswers(t, { 'POST /invites': [200, made] })
  t.match(await fleet('invite', 'pixel', '--label', 'lab=berlin,arm64', '--label', 'floor=3', '--json'), { code: 0 })
  t.same(bodies, [{ name: 'pixel', labels: ['lab=berlin', 'arm64', 'floor=3'] }])
})

t.test('fleet tokens lists the tokens, and no token is named list', async (t) => {
  const made = { role: 'agent', created_at: new Date().toISOString() }
  const tokens = [
    { name: 'codex', select: 'lab=berlin', ...made },
    { name: 'ann', select: '*', ...made, role: 'person' },
  ]
  const { fleet, bodies } = await planeThatAnswers(t, { 'GET /tokens': [200, { tokens }] })
  t.match(
    (await fleet('tokens')).out.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['NAME', 'ROLE', 'CREATED', 'PHONES'],
      ['codex', 'agent', /ago|now/, 'lab=berlin'],
      ['ann', 'person', /ago|now/, 'all'],
    ],
  )
  t.same(JSON.parse((await fleet('tokens', '--json')).out), { tokens })
  const err = 'shellphone: fleet token list: to list the tokens, run shellphone fleet tokens\n'
  t.match(await fleet('token', 'list'), { code: 2, err })
  t.same(bodies, [], 'no token is created')
})

t.test('fleet exec --queue counts one phone as one phone, and two as phones', async (t) => {
  for (const [phones, counted] of [[1, '1 phone'] as const, [2, '2 phones'] as const]) {
    const { fleet } = await planeThatAnswers(t, { 'POST /exec': [202, { job: 'x', phones }] })
    t.match(await fleet('exec', '*', 'true', '--queue', '1h'), { out: `x  (${counted}; shellphone fleet job x)\n` })
  }
})

t.test('fleet status counts one request as one request, and two as requests', async (t) => {
  const link = { name: 'pixel', connected: true, server: 'a:4222', since: 'now', trouble: null, refused: 0 }
  for (const [count, counted] of [
    [1, '1 request, 0 refused, 1 part, 1 reconnect'],
    [2, '2 requests, 0 refused, 2 parts, 2 reconnects'],
  ] as const) {
    const health = { fleet: { ...link, requests: count, parts: count, reconnects: count } }
    const { fleet } = await planeThatAnswers(t, { 'GET /phones/pixel/health': [200, health] })
    const { code, out } = await fleet('status', '--on', 'fleet/pixel')
    t.match({ code, out }, { code: 0, out: `pixel: connected to a:4222 since now\n${counted}\n` })
  }
})
