/** The attacks of scripts/drills/drill-attack.ts by unauthenticated clients, and by clients that send too much or read too little. */
import type { Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import { connect } from 'node:tls'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { openSocket, type Service } from '../../test/support/helper.ts'
import { frame, openRaw, openRawWebSocket, pour } from '../../test/support/raw-client.ts'

const MiB = 1_048_576
const LONG_MS = 2_000

/**
 * An attack adds every connection that it opens to `sockets`. `cameInAfterMs`: how long the owner waited to connect, if the attack tries to
 * prevent that. `got`: what the attack obtained without permission.
 */
export type Attack = (service: Service, sockets: Socket[]) => Promise<{ cameInAfterMs?: number; got?: string[] } | void>

/** An attack on any Node server. The same attack on a bare server (scripts/drills/bare-server.mjs) shows the share of the machine. */
export type PlainAttack = (server: Pick<Service, 'port' | 'token'>, sockets: Socket[]) => ReturnType<Attack>

/** The name of an attack, the attack, and the same attack on a bare server. */
export type Row = [name: string, attack: Attack, plain?: PlainAttack]

/** The result of an attack on rights: what succeeded, or why it cannot be tried on this machine. */
export interface Outcome {
  name: string
  got: string[]
  /** the attempts that must succeed, because the README of src/server/policy says that the guards cannot see them */
  expected?: readonly string[]
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function open(count: number, sockets: Socket[], how: () => Promise<Socket>): Promise<Socket[]> {
  const opened: Socket[] = []
  for (let n = 0; n < count; n += 32) {
    const some = await Promise.all(Array.from({ length: Math.min(32, count - n) }, how))
    opened.push(...some)
    sockets.push(...some)
  }
  return opened
}

/** Opens `count` connections that send `piece` repeatedly and read nothing. */
const flood =
  (
    count: number,
    how: (service: Service) => Promise<Socket>,
    toPiece: (service: Service) => Buffer,
    maxMiB = 16,
  ): Attack =>
  async (service, sockets) => {
    const opened = await open(count, sockets, () => how(service))
    for (const socket of opened) socket.pause()
    const piece = toPiece(service)
    await Promise.all(opened.map((socket) => pour(socket, piece, maxMiB * MiB)))
  }

/** Sends requests without a body, one after the other, on 16 connections. */
const guess =
  (path: string): Attack =>
  async ({ port }, sockets) => {
    const opened = await open(16, sockets, () => openRaw(port))
    const end = performance.now() + LONG_MS
    const ask = async (socket: Socket) => {
      for (let n = 0; performance.now() < end && !socket.destroyed; n++) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong${n}\r\n\r\n`)
        await Promise.race([new Promise((resolve) => socket.once('data', resolve)), pause(1000)])
      }
    }
    await Promise.all(opened.map(ask))
  }

const post =
  (path: string, body: object | string): Attack =>
  async (service) => {
    await (await service.post(path, body)).text()
  }

const asOwner = ({ token }: { token: string }, line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`

const asStranger = (line: string, more: string) =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

const strangerWebSocket = ({ port }: Service) => openRawWebSocket(port)
const ownWebSocket = ({ port, token }: Service) => openRawWebSocket(port, token)
const http = ({ port }: Service) => openRaw(port)
const times = (count: number, piece: Buffer | string) => Buffer.concat(Array(count).fill(Buffer.from(piece)))

const unreadOutput: Attack = async (service, sockets) => {
  const { id } = await service.exec({ command: 'head -c 1048576 /dev/zero', max_length: 10 })
  const toPiece = () => times(400, asOwner(service, `GET /runs/${id}/output`))
  await flood(4, http, toPiece)(service, sockets)
}

const watchers: Attack = async (service, sockets) => {
  const command = 'read go; head -c 900000 /dev/zero | tr "\\0" x'
  const asked = { command, stdin: 'open', max_length: 1_000_000, background: true }
  const { id } = (await (await service.post('/exec', asked)).json()) as ExecRecord
  for (const socket of await open(256, sockets, () => ownWebSocket(service))) {
    socket.pause().write(frame(1, JSON.stringify({ type: 'attach', id })))
  }
  await (await service.post(`/runs/${id}/stdin`, { data: 'go\n', end: true })).text()
  await pause(LONG_MS)
}

const stalledBodies: PlainAttack = async (service, sockets) => {
  const length = 8 * MiB - 1000
  const head = asOwner(service, 'POST /exec', `Content-Type: application/json\r\nContent-Length: ${length}\r\n`)
  const opened = await open(100, sockets, () => openRaw(service.port, head))
  const piece = Buffer.alloc(262_144, 'x')
  await Promise.all(opened.map((socket) => pour(socket, piece, length - piece.length)))
}

/** A chunk of one byte costs as much as one of thousands. */
const chunksOfAByte =
  (toHead: (service: { token: string }) => string): PlainAttack =>
  async (service, sockets) => {
    const opened = await open(32, sockets, () => openRaw(service.port, toHead(service)))
    await Promise.all(opened.map((socket) => pour(socket, times(10_000, '1\r\nx\r\n'), MiB)))
    await pause(LONG_MS)
  }

const strangersBodies: PlainAttack = async ({ port }, sockets) => {
  const length = 8 * MiB - 1000
  const opened = await open(100, sockets, () =>
    openRaw(port, asStranger('POST /pair', `Content-Length: ${length}\r\n`)),
  )
  await Promise.all(opened.map((socket) => pour(socket, Buffer.alloc(262_144, 'x'), length - 262_144)))
}

/** Opens 1 024 connections. Then the owner connects with a WebSocket that starts like them, and runs a command. */
const idle =
  (how: (service: Service) => Promise<Socket>): Attack =>
  async (service, sockets) => {
    await open(1024, sockets, () => how(service))
    const began = performance.now()
    const owner = await openSocket(service.url, null)
    owner.send({ type: 'auth', token: service.token })
    await owner.exec('in', { command: 'true' })
    const cameInAfterMs = performance.now() - began
    await owner.close()
    await pause(LONG_MS)
    return { cameInAfterMs }
  }

/** Sends the first bytes of a handshake whose header announces more. */
const HALF_HELLO = Buffer.from('1603010200010001fc0303', 'hex')

const shakeHands = ({ port }: { port: number }, sockets: Socket[]) =>
  new Promise<void>((resolve, reject) => {
    const owner = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, resolve)
    sockets.push(owner.on('error', reject))
  })

const halfHandshakes: PlainAttack = async (service, sockets) => {
  await shakeHands(service, sockets) // the first handshake in a process loads code
  await open(1024, sockets, async () => {
    const socket = await openRaw(service.port)
    socket.write(HALF_HELLO)
    return socket
  })
  const began = performance.now()
  await shakeHands(service, sockets)
  const cameInAfterMs = performance.now() - began
  await pause(LONG_MS)
  return { cameInAfterMs }
}

/** Starts as many handshakes as a client can in 2 s. A handshake costs the service more than the client. */
const handshakes: PlainAttack = async ({ port }, sockets) => {
  const end = performance.now() + LONG_MS
  const shake = async () => {
    while (performance.now() < end) {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }).on('error', () => {})
      sockets.push(socket)
      await Promise.race([
        new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve)),
        pause(1000),
      ])
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: 8 }, shake))
}

