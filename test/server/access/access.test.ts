import { execFile, execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import {
  createPairing,
  createTokens,
  ownCertificate,
  openCertificate,
  openOnePort,
} from '../../../src/server/access/index.ts'
import { makeCertificate } from '../../../src/server/access/make-certificate.ts'
import { isRunOf, OWNER, DEFAULT_RIGHTS } from '../../../src/shared/schema/index.ts'
import { HANG_MS, until } from '../../support/helper.ts'
import { ownersToken } from '../../support/owners-token.ts'

const DAY_MS = 86_400_000
const quiet = () => {}

/** A small file in memory. */
function kept(text: string | null = null) {
  const file = { text, read: () => file.text, write: (next: string) => void (file.text = next) }
  return file
}

function open(file = kept(), now = () => Date.now()) {
  return createTokens({ file, owner: ownersToken('the-owners-token'), log: quiet, now })
}

t.test('a token expires no later than its creator, even if the clock advances meanwhile', async (t) => {
  let nowMs = Date.now()
  const tokens = open(kept(), () => nowMs++)
  const maker = tokens.find(
    tokens.create({ name: 'limited', approves: 'all', expires_in_days: 10 }).token,
    '127.0.0.1',
  )!
  const { expires_at } = tokens.create({ name: 'within' }, maker)
  t.equal(expires_at, tokens.list()[0]!.expires_at)
  t.ok(tokens.rotate('within', maker), 'so that its maker may rotate it')
  tokens.create({ name: 'endless' })
  t.throws(() => tokens.rotate('endless', maker), { code: 'FORBIDDEN', message: /^expires_in_days: / })
})

t.test('a token that is limited to addresses cannot rotate one that is valid from every address', async (t) => {
  const tokens = open()
  const made = tokens.create({ name: 'limited', approves: 'all', addresses: ['127.0.0.0/8'] })
  const maker = tokens.find(made.token, '127.0.0.1')!
  tokens.create({ name: 'anywhere' })
  t.throws(() => tokens.rotate('anywhere', maker), { code: 'FORBIDDEN', message: /^addresses: / })
  tokens.create({ name: 'here', addresses: ['127.0.0.1'] })
  t.match(tokens.rotate('here', maker), { name: 'here' })
})

t.test('a token authenticates its holder until it expires', async (t) => {
  let nowMs = Date.now()
  const file = kept()
  const tokens = open(file, () => nowMs)
  t.equal(tokens.find('the-owners-token', '127.0.0.1')?.name, 'owner')
  t.equal(tokens.find('', '127.0.0.1'), null)
  const made = tokens.create({ name: 'codex', expires_in_days: 2 })
  t.match(made.token, /^[\w-]{43}$/)
  t.notOk(file.text!.includes(made.token), 'the file does not hold it')
  t.match(tokens.find(made.token, '127.0.0.1'), { name: 'codex', approves: 'none', read: 'own', shell: false })
  t.match(open(file).find(made.token, '::1'), { name: 'codex' }, 'another start knows it')
  t.ok(tokens.list()[0]!.last_used_at, 'its use is noted')
  t.notOk('sha256' in tokens.list()[0]!)

  const ended: string[] = []
  tokens.onEnd((name) => ended.push(name))
  const rotated = tokens.rotate('codex')
  t.equal(tokens.find(made.token, '127.0.0.1'), null)
  t.equal(tokens.find(rotated.token, '127.0.0.1')?.name, 'codex')
  nowMs += 2 * DAY_MS
  t.equal(tokens.find(rotated.token, '127.0.0.1'), null, 'expired')
  tokens.revoke('codex')
  t.same(ended, ['codex', 'codex'])
  t.same(tokens.list(), [])
})

t.test('reads an expiry as a time, in whatever form a person wrote it', async (t) => {
  const file = kept()
  const tokens = open(file, () => Date.parse('2026-12-31T00:00:00Z'))
  t.teardown(() => tokens.close())
  const { token } = tokens.create({ name: 'edited', approves: 'all', expires_in_days: 1 })
  const whoBy = (end: string) => {
    file.text = file.text!.replace(/"expires_at": "[^"]*"/, `"expires_at": "${end}"`)
    tokens.reload()
    return tokens.find(token, '::1')
  }
  t.equal(whoBy('soon'), null, 'what is no date is over')
  const byDate = whoBy('2027-01-01')!
  t.match(tokens.create({ name: 'as-long' }, byDate), { expires_at: '2027-01-01T00:00:00.000Z' })
  const byZone = whoBy('2027-01-01T00:00:00+14:00')! // 10:00 UTC today
  t.throws(() => tokens.create({ name: 'longer', expires_in_days: 0.5 }, byZone), { code: 'FORBIDDEN' })
  t.ok(tokens.create({ name: 'shorter', expires_in_days: 0.4 }, byZone))
})

t.test('a row from before a right existed gets its default', async (t) => {
  const file = kept()
  const { token } = open(file).create({ name: 'old', read: 'all' })
  const [{ files, instant_answers, ...old }] = JSON.parse(file.text!).tokens
  t.same([files, instant_answers], ['write', false])
  const tokens = open(kept(JSON.stringify({ tokens: [old] })))
  t.match(tokens.find(token, '127.0.0.1'), { name: 'old', read: 'all', files: 'write', instant_answers: false })
  t.equal(tokens.problem(), null)
})

t.test('a file without ids gets ids and keeps them', async (t) => {
  const file = kept()
  open(file).create({ name: 'old' })
  const [{ id: _none, ...old }] = JSON.parse(file.text!).tokens
  file.text = JSON.stringify({ tokens: [old] })
  const [first] = open(file).list()
  t.match(first, { name: 'old', id: /^[\w-]{36}$/ })
  t.same(open(file).list(), [first], 'written back: the next start has the same')
  const tokens = open(file)
  file.text = JSON.stringify({ tokens: [...JSON.parse(file.text!).tokens, { ...old, name: 'by-hand' }] })
  t.ok(tokens.reload())
  t.same(open(file).list(), tokens.list(), 'a row that a person wrote, too')
})

t.test('a run without a token id belongs to the token that had its name at the time', async (t) => {
  const who = { ...DEFAULT_RIGHTS, id: 'an-id', name: 'codex', created_at: '2026-03-01T00:00:00.000Z' }
  const at = (started_at: string | null, ended_at: string | null = null) => ({ token: 'codex', started_at, ended_at })
  const rows = [
    [at('2026-03-02T00:00:00.000Z'), true],
    [at('2026-02-28T00:00:00.000Z', '2026-03-02T00:00:00.000Z'), false],
    [at(null, '2026-03-02T00:00:00.000Z'), true],
    [{ ...at('2026-03-02T00:00:00.000Z'), token: 'other' }, false],
    [{ ...at('2026-03-02T00:00:00.000Z'), token_id: 'another-id' }, false],
    [{ ...at('2026-02-28T00:00:00.000Z'), token_id: 'an-id', token: 'before' }, true],
  ] as const
  for (const [record, expected] of rows) t.equal(isRunOf(record, who), expected, JSON.stringify(record))
  t.ok(isRunOf({ token: 'owner', started_at: null, ended_at: null }, OWNER))
})

t.test('stores the last use of a token without delaying requests, and once more at the stop', async (t) => {
  const file = kept()
  let writes = 0
  const write = (next: string) => {
    writes++
    file.write(next)
  }
  const tokens = createTokens({ file: { read: file.read, write }, owner: ownersToken('the-owners-token'), log: quiet })
  const { token } = tokens.create({ name: 'codex' })
  const { token: other } = tokens.create({ name: 'phone' })
  for (const one of [token, other, token]) t.ok(tokens.find(one, '127.0.0.1'))
  t.equal(writes, 2, 'none for the uses')
  t.notOk(tokens.reload(), 'what it has written itself is nothing new')
  tokens.close()
  tokens.close()
  t.equal(writes, 3, 'one for all of them')
  const noted = JSON.parse(file.text!).tokens as { last_used_at: string | null }[]
  t.same(
    noted.map(({ last_used_at: at }) => at !== null),
    [true, true],
  )
  t.notOk(tokens.reload())

  tokens.find(token, '127.0.0.1')
  file.text = JSON.stringify({ tokens: JSON.parse(file.text!).tokens.slice(1) })
  tokens.close()
  t.equal(writes, 3, 'what somebody has just written is not overwritten')
  t.ok(tokens.reload())
  t.equal(tokens.find(token, '127.0.0.1'), null, 'and holds')
})

t.test('accepts a token only from its networks', async (t) => {
  const tokens = open()
  const { token } = tokens.create({ name: 'lan', addresses: ['192.168.1.0/24', 'fd00::/8', '10.0.0.7'] })
  const rows: [string, boolean][] = [
    ['192.168.1.77', true],
    ['::ffff:192.168.1.77', true],
    ['192.168.2.1', false],
    ['fd00::1', true],
    ['fe80::1', false],
    ['10.0.0.7', true],
    ['10.0.0.8', false],
    ['', false],
  ]
  for (const [address, expected] of rows) t.equal(tokens.find(token, address) !== null, expected, address)
})

t.test('refuses invalid tokens and ignores damaged files', async (t) => {
  const tokens = open()
  tokens.create({ name: 'a' })
  t.throws(() => tokens.create({ name: 'a' }), { code: 'CONFLICT' })
  t.throws(() => tokens.create({ name: 'owner' }), { code: 'CONFLICT' })
  t.throws(
    () => tokens.create({ name: 'b', addresses: ['192.168.1.0/99'] }),
    /^addresses: expected IP addresses or networks/,
  )
  t.throws(() => tokens.revoke('nobody'), { code: 'NOT_FOUND' })
  t.throws(() => tokens.rotate('nobody'), { code: 'NOT_FOUND' })
  for (let index = 1; index < 256; index++) tokens.create({ name: `t${index}` })
  t.throws(() => tokens.create({ name: 'one-more' }), /already 256 tokens, the maximum/)
  for (const text of ['', '{', '[]', '{"tokens": 1}', '{"tokens": [{"name": "x"}, null]}']) {
    t.same(open(kept(text)).list(), [], `a file ${JSON.stringify(text)} lets nobody in`)
    t.equal(open(kept(text)).find('the-owners-token', '::1')?.name, 'owner', 'but the owner')
  }
})

t.test('reads a changed file again and reports the tokens that are gone', async (t) => {
  const file = kept()
  const tokens = open(file)
  const { token } = tokens.create({ name: 'a' })
  const ended: string[] = []
  tokens.onEnd((name) => ended.push(name))
  file.text = '{"tokens": []}'
  tokens.reload()
  t.same(ended, ['a'])
  t.equal(tokens.find(token, '::1'), null)
})

t.test('closes the connections of a token that expires or whose rights change', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const file = kept()
  const tokens = open(file)
  const ended: string[] = []
  tokens.onEnd((name) => ended.push(name))
  tokens.create({ name: 'long', expires_in_days: 1000 })
  tokens.create({ name: 'short', expires_in_days: 2 })
  tokens.create({ name: 'shorter', expires_in_days: 1 })
  mock.timers.tick(DAY_MS + 1)
  t.same(ended, ['shorter'])
  mock.timers.tick(DAY_MS)
  t.same(ended, ['shorter', 'short'], 'each when its time is over')
  const text = file.text!
  file.text = text.replace('"approves": "none"', '"approves": "own"')
  tokens.reload()
  t.same(ended.slice(2), ['long'], 'what was opened with other rights')
  file.text = file.text.replace('"last_used_at": null', '"last_used_at": "2026-01-01T00:00:00Z"')
  tokens.reload()
  t.equal(ended.length, 3, 'a use is no change')
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString()
  file.text = file.text.replace(/"expires_at": "[^"]*"/, `"expires_at": "${tomorrow}"`)
  tokens.reload()
  mock.timers.tick(DAY_MS)
  t.same(ended.slice(3), ['long', 'long'], 'at the edit, and when the time that it says is over')
  tokens.close()
})

