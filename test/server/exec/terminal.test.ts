import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { type ExecRecord, type NewToken, note } from '../../../src/shared/schema/index.ts'
import { readStat } from '../../../src/server/spawn/scan-processes.ts'
import {
  noTerminals,
  openSocket,
  allProcessesWith,
  sandboxOf,
  soon,
  type Service,
  type Socket,
  startService,
  terminalOf,
  until,
  wants,
  becomes,
  processesWith,
} from '../../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-terminal-'))
const env = {
  HOME: folder, // a login shell must not run the profile of the user who runs the tests
  SHELLPHONE_TERMINAL: 'on',
  SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
  SHELLPHONE_MAX_TERMINALS: '16',
}
const service = await startService({ env })
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
wants(t, await noTerminals(service))
const { shell } = await terminalOf(service)

const sh = 'exec bash --norc --noprofile -i'
const usual = { rows: 24, columns: 80 }

/** A command in a terminal, with the client that types into it. */
interface TerminalClient {
  id: string
  socket: Socket
  /** all output so far */
  screen(): string
  type(data: string): void
  /** resolves when the output from `from` on matches */
  sees(what: RegExp, from?: number): Promise<void>
  /** types `data` and waits for output that matches */
  answers(data: string, what: RegExp): Promise<void>
  resize(rows: number, columns: number): void
  ended: Promise<ExecRecord>
}

async function openTerminal(command: string, more: object = {}, on: Service = service): Promise<TerminalClient> {
  const socket = await on.socket()
  const ref = 'terminal'
  socket.send({ type: 'exec', ref, command, tty: usual, ...more })
  const { id } = await socket.next((message) => message.type === 'accepted')
  return attachedTo(socket, String(id))
}

function attachedTo(socket: Socket, id: string): TerminalClient {
  const screen = () =>
    socket.messages.flatMap((one) => (one.type === 'output' && one.id === id ? [one.data] : [])).join('')
  const type = (data: string) => socket.send({ type: 'stdin', id, data })
  const sees = async (what: RegExp, from = 0) => {
    if (await becomes(() => what.test(screen().slice(from)))) return
    throw new Error(`${what} did not appear: ${JSON.stringify(screen().slice(-2000))}`)
  }
  return {
    id,
    socket,
    screen,
    type,
    sees,
    answers: async (data, what) => {
      const from = screen().length
      type(data)
      await sees(what, from)
    },
    resize: (rows, columns) => socket.send({ type: 'resize', id, rows, columns }),
    ended: socket.next((one) => one.type === 'result' && one.id === id) as Promise<unknown> as Promise<ExecRecord>,
  }
}

const recordOf = async (id: string, seconds = 0) =>
  (await (await service.request(`/runs/${id}?wait_seconds=${seconds}`)).json()) as ExecRecord

async function closeTerminals(...clients: TerminalClient[]): Promise<void> {
  for (const { socket, id } of clients) socket.send({ type: 'cancel', id })
  await Promise.all(clients.map(({ ended }) => ended))
  await Promise.all(clients.map(({ socket }) => socket.close()))
}