/** Runs commands that would print the owner's token from the directory above the service's home, with a token without rights. */
const thefts: Attack = async (service) => {
  const made = await service.post('/tokens', { name: 'thief' })
  const { token } = (await made.json()) as { token: string }
  const asThief = { authorization: `Bearer ${token}` }
  const [above, home] = [dirname(service.home), basename(service.home)]
  const got: string[] = []
  for (const command of [
    `cat ${home}/token`,
    `grep -rsh . ${above} --include=token`,
    `find ${above} -maxdepth 2 -name token -exec cat {} +`,
    `cat $(find ${above} -maxdepth 2 -name token)`,
    `find . -maxdepth 2 -name token | xargs cat`,
    `find . -maxdepth 2 -name token | while read -r f; do cat "$f"; done`,
    `tar cf - -C ${above} . | head -c 100000000`,
    `cat /proc/self/cwd/${home}/token`,
    `cat /proc/self/root${service.home}/token`,
    `cat /proc/$$/cwd/${home}/token`,
    `exec 3<.; cat /dev/fd/3/${home}/token`,
    `ln ${home}/token "$TMPDIR/hard"; cat "$TMPDIR/hard"`,
  ]) {
    const reply = await service.post('/exec', { command, working_directory: above, timeout_seconds: 2 }, asThief)
    if ((await reply.text()).includes(service.token)) got.push(command)
  }
  await service.request('/tokens/thief', { method: 'DELETE' })
  return { got }
}