t.test('waits for an expiry in 90 days with timers of less than 25 days', async (t) => {
  const timers = mock.method(globalThis, 'setTimeout')
  t.teardown(() => timers.mock.restore())
  const tokens = open()
  tokens.create({ name: 'long', expires_in_days: 90 })
  t.same(
    timers.mock.calls.map(({ arguments: [, ms] }) => ms),
    [2 ** 31 - 1],
    'a longer one fires at once',
  )
  tokens.close()
})

t.test('an edit of one row closes no connection of the other tokens, whenever they were last used', (t) => {
  const file = kept()
  const tokens = open(file)
  const used = tokens.create({ name: 'used' })
  tokens.create({ name: 'edited' })
  const before = file.text!
  const ended: string[] = []
  tokens.onEnd((name) => ended.push(name))
  tokens.find(used.token, '192.0.2.1') // recorded only in memory: the person has edited the file on disk
  const last = tokens.list()[0]!
  t.match(last, { last_used_at: String, last_used_from: '192.0.2.1' })
  const rows = JSON.parse(before).tokens
  file.text = JSON.stringify({ tokens: [rows[0], { ...rows[1], approves: 'own' }] })
  t.ok(tokens.reload())
  t.same(ended, ['edited'])
  t.same(tokens.list()[0], last, 'when and where it was last used is not forgotten')
  file.text = JSON.stringify({ tokens: [rows[0], { ...rows[1], approves: 'own' }] }, null, 1)
  t.notOk(tokens.reload(), 'the same rows in another form are nothing new')
  t.same(ended, ['edited'])
  tokens.close()
  t.end()
})