t.test('gives a command a complete terminal', async (t) => {
  /** [command, its whole output] */
  const rows: [string, RegExp][] = [
    ['tty', /^\/dev\/pts\/\d+\r\n$/],
    ['stty size', /^24 80\r\n$/],
    ['test -t 0 && test -t 1 && test -t 2 && echo yes', /^yes\r\n$/],
    ['[ "/dev/$(ps -o tty= -p $$)" = "$(tty)" ] && echo controls', /^controls\r\n$/],
    ['[ "$(ps -o sid= -p $$)" -eq $$ ] && echo leads', /^leads\r\n$/],
    ['echo one > /dev/tty; echo two > "$(tty)"', /^one\r\ntwo\r\n$/],
    ['echo "$TERM $COLORTERM ${PAGER-} ${DEBIAN_FRONTEND-}"', /^xterm-256color truecolor {2}\r\n$/],
    ['stty -a', /\biutf8[^]*\bisig icanon iexten echo\b/],
    ['echo error >&2', /^error\r\n$/],
    ['ls /proc/self/fd | tr "\\n" " "', /^0 1 2 3 $/],
    ['tput cols', /^80\r\n$/],
    [`echo 'echo "<$0>"; exit' | exec ${shell} -l`, new RegExp(`<-?[^>]*${basename(shell)}>`)],
  ]
  for (const [command, all] of rows) {
    const client = await openTerminal(command)
    const { status, exit_code, stdout, stderr, tty } = await client.ended
    t.match(stdout, all, command)
    t.equal(client.screen(), stdout, 'the same output as streamed')
    t.same([status, exit_code, stderr, tty], ['completed', 0, '', usual])
    await client.socket.close()
  }
  const own = await openTerminal('echo $TERM', { env: { TERM: 'vt100' }, timeout_seconds: 90 })
  t.match(await own.ended, { stdout: 'vt100\r\n', timeout_seconds: 90 }, 'values from the request take precedence')
  const posted = await service.post('/exec', { command: 'tty', tty: usual })
  const { id } = (await posted.json()) as ExecRecord
  t.equal(posted.status, 202, 'POST /exec answers at once')
  const record = await (await service.request(`/runs/${id}?wait_seconds=300`)).json()
  t.match(record, { status: 'completed', stdout: /^\/dev\/pts\// })
  await own.socket.close()
})

t.test('resizes a terminal', async (t) => {
  const client = await openTerminal(`trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done`)
  await client.sees(/ready/)
  client.resize(50, 132)
  await client.sees(/50 132/)
  const url = `/runs/${client.id}/resize`
  t.same(await (await service.post(url, { rows: 65_535, columns: 65_535 })).json(), { ok: true })
  await client.sees(/65535 65535/)
  t.match(await (await service.request(`/runs/${client.id}`)).json(), { tty: { rows: 65_535, columns: 65_535 } })
  await service.post(url, { rows: 1, columns: '9' })
  await client.sees(/\n1 9\r/)
  const { id: pipes } = (await (
    await service.post('/exec', { command: 'sleep 30', background: true })
  ).json()) as ExecRecord
  const { id: over } = await service.exec({ command: 'true' })
  /** [run, size, type of the error, its field] */
  const rows: [string, object, string, string?][] = [
    [client.id, { rows: 0, columns: 70_000 }, 'validation_error', 'rows'],
    [client.id, { rows: 24, columns: 70_000 }, 'validation_error', 'columns'],
    [client.id, { rows: 24, columns: 65_536 }, 'validation_error', 'columns'],
    [client.id, { rows: -1, columns: 80 }, 'validation_error', 'rows'],
    [client.id, { rows: 24.5, columns: 80 }, 'validation_error', 'rows'],
    [client.id, { rows: 24 }, 'validation_error', 'columns'],
    [client.id, { rows: 24, columns: 80, depth: 2 }, 'validation_error', 'depth'],
    [pipes, usual, 'conflict'],
    [over, usual, 'conflict'],
    ['01m808gre5000mhvbe2gtwpcnj', usual, 'not_found'],
  ]
  for (const [index, [id, size, type, field]] of rows.entries()) {
    const name = `${JSON.stringify(size)}: ${type}`
    const { error } = (await (await service.post(`/runs/${id}/resize`, size)).json()) as { error: object }
    t.hasStrict(error, { type, ...(field && { field }) }, `${name} over HTTP`)
    client.socket.send({ type: 'resize', ref: `${index}`, id, ...size })
    const message = await client.socket.next(({ ref }) => ref === `${index}`)
    t.hasStrict(message, { type: 'error', error: { type, ...(field && { field }) } }, `${name} over the WebSocket`)
    if (field === undefined) continue
    const { error: atOnce } = (await service.exec({ command: 'true', tty: size } as object)) as unknown as {
      error: object
    }
    t.hasStrict(atOnce, { type, field: `tty.${field}` }, `${name} at the opening`)
  }
  const fed = (await service.exec({ command: 'cat', tty: usual, stdin: 'x' })) as unknown as { error: object }
  t.hasStrict(fed.error, { type: 'validation_error', field: 'stdin' })
  await service.request(`/runs/${pipes}`, { method: 'DELETE' })
  await closeTerminals(client)
})

t.test('passes keys to the command', async (t) => {
  /** [name, command, output before the key, the key, fields of the final record] */
  const rows: [string, string, RegExp, string, object][] = [
    ['Ctrl-C', 'echo go; sleep 311; echo no', /go/, '\x03', { status: 'failed', signal: 'SIGINT' }],
    [
      'Ctrl-C, trapped',
      `trap 'echo caught; exit 7' INT; echo go; while :; do sleep 0.05; done`,
      /go/,
      '\x03',
      { exit_code: 7 },
    ],
    ['Ctrl-\\', 'echo go; sleep 311; echo no', /go/, '\x1c', { status: 'failed', signal: 'SIGQUIT' }],
    ['Ctrl-D', 'echo go; cat; echo over', /go/, '\x04', { status: 'completed', stdout: 'go\r\nover\r\n' }],
    ['a line, then Ctrl-D', 'echo go; cat; echo over', /go/, 'hi\n\x04', { stdout: 'go\r\nhi\r\nhi\r\nover\r\n' }],
    ['backspace, one character of UTF-8', 'echo go; read x; echo "<$x>"', /go/, 'aä\x7fb\n', { stdout: /<ab>/ }],
    ['Enter of a keyboard', 'echo go; read x; echo "<$x>"', /go/, 'yes\r', { stdout: /<yes>/ }],
    [
      'raw bytes',
      'stty raw -echo; echo go; head -c 4 | od -An -tx1',
      /go/,
      '\x03\x04\r\x7f',
      { stdout: / 03 04 0d 7f/ },
    ],
  ]
  for (const [name, command, before, key, end] of rows) {
    const client = await openTerminal(command)
    await client.sees(before)
    client.type(key)
    t.match(await client.ended, end, name)
    await client.socket.close()
  }
  const { id: flood } = (await (await service.post('/exec', { command: 'yes', tty: usual })).json()) as ExecRecord
  await until(async () => (await recordOf(flood)).stdout_bytes > 100_000)
  await service.post(`/runs/${flood}/stdin`, { data: '\x03' })
  t.match(await recordOf(flood, 300), { status: 'failed', signal: 'SIGINT' }, 'Ctrl-C in a flood that nobody reads')
  const piped = await openTerminal('echo go; read x; echo "<$x>"')
  await piped.sees(/go/)
  const put = await service.request(`/runs/${piped.id}/stdin?end=false`, { method: 'PUT', body: 'by a stream\n' })
  t.same([put.status, await put.json()], [200, { ok: true, offset: 12 }])
  t.match(await piped.ended, { stdout: /<by a stream>/ })
  await piped.socket.close()
  const client = await openTerminal('echo go; cat; echo over; cat; sleep 311')
  await client.sees(/go/)
  await service.post(`/runs/${client.id}/stdin`, { data: 'last\n', end: true })
  await client.sees(/last\r\nlast\r\nover/)
  const late = await service.post(`/runs/${client.id}/stdin`, { data: 'more' })
  t.equal(late.status, 409, 'the end of stdin sends Ctrl-D and nothing else')
  await closeTerminals(client)
})

t.test('supports job control', async (t) => {
  const client = await openTerminal(`${sh}`, { env: { PS1: 'PROMPT> ' } })
  await client.sees(/PROMPT> $/)
  t.notMatch(client.screen(), /no job control/)
  await client.answers('sleep 312\n', /sleep 312\r\n/)
  await until(() => processesWith('sleep 312').length === 1)
  await client.answers('\x1a', /Stopped +sleep 312[^]*PROMPT> $/)
  await client.answers('bg; sleep 313\n', /sleep 312 &/)
  await until(() => processesWith('sleep 313').length === 1)
  await client.answers('\x03', /PROMPT> $/)
  await until(() => processesWith('sleep 313').length === 0)
  t.same(
    [processesWith('sleep 312').length, processesWith('sleep 313').length],
    [1, 0],
    'Ctrl-C is for the one in front',
  )
  await client.answers('fg\n', /sleep 312/)
  t.equal((await service.post(`/runs/${client.id}/signal`, { signal: 'INT' })).status, 200)
  await client.sees(/PROMPT> $/, client.screen().length - 20)
  t.ok(await until(() => processesWith('sleep 312').length === 0), 'so does a named signal')
  await client.answers('jobs; echo "left: $?"\n', /left: 0/)
  client.type('exit 3\n')
  t.match(await client.ended, { status: 'failed', exit_code: 3 })
  await client.socket.close()
})

t.test('runs full-screen programs', async (t) => {
  const file = join(folder, 'by-vi')
  const vi = await openTerminal(`vi -u NONE ${file}`)
  await vi.sees(/by-vi/)
  await vi.answers('ione line, äöü\x1b', /one line, äöü/)
  vi.resize(10, 40)
  vi.type(':wq\r')
  t.match(await vi.ended, { status: 'completed', exit_code: 0 })
  t.equal(readFileSync(file, 'utf8'), 'one line, äöü\n', 'vi')
  const top = await openTerminal('top -d 0.2')
  await top.sees(/load average[^]*PID[^]*load average/)
  top.type('q')
  t.match(await top.ended, { status: 'completed', exit_code: 0 }, 'top')
  for (const { socket } of [vi, top]) await socket.close()
})

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

t.test('replays 200 000 lines after a reconnect', async (t) => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\r\n`).join('')
  const client = await openTerminal('seq 1 200000; read wait; echo over')
  await client.sees(/\n1000\r/)
  await client.socket.close()
  const first = client.screen()
  t.ok(first.length < lines.length, `left after ${first.length} bytes`)
  const again = await service.socket()
  again.send({ type: 'attach', id: client.id, stdout: first.length })
  const found = attachedTo(again, client.id)
  await found.sees(/\n200000\r\n$/)
  t.equal(sha256(first + found.screen()), sha256(lines), 'every byte once')
  found.type('\n')
  const record = await found.ended
  const rest = '\r\nover\r\n'
  t.match(record, {
    status: 'completed',
    stdout_bytes: lines.length + rest.length,
    stdout_sha256: sha256(lines + rest),
  })
  const replayed = await service.socket()
  replayed.send({ type: 'attach', id: client.id })
  await attachedTo(replayed, client.id).ended
  t.equal(sha256(attachedTo(replayed, client.id).screen()), sha256(lines + rest), 'replayed after the run has ended')
  for (const socket of [again, replayed]) await socket.close()
})

const reaperOf = (client: TerminalClient) => readStat(Number(/pid (\d+)/.exec(client.screen())![1]))!.parent
const launcherOf = ({ pid }: Service) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .find((child) => readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('launcher'))!

t.test('ends with all processes that it started', async (t) => {
  /** unique to this process, because `env -i` removes the mark that processesWith searches for */
  const sleeps = [1, 2, 3, 4, 5].map((number) => `sleep 321${number}.${process.pid}`)
  const [a, b, c, d, e] = sleeps
  const started = `(setsid ${a} &) ; nohup ${b} >/dev/null 2>&1 & ${c} & (trap '' HUP TERM; exec ${d}) & disown -a; (env -i setsid nohup ${e} >/dev/null 2>&1 &) ; vi -u NONE\n`
  const left = () => sleeps.filter((sleep) => allProcessesWith(sleep).length > 0)
  /** [name, how it ends, fields of the record] */
  const rows: [string, (client: TerminalClient) => unknown, object][] = [
    ['cancel', ({ socket, id }) => socket.send({ type: 'cancel', id }), { status: 'canceled' }],
    [
      'the shell leaves',
      (client) => client.answers(':q!\r', /> \s*$/).then(() => client.type('exit\n')),
      { notes: [{ code: 'BACKGROUND_ENDED' }] },
    ],
    ['DELETE', ({ id }) => service.request(`/runs/${id}`, { method: 'DELETE' }), { status: 'canceled' }],
    [
      'kill -9 of the launcher',
      () => process.kill(launcherOf(service), 'SIGKILL'),
      { notes: [{ code: 'LAUNCHER_DIED' }] },
    ],
    [
      'kill -9 of its reaper',
      (client) => process.kill(reaperOf(client), 'SIGKILL'),
      { notes: [{ code: 'KEEPER_KILLED' }] },
    ],
  ]
  for (const [name, end, record] of rows) {
    const client = await openTerminal(`echo "pid $$"; ${sh}`, { env: { PS1: '> ' } })
    await client.sees(/> $/)
    client.type(started)
    await client.sees(/~\r?\n?/)
    t.ok(await until(() => left().length === 5), `${name}: all run`)
    await end(client)
    t.match(await client.ended, record, name)
    t.ok(await until(() => left().length === 0), `${name}: nothing is left of ${left()}`)
    t.same(((await client.ended) as ExecRecord).left_behind.survivors, [])
    await client.socket.close()
  }
  const again = await openTerminal('tty')
  t.match(await again.ended, { status: 'completed' }, 'and the next one opens')
  await again.socket.close()
})

t.test('survives a hundred clients that disconnect', async (t) => {
  const client = await openTerminal('while read line; do echo "<$line>"; done')
  const others = await Promise.all(Array.from({ length: 100 }, () => openSocket(service.url, service.token)))
  for (const [index, socket] of others.entries()) {
    socket.send({ type: 'attach', id: client.id })
    socket.send({ type: 'stdin', id: client.id, data: `client ${index}\n` })
  }
  for (const index of others.keys()) await client.sees(new RegExp(`<client ${index}>`))
  const before = service.rssBytes()
  for (const [index, { raw }] of others.entries()) {
    if (index % 2) raw.terminate()
    else raw.pause()
  }
  await client.answers('still here\n', /<still here>/)
  for (const { raw } of others) raw.terminate()
  await client.answers('and now\n', /<and now>/)
  t.ok(service.rssBytes() - before < 32 << 20, `${(service.rssBytes() - before) >> 10} KiB more`)
  const found = await service.socket()
  found.send({ type: 'attach', id: client.id })
  await attachedTo(found, client.id).sees(/<client 99>[^]*<and now>/)
  await found.close()
  await closeTerminals(client)
})

t.test('limits a hundred clients that each open a terminal', async (t) => {
  const few = await startService({ env: { ...env, SHELLPHONE_MAX_TERMINALS: '4' } })
  t.teardown(() => few.stop())
  const body = { command: 'exec sleep 314', tty: usual }
  const replies = await Promise.all(Array.from({ length: 100 }, () => few.post('/exec', body)))
  const records = await Promise.all(replies.map(async (reply) => (await reply.json()) as ExecRecord))
  const ended = async ({ id }: ExecRecord) => id && (await (await few.request(`/runs/${id}`)).json())
  await until(() => processesWith('sleep 314').length === 4)
  const running = async () =>
    (await Promise.all(records.map(ended))).filter((one) => (one as ExecRecord)?.status === 'running').length
  t.ok(await until(async () => (await running()) === 4), 'four are open')
  t.equal(processesWith('sleep 314').length, 4)
  const fifth = await few.post('/exec', body)
  t.same([fifth.status, fifth.headers.get('retry-after')], [503, '60'])
  t.match(await fifth.json(), { error: { type: 'pool_full', message: '4 terminals are already open' } })
  t.match(await few.exec({ command: 'echo other commands run' }), { status: 'completed' })
})

/** Status and body of the response to a POST with this token. */
async function post(on: Service, token: string, path: string, body: object) {
  const init = { method: 'POST', token, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const reply = await on.request(path, init)
  return { status: reply.status, body: (await reply.json()) as ExecRecord & { error?: object } }
}

t.test('lets only tokens with the right use a terminal', async (t) => {
  const token = async (input: object) => ((await (await service.post('/tokens', input)).json()) as NewToken).token
  const agent = await token({ name: 'agent', read: 'all' })
  const shell = await token({ name: 'shell', read: 'all', shell: true })
  const person = await token({ name: 'person', read: 'all', shell: true, approves: 'all' })
  const blind = await token({ name: 'blind', approves: 'all', read: 'all' })
  const refused = await post(service, agent, '/exec', { command: 'cat', tty: usual })
  t.match(refused, { status: 403, body: { error: { type: 'forbidden', message: /agent may not open a terminal/ } } })
  const { body: own } = await post(service, shell, '/exec', { command: 'cat', tty: usual })
  const client = await openTerminal('cat')
  /** [token, token text, run, may use it] */
  const rows: [string, string, string, boolean][] = [
    ['agent', agent, client.id, false],
    ['agent', agent, own.id, false],
    ['blind', blind, own.id, false],
    ['shell', shell, client.id, false],
    ['shell', shell, own.id, true],
    ['person', person, own.id, true],
    ['person', person, client.id, true],
    ['owner', service.token, own.id, true],
  ]
  for (const [name, secret, id, may] of rows) {
    for (const [path, body] of [
      ['stdin', { data: 'x' }],
      ['resize', usual],
      ['signal', { signal: 'WINCH' }],
    ] as const) {
      const { status, body: screen } = await post(service, secret, `/runs/${id}/${path}`, body)
      t.equal(
        status,
        may ? 200 : 403,
        `${name} ${may ? 'may' : 'may not'} ${path} ${id === own.id ? "shell's" : "owner's"}`,
      )
      if (!may) t.hasStrict(screen.error, { type: 'forbidden' })
    }
    const socket = await openSocket(service.url, secret)
    socket.send({ type: 'stdin', ref: 'x', id, data: 'x' })
    socket.send({ type: 'ping', ref: 'pong' })
    await socket.next(({ type }) => type === 'pong')
    const isAnswered = socket.messages.some(({ ref }) => ref === 'x')
    t.equal(isAnswered, !may, `${name} over the WebSocket`)
    await socket.close()
  }
  await service.request(`/runs/${own.id}`, { method: 'DELETE' })
  await closeTerminals(client)
})

/** A separate service for one test, with these settings. */
async function other(t: Test, more: Record<string, string>): Promise<Service> {
  const made = await startService({ env: { SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false', ...more } })
  t.teardown(() => made.stop())
  return made
}

t.test('a terminal that waits for approval refuses signals and sizes at once, and holds its input', async (t) => {
  const asking = await other(t, {})
  const client = await openTerminal('stty size; read x; echo "<$x>"', {}, asking)
  const { approval } = await client.socket.next(({ type }) => type === 'note')
  const { id } = approval as { id: string }
  const error = { type: 'conflict', message: new RegExp(`has not started; it waits for the approval ${id}`) }
  const rows: [string, object][] = [
    ['signal', { signal: 'SIGINT' }],
    ['resize', { rows: 50, columns: 132 }],
  ]
  for (const [verb, body] of rows) {
    const refused = await soon(asking.post(`/runs/${client.id}/${verb}`, body))
    t.match([refused.status, await refused.json()], [409, { error }], verb)
    client.socket.send({ type: verb, ref: verb, id: client.id, ...body })
    t.match(await client.socket.next(({ ref }) => ref === verb), { type: 'error', error }, `${verb} over the WebSocket`)
  }
  const fed = asking.post(`/runs/${client.id}/stdin`, { data: 'yes\n' })
  await asking.post(`/approvals/${id}`, { decision: 'approve' })
  t.same(await (await fed).json(), { ok: true, offset: 4 })
  t.match(await client.ended, { status: 'completed', stdout: /24 80\r\n[^]*<yes>/ })
  await client.socket.close()
})

t.test('opening a terminal needs approval', async (t) => {
  const asking = await other(t, {})
  const watcher = await asking.socket()
  t.teardown(() => watcher.close())
  watcher.send({ type: 'watch_approvals' })
  for (const decision of ['approve', 'deny'] as const) {
    const command = `echo ${decision}; tty`
    const client = await openTerminal(command, {}, asking)
    const note = await client.socket.next(({ type }) => type === 'note')
    const { id } = note.approval as { id: string }
    const { approval } = await watcher.next((one) => (one.approval as { id: string } | undefined)?.id === id)
    t.match(approval, { command, rule: 'terminal', risk: 'high', stdin: 'open', always: null })
    await asking.post(`/approvals/${id}`, { decision, by: 'Ada' })
    const record = await client.ended
    t.match(record.approval, { outcome: decision === 'approve' ? 'approved' : 'denied', by: 'owner "Ada"' })
    t.match(record, {
      decision: { rule: 'terminal' },
      tty: usual,
      status: decision === 'approve' ? 'completed' : 'denied',
    })
    await client.socket.close()
  }
  const check = await asking.post('/policy/check', { command: 'true', tty: usual })
  t.match(await check.json(), { verdict: 'ask', guards: [{ guard: 'terminal', rule: 'terminal' }] })
  t.match(await asking.exec({ command: 'echo plain' }), { status: 'completed' }, 'no other command gets a terminal')
})

t.test('explains why no terminal is available', async (t) => {
  /** [settings, status of POST /exec, fields of the record, the warning in /health] */
  const rows: [Record<string, string>, number, object, object][] = [
    [
      { SHELLPHONE_TERMINAL: 'off' },
      202,
      { status: 'denied', decision: { rule: 'terminal' } },
      { available: false, reason: /setting terminal/ },
    ],
    [
      { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0' },
      202,
      { status: 'denied', approval: { outcome: 'nobody' } },
      { available: true },
    ],
    [
      { SHELLPHONE_SPAWNER: 'child_process', SHELLPHONE_TERMINAL: 'on' },
      503,
      {
        error: { type: 'terminal_unavailable', message: /need the launcher: the configuration selects child_process/ },
      },
      { available: false, reason: /need the launcher/ },
    ],
  ]
  for (const [settings, status, end, health] of rows) {
    const none = await other(t, settings)
    const { status: got, body } = await post(none, none.token, '/exec', { command: 'tty', tty: usual })
    t.equal(got, status, JSON.stringify(settings))
    t.match(got === 202 ? await (await none.request(`/runs/${body.id}?wait_seconds=300`)).json() : body, end)
    t.match(((await (await none.request('/health')).json()) as { terminal: object }).terminal, health)
  }
})

t.test('the guards judge the command, not what is typed', async (t) => {
  const guarded = await other(t, { SHELLPHONE_TERMINAL: 'on', SHELLPHONE_POLICY: 'strict' })
  const denied = await openTerminal('rm -rf /', {}, guarded)
  t.match(await denied.ended, { status: 'denied' })
  const client = await openTerminal('cat', {}, guarded)
  await client.answers('rm -rf /\n', /rm -rf \/\r\nrm -rf \//)
  await closeTerminals(client)
  await denied.socket.close()
  const own = { command: `exec ${shell} -l`, tty: usual, policy: { policy: 'guarded' } }
  t.match(await (await guarded.post('/policy/check', own)).json(), { verdict: 'allow' }, "the owner's own shell")
})

t.test('closes a terminal that nobody reads', async (t) => {
  /** unique to this process */
  const sleep = `sleep 315.${process.pid}`
  const brief = await other(t, { SHELLPHONE_TERMINAL: 'on', SHELLPHONE_TERMINAL_IDLE_SECONDS: '1' })
  const client = await openTerminal(sleep, {}, brief)
  await until(() => processesWith(sleep).length > 0)
  const { body: unread } = await post(brief, brief.token, '/exec', { command: 'sleep 317', tty: usual })
  const later = (await (await brief.request(`/runs/${unread.id}?wait_seconds=300`)).json()) as ExecRecord
  t.match(later, { status: 'canceled', notes: [note('TERMINAL_NOT_READ', 1)] }, 'a later terminal that nobody reads')
  t.ok(processesWith(sleep).length > 0, 'the terminal stays open while a client reads it')
  await client.socket.close()
  t.ok(await until(() => processesWith(sleep).length === 0), 'closes after the idle time')
  const record = (await (await brief.request(`/runs/${client.id}?wait_seconds=300`)).json()) as ExecRecord
  t.match(record, { status: 'canceled', notes: [note('TERMINAL_NOT_READ', 1)] })
})

t.test('a sandboxed command can use its own terminal and no other', async (t) => {
  const { available } = await sandboxOf(service)
  const neighbour = await openTerminal('tty; cat')
  await neighbour.sees(/pts\/\d+\r\n/)
  const theirs = neighbour.screen().trim()
  for (const sandbox of ['read-only', 'workspace-write'].filter((name) => available.includes(name))) {
    /** [command, its output] */
    const rows: [string, RegExp][] = [
      ['tty; stty size; test -t 2 && echo yes', /^\/dev\/pts\/\d+\r\n24 80\r\nyes\r\n$/],
      ['echo one > /dev/tty; echo two > "$(tty)"; stty -F "$(tty)" size', /^one\r\ntwo\r\n24 80\r\n$/],
      [`echo x > ${theirs} || echo refused`, /ermission denied\r\nrefused\r\n$/],
      [`head -c 1 < ${theirs} || echo refused`, /ermission denied\r\nrefused\r\n$/],
      [`stty -F ${theirs} size || echo refused`, /ermission denied\r\nrefused\r\n$/],
      ['exec 3<> /dev/ptmx || echo refused', /ermission denied/],
      ['bash --norc -ic "sleep 316 & kill %1; wait; echo waited"', /waited/],
    ]
    for (const [command, says] of rows) {
      const client = await openTerminal(command, { sandbox })
      t.match((await client.ended).stdout, says, `${sandbox}: ${command}`)
      await client.socket.close()
    }
    const plain = await service.exec({
      command: `echo x > /dev/pts/0; ls -l ${theirs} >/dev/null; echo x > ${theirs}`,
      sandbox,
    })
    t.match(plain.stderr, /ermission denied[^]*ermission denied/, `${sandbox}: a later run without one has none`)
  }
  t.notMatch(neighbour.screen(), /x/)
  await closeTerminals(neighbour)
})