const fields = (count: number) => `{${Array.from({ length: count }, (_, n) => `"f${n}":1`).join()}}`
const FROZEN = ['^echo (a+)+$', '^(a|a)*b$', '^(.*)*~$']
const MANY_STEPS = Array.from({ length: 1000 }, (_, n) => `(a|b|7){1,900}x{1,900}.?${n}`)
const frozen = { command: `echo ${'a'.repeat(60)}!` }
const check = (command: string) => post('/policy/check', { command })

/** The settings of the service under attack. */
export const attackedSettings = {
  SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '20',
  SHELLPHONE_CUSTOM_DENY_PATTERNS: JSON.stringify(FROZEN),
}

export const attacks: Row[] = [
  ['5: thefts of the owner’s token by commands', thefts],
  ['1024 WebSockets of strangers', idle(strangerWebSocket)],
  ['1024 silent connections', idle(http)],
  ['1024 headers that never end', idle(({ port }) => openRaw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nX: '))],
  ['binary frames of strangers', flood(60, strangerWebSocket, () => times(64, frame(2, 'x'.repeat(60_000))))],
  ['pings of strangers', flood(60, strangerWebSocket, () => times(2000, frame(9)))],
  ['wrong tokens', guess('/runs')],
  ['wrong tokens at GET /%', guess('/%zz')],
  [
    'pipelined GET /health of strangers',
    flood(16, http, () => times(2000, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')),
  ],
  ['pings unread', flood(4, ownWebSocket, () => times(2000, frame(9, 'x'.repeat(100))))],
  ['messages unread', flood(4, ownWebSocket, () => times(2000, frame(1, '{"type":"ping"}')))],
  ['pipelined GET /output unread', unreadOutput],
  ['256 watchers of 900 kB, unread', watchers],
  ['100 bodies that never end', stalledBodies, stalledBodies],
  ['bodies of strangers that never end', strangersBodies, strangersBodies],
  ...(
    [
      ['chunks of a byte', (service) => asOwner(service, 'POST /exec', `Content-Type: application/json\r\n${CHUNKED}`)],
      ['chunks of a byte of strangers', () => asStranger('POST /exec', CHUNKED)],
    ] as [string, (service: { token: string }) => string][]
  ).map(([name, toHead]): Row => [name, chunksOfAByte(toHead), chunksOfAByte(toHead)]),
  [
    'pipelined GET /docs of strangers',
    flood(32, http, () => times(500, 'GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n'), 1),
  ],
  ['600 000 unknown fields', post('/exec', fields(600_000))],
  [
    '100 000 levels',
    post('/policy/check', `{"dialect":"meka","arguments":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`),
  ],
  ['limits beyond numbers', post('/exec', { command: 'true', limits: { cpu_seconds: 1e300 } })],
  ['patterns that backtrack', post('/policy/check', { ...frozen, policy: { custom_deny_patterns: FROZEN } })],
  ['1000 patterns of many steps', post('/policy/check', { ...frozen, policy: { custom_deny_patterns: MANY_STEPS } })],
  ['a thousand pkill of many steps', check(`pkill -f '(n|x){1,300}(o|x){1,300}';`.repeat(1000))],
  ['patterns of settings that backtrack', post('/exec', frozen)],
  ['50 000 times <<E', check('<<E '.repeat(50_000))],
  ['100 000 times a|', check('a|'.repeat(100_000))],
  ['20 000 times {a..z}', check(`echo ${'{a..z}'.repeat(20_000)}`)],
  ['50 000 times $(', check('$('.repeat(50_000))],
  ['300 000 times "a"', check(`echo ${'"a"'.repeat(300_000)}`)],
  ['300 000 times *a', check(`echo ${'*a'.repeat(300_000)}`)],
  ['500 000 words', check(`echo ${'a '.repeat(500_000)}`)],
  ['20 000 commands', check('a;'.repeat(19_900))],
]

/** The attacks on a service with TLS. */
export const tlsAttacks: Row[] = [
  ['1024 half handshakes', halfHandshakes, halfHandshakes],
  ['handshakes of strangers', handshakes, handshakes],
]