t.test('on a disk that refuses writes, creates no token and accepts existing ones', async (t) => {
  const file = kept()
  const tokens = open(file)
  const { token } = tokens.create({ name: 'a' })
  file.write = () => {
    throw new Error('ENOSPC')
  }
  t.throws(() => tokens.create({ name: 'b' }), /ENOSPC/)
  t.equal(tokens.list().length, 1)
  t.equal(tokens.find(token, '::1')?.name, 'a')
})

t.test('a pairing code works once, for five minutes and five tries', async (t) => {
  let nowMs = 0
  const tokens = open()
  const pairing = createPairing(tokens, () => nowMs)
  t.throws(() => pairing.redeem('', 'x'), { code: 'UNAUTHORIZED' }, 'none is open')

  const { code } = pairing.open({ approves: 'own' })
  t.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  tokens.create({ name: 'taken' })
  t.throws(() => pairing.redeem(code, 'taken'), { code: 'CONFLICT' })
  t.match(pairing.redeem(` ${code.toLowerCase().replace('-', ' ')}`, 'laptop'), { name: 'laptop', approves: 'own' })
  t.throws(() => pairing.redeem(code, 'again'), { code: 'UNAUTHORIZED' }, 'used')

  const inTime = pairing.open({}).code
  nowMs += 5 * 60_000 - 1
  t.match(pairing.redeem(inTime, 'in-time'), { name: 'in-time' })
  const late = pairing.open({}).code
  nowMs += 5 * 60_000
  t.throws(() => pairing.redeem(late, 'late'), { code: 'UNAUTHORIZED' })

  const guess = (times: number) => {
    for (let tries = 0; tries < times; tries++) {
      t.throws(() => pairing.redeem('0000-0000', 'g'), { code: 'UNAUTHORIZED' })
    }
  }
  const tried = pairing.open({}).code
  guess(4)
  t.match(pairing.redeem(tried, 'tried'), { name: 'tried' }, 'after four wrong ones the right one is good')
  const guessed = pairing.open({}).code
  guess(5)
  t.throws(() => pairing.redeem(guessed, 'g'), { code: 'UNAUTHORIZED' }, 'after five wrong ones the right one is over')
})

t.test('the token of a paired device expires after 90 days without use, and each use renews it', async (t) => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  const file = kept()
  const tokens = open(file, () => nowMs)
  t.teardown(() => tokens.close())
  const pairing = createPairing(tokens, () => nowMs)
  const paired = pairing.redeem(pairing.open({ approves: 'all' }).code, 'browser')
  t.match(paired, { idle_days: 90, expires_at: '2026-04-01T00:00:00.000Z' })
  nowMs += 60 * DAY_MS
  t.equal(tokens.find(paired.token, '::1')?.name, 'browser')
  t.match(tokens.list(), [{ expires_at: '2026-05-31T00:00:00.000Z' }], 'renewed by its use')
  nowMs += 60 * DAY_MS
  tokens.close()
  t.match(open(file, () => nowMs).list(), [{ expires_at: '2026-05-31T00:00:00.000Z' }], 'also after another start')
  t.equal(tokens.find(paired.token, '::1')?.name, 'browser', 'beyond the first 90 days')
  const ended: string[] = []
  tokens.onEnd((name) => ended.push(name))
  nowMs += 91 * DAY_MS
  t.equal(tokens.find(paired.token, '::1'), null)
  tokens.reload()
  t.same(ended, ['browser'], 'its connections are closed')

  const fixed = pairing.redeem(pairing.open({ expires_in_days: 7 }).code, 'fixed')
  t.match(fixed, { idle_days: null, expires_at: new Date(nowMs + 7 * DAY_MS).toISOString() }, 'unless a time is given')
  t.match(
    tokens.create({ name: 'agent' }),
    { idle_days: null, expires_at: null },
    'a token that is not paired does not',
  )
})

t.test('accepts a pairing code with O for 0, and with I or L for 1', async (t) => {
  const pairing = createPairing(open())
  const codeWith = (digit: string): string => {
    const { code } = pairing.open({})
    return code.includes(digit) ? code : codeWith(digit)
  }
  for (const [digit, letter] of [
    ['0', 'o'],
    ['1', 'i'],
    ['1', 'L'],
  ] as const) {
    t.match(pairing.redeem(codeWith(digit).replaceAll(digit, letter), letter), { name: letter })
  }
})

const ownNames = ['localhost', '127.0.0.1', '::1']

function certificateParts(more = {}) {
  return { key: kept(), certificate: kept(), clientCa: null, make: makeCertificate, log: quiet, ...more }
}

t.test('renews the certificate and keeps the key', async (t) => {
  const parts = certificateParts()
  const first = await openCertificate(parts, ownNames)
  const { cert, key } = first.files()
  const spki = new X509Certificate(cert).publicKey.export({ format: 'der', type: 'spki' })
  t.equal(first.pin, createHash('sha256').update(spki).digest('base64'))
  t.equal(await first.renew(ownNames), false, 'nothing to do')
  t.equal((await openCertificate(parts, ownNames)).files().cert, cert, 'the next start takes it as it is')

  t.equal(await first.renew([...ownNames, '192.168.1.20']), true, 'a new address')
  t.match(new X509Certificate(first.files().cert).subjectAltName, /192\.168\.1\.20/)
  t.equal(first.files().key, key)

  const later = await openCertificate({ ...parts, now: () => Date.now() + 380 * DAY_MS }, ownNames)
  t.not(later.files().cert, first.files().cert, 'within 30 days of its end')
  t.equal(later.pin, first.pin)

  t.match(new X509Certificate(later.files().cert).subjectAltName, /192\.168\.1\.20/, 'where it was before stays in it')

  const other = await openCertificate(certificateParts({ certificate: kept(first.files().cert) }), ownNames)
  t.ok(
    new X509Certificate(other.files().cert).checkPrivateKey(createPrivateKey(other.files().key)),
    'a certificate of another key is replaced',
  )

  parts.certificate.text = 'nothing of the kind'
  t.equal((await openCertificate(parts, ownNames)).pin, first.pin, 'a broken file is replaced')
  const failing = await openCertificate({ ...parts, make: () => Promise.reject(new Error('no')) }, ownNames)
  t.equal(await failing.renew(['10.0.0.1']), false, 'that it cannot be made leaves what there is')
})

t.test('the owner’s certificate must match its key', async (t) => {
  const made = await openCertificate(certificateParts(), ownNames)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  let files = made.files()
  const log: object[] = []
  const given = ownCertificate(
    () => files,
    (facts) => log.push(facts),
  )
  t.equal(given.pin, made.pin)
  t.equal(await given.renew([]), false, 'nothing is new')
  for (const bad of [
    { ...files, key: other },
    { key: other, cert: 'x' },
  ]) {
    t.throws(
      () =>
        ownCertificate(
          () => bad,
          () => {},
        ),
      /tls_certificate/,
    )
    files = bad
    t.equal(await given.renew([]), false, 'what will not do changes nothing')
    t.same(given.files(), made.files())
  }
  t.equal(log.length, 2, 'and is reported')
  const next = await openCertificate(certificateParts(), ownNames)
  files = next.files()
  t.equal(await given.renew([]), true)
  t.equal(given.pin, next.pin)
})

/** The servers of one port; `peer`: the address that connections appear to come from. */
async function listen(t: Test, files = {}, peer?: string) {
  const certificate = await openCertificate(certificateParts(files), ownNames)
  const server = http.createServer((request, response) =>
    response.end(`${request.url} ${'encrypted' in request.socket}`),
  )
  const shaken: Socket[] = []
  const port = openOnePort(server, certificate, (socket) => shaken.push(socket))
  if (peer) {
    server.prependListener('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: peer }))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    port.cutAll()
    server.closeAllConnections()
    server.close()
  })
  return { certificate, server, port, shaken, number: (server.address() as AddressInfo).port }
}

const curl = (...args: string[]) =>
  promisify(execFile)('curl', ['-sS', '--max-time', String(HANG_MS / 1000), ...args]).then(
    ({ stdout }) => stdout,
    (error) => `exit ${error.code}`,
  )

t.test('silent connections of one address do not interrupt the handshake of another', async (t) => {
  const { number } = await listen(t)
  const patient = connect({ port: number, host: '127.0.0.1', localAddress: '127.0.0.2' })
  await once(patient, 'connect')
  const cut = once(patient, 'close').then(() => 'cut')
  const held: Socket[] = []
  t.teardown(() => held.forEach((socket) => socket.destroy()))
  for (let index = 0; index < 200; index++) {
    const socket = connect(number, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    held.push(socket)
  }
  const secure = connectTls({ socket: patient, rejectUnauthorized: false }).on('error', () => {})
  const shaken = new Promise((resolve) => secure.once('secureConnect', () => resolve('shaken')))
  const end = await Promise.race([shaken, cut])
  t.equal(end, 'shaken')
  secure.destroy()
})

t.test('serves TLS and plain HTTP on one port', async (t) => {
  const { certificate, port, number, shaken } = await listen(t)
  const pin = `sha256//${certificate.pin}`
  t.equal(await curl(`http://127.0.0.1:${number}/a`, `http://127.0.0.1:${number}/b`), '/a false/b false')
  t.equal(await curl('-k', '--pinnedpubkey', pin, `https://127.0.0.1:${number}/a`), '/a true')
  t.equal(await curl('-k', '--pinnedpubkey', `sha256//${'A'.repeat(43)}=`, `https://127.0.0.1:${number}/a`), 'exit 90')
  t.equal(shaken.length, 2, 'each handshake is reported')

  const folder = t.testdir({ 'ca.pem': certificate.files().cert, large: 'x'.repeat(1_000_000) })
  const ca = `${folder}/ca.pem`
  t.equal(await curl('--cacert', ca, `https://localhost:${number}/x`), '/x true', 'it may be its own authority')
  t.equal(await curl('-k', '-d', `@${folder}/large`, `https://127.0.0.1:${number}/large`), '/large true')

  // the certificate is renewed during a connection
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const shownBy = (options: https.RequestOptions) =>
    new Promise<string>((resolve, reject) => {
      const request = https.get({ port: number, rejectUnauthorized: false, ...options }, (response) => {
        const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate()
        response.resume().on('end', () => resolve(fingerprint256))
      })
      request.on('error', reject)
    })
  const before = await shownBy({ agent })
  t.ok(await certificate.renew([...ownNames, '10.9.8.7']))
  port.refresh()
  t.equal(await shownBy({ agent }), before, 'the open connection stays in use')
  t.not(await shownBy({ agent: false }), before, 'the next handshake shows the new one')
  t.equal(await curl('-k', '--pinnedpubkey', pin, `https://127.0.0.1:${number}/`), '/ true', 'with the pin kept')
})

t.test('answers plain HTTP from another machine with tls_required', async (t) => {
  const { number } = await listen(t, {}, '192.168.1.9')
  t.match(await curl('-i', `http://127.0.0.1:${number}/health`), /^HTTP\/1.1 403 Forbidden[^]*"type":"tls_required"/)
  t.equal(await curl('-k', `https://127.0.0.1:${number}/a`), '/a true')
})

t.test('a client without the required certificate fails the handshake; loopback stays plain', async (t) => {
  const dir = t.testdir({})
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=laptop',
      '-keyout',
      `${dir}/key`,
      '-out',
      `${dir}/cert`,
    ],
    { stdio: 'ignore' },
  )
  const { number } = await listen(t, { clientCa: readFileSync(`${dir}/cert`, 'utf8') })
  t.match(await curl('-k', `https://127.0.0.1:${number}/a`), /^exit (?:56|35|16)$/)
  t.equal(await curl('-k', '--cert', `${dir}/cert`, '--key', `${dir}/key`, `https://127.0.0.1:${number}/a`), '/a true')
  t.equal(await curl(`http://127.0.0.1:${number}/a`), '/a false')
})

t.test('closes connections that send half a handshake, garbage or nothing', async (t) => {
  const { number, server, port } = await listen(t)
  const sockets = await Promise.all(
    Array.from({ length: 160 }, async (_, index) => {
      const socket = connect(number, '127.0.0.1').on('error', () => {})
      if (index % 2) socket.write(Buffer.from([22, 3, 1, 2, 0, 1]))
      await new Promise((resolve) => socket.once('connect', resolve))
      return socket
    }),
  )
  const rubbish = connect(number, '127.0.0.1').on('error', () => {})
  rubbish.write(Buffer.concat([Buffer.from([22]), Buffer.alloc(600, 255)]))
  await new Promise((resolve) => rubbish.once('close', resolve))
  t.equal(await curl('-k', `https://127.0.0.1:${number}/a`), '/a true', 'the owner comes through')
  const count = () => promisify(server.getConnections.bind(server))()
  t.ok((await count()) <= 128, 'at most this many handshakes at once')
  port.cutAll()
  t.ok(await until(async () => (await count()) === 0))
  for (const socket of sockets) socket.destroy()
})

/** The complete first message of a TLS client. */
async function firstHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectTls((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [hello] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  server.close()
  return hello
}

t.test('accepts a hello that arrives byte by byte, and survives a client that disconnects during it', async (t) => {
  const { number, server } = await listen(t)
  const hello = await firstHello()
  const socket = connect(number, '127.0.0.1').setNoDelay(true)
  const answer = once(socket, 'data')
  for (const byte of hello) {
    socket.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  const [said] = (await answer) as [Buffer]
  t.equal(said[0], 22, 'it is answered by a handshake')
  socket.destroy()
  connect(number, '127.0.0.1').end(hello.subarray(0, 20))
  const count = () => promisify(server.getConnections.bind(server))()
  t.ok(await until(async () => (await count()) === 0))
})

t.test('disconnects a client whose handshake takes more than ten seconds', async (t) => {
  const setSlow = setTimeout
  const quicker = (call: (name: string) => void, ms: number, name: string) => setSlow(call, ms / 100, name)
  t.teardown(() => void Object.assign(globalThis, { setTimeout: setSlow }))
  Object.assign(globalThis, { setTimeout: quicker })
  const { number } = await listen(t)
  for (const said of ['', '\x16\x03\x01\x02\x00\x01', await firstHello()]) {
    const socket = connect(number, '127.0.0.1')
      .on('error', () => {})
      .resume()
    socket.write(typeof said === 'string' ? Buffer.from(said, 'latin1') : said)
    const isCut = new Promise((resolve) => socket.once('close', () => resolve('cut')))
    t.equal(await isCut, 'cut')
    socket.destroy()
  }
})
