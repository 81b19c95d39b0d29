import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import yaml from 'yaml'
import { createFleetCredentials, createTokens } from '../../src/server/access/index.ts'
import { homeId } from '../../src/fleet/phone/index.ts'
import { createNewestReports } from '../../src/fleet/plane/broker/newest-reports.ts'
import {
  brokerConfig,
  brokerVersion,
  makeIdentity,
  makeKeys,
  makeTokens,
  publicKeyOf,
  signUser,
} from '../../src/fleet/plane/index.ts'
import {
  classRowOf,
  classRows,
  isSelected,
  parseSelector,
  readCallSubject,
  toLabels,
} from '../../src/shared/schema/index.ts'
import { root } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { ownersToken } from '../support/owners-token.ts'

t.test('every route has a class, or a reason to have none', async (t) => {
  const { paths } = yaml.parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'))
  const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const known = classRows.map(({ method, path }) => `${method} ${path}`)
  const ofPeople = routes.filter((route) => !/^(HEAD|OPTIONS) /.test(route))
  t.same(
    ofPeople.filter((route) => !known.includes(route)),
    [],
    'a new route needs a row in shared/schema/fleet-routes.ts',
  )
  t.same(
    known.filter((route) => !ofPeople.includes(route)),
    [],
    'a row is a route',
  )
  t.same(
    classRows.filter(({ callClass, why }) => callClass === null && why === undefined),
    [],
  )
})

t.test('finds the route of a request', async (t) => {
  const rows: [string, string, string | null | undefined][] = [
    ['GET', '/runs?q=/exec', 'read'],
    ['HEAD', '/runs/x', 'read'],
    ['POST', '/exec/picoclaw', 'run'],
    ['POST', '/approvals/x', 'answer'],
    ['POST', '/approvals/press/x', null],
    ['DELETE', '/approvals/rules/x', 'answer'],
    ['GET', '/runs/', undefined],
    ['GET', '/runs/x/', undefined],
    ['GET', '//runs', undefined],
    ['GET', '/runs/a/b/events', undefined],
    ['OPTIONS', '/runs', undefined],
    ['PATCH', '/runs', undefined],
    ['GET', '/page/x.js', undefined],
  ]
  for (const [method, path, callClass] of rows) {
    t.equal(classRowOf(method, path)?.callClass, callClass, `${method} ${path}`)
  }
})

t.test('reads only valid subjects of calls', async (t) => {
  t.same(readCallSubject('sp.call.pixel-7.run.plane'), { name: 'pixel-7', callClass: 'run', caller: 'plane' })
  const none = [
    'sp.call.a.run',
    'sp.call.a.run.b.c',
    'sp.call.a.walk.b',
    'sp.up.a',
    'sp.call.A.run.b',
    'sp.call.a.run.',
    '',
  ]
  for (const subject of none) t.equal(readCallSubject(subject), null, subject)
})

t.test('selectors', async (t) => {
  const phone = { name: 'pixel-7', labels: toLabels(['lab=berlin', 'arm64', 'not a label']) }
  t.same(phone.labels, { lab: 'berlin', arm64: '' })
  const rows: [string, boolean][] = [
    ['*', true],
    ['lab=berlin', true],
    ['lab=berlin,arm64', true],
    ['lab', true],
    [' lab=berlin , name=pixel-7 ', true],
    ['lab=paris', false],
    ['x86', false],
    ['name=pixel-8', false],
    ['name=nexus|pixel-7', true],
    ['name=nexus|pixel-7,lab=paris', false],
    ['name=nexus|pixel-7,name=nexus', false],
    ['name=nexus|pixel-8', false],
    ['constructor', false],
  ]
  for (const [text, expected] of rows) t.equal(isSelected(parseSelector(text), phone), expected, text)
  const wrong = [
    '',
    ',',
    'lab=',
    'lab=berlin,',
    'a b',
    'name=a.b',
    'name=*',
    'name=pixel-7|',
    'name=pixel-7|*',
    'Lab',
    'a=b=c',
    'lab=>',
    Array(40).fill('a').join(),
  ]
  for (const text of wrong) {
    t.throws(() => parseSelector(text), { code: 'VALIDATION_ERROR', extra: { field: 'phones' } }, text)
  }
})

t.test('each version of nats-server has its capabilities and warnings', async (t) => {
  const rows: [version: string, syncsAlways: boolean, mayWebSocket: boolean, warnings: RegExp[]][] = [
    [
      '2.9.3',
      false,
      false,
      [/expected at least 2\.9\.4/, /known vulnerabilities/, /do not open its WebSocket/, /cannot sync each write/],
    ],
    ['2.9.10', false, false, [/known vulnerabilities/, /do not open its WebSocket/, /cannot sync each write/]],
    ['2.10.27', true, false, [/known vulnerabilities/, /do not open its WebSocket/]],
    ['2.12.5', true, true, [/known vulnerabilities/]],
    ['2.12.7', true, true, []],
    ['2.15.1', true, true, []],
  ]
  for (const [version, syncsAlways, mayWebSocket, warnings] of rows) {
    t.match(brokerVersion(version), { syncsAlways, speaksTlsFirst: syncsAlways, mayWebSocket, warnings }, version)
    t.equal(brokerVersion(version).warnings.length, warnings.length, version)
    const more = brokerVersion(version, true).warnings.length - warnings.length
    t.equal(more, version.startsWith('2.9.') ? 1 : 0, `three of ${version}`)
  }
})

t.test('refuses to sign names that would widen rights', async (t) => {
  const keys = makeKeys()
  const account = publicKeyOf(keys.account)
  const { publicKey } = makeIdentity()
  const sign = (role: 'phone' | 'agent' | 'plane', name: string) =>
    signUser({ role, name, publicKey }, { roleSeed: keys.roles[role], account })
  const rows: ['phone' | 'agent' | 'plane', string][] = [
    ['phone', 'a.b'],
    ['phone', '*'],
    ['phone', 'a.>'],
    ['phone', ''],
    ['phone', 'Pixel'],
    ['phone', `a${'b'.repeat(40)}`],
    ['agent', 'plane'],
    ['plane', 'other'],
  ]
  for (const [role, name] of rows) {
    await t.rejects(sign(role, name), { exitCode: 1, message: /^name: / }, `${role} ${name}`)
  }
  t.match(await sign('phone', 'plane'), /^eyJ/, "a phone's subjects contain no caller")
})

t.test('internal tokens identify the caller and are valid only in this process', async (t) => {
  const passes = createFleetCredentials()
  const file = { read: () => null, write: () => {} }
  const tokens = createTokens({ file, owner: ownersToken('owner'), log: () => {}, fleetCredentials: passes })
  const person = passes.of('answer', 'ann.b')
  t.match(tokens.find(person, '127.0.0.1'), { name: 'fleet/ann.b', approves: 'all', read: 'all' })
  for (const callClass of ['run', 'read'] as const) {
    t.match(tokens.find(passes.of(callClass, 'codex'), '127.0.0.1'), {
      name: 'fleet/codex',
      approves: 'none',
      read: 'own',
    })
  }
  const another = createFleetCredentials().of('answer', 'ann')
  for (const text of [another, person.replace('answer', 'owner'), person.slice(1), '.answer.ann', '']) {
    t.equal(tokens.find(text, '127.0.0.1'), null)
  }
})

t.test('a home that was wiped, copied or restored has another id', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-home-id-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [home, copy] = [join(folder, 'home'), join(folder, 'copy')]
  const id = homeId(home)
  t.match(id, /^[0-9a-f]{32}$/)
  t.equal(homeId(home), id, 'it does not change')
  cpSync(home, copy, { recursive: true, preserveTimestamps: true })
  t.not(homeId(copy), id, 'a copy')
  t.equal(homeId(home), id)
  rmSync(join(home, 'history'), { recursive: true })
  const wiped = homeId(home)
  t.not(wiped, id, 'its keys are gone')
  writeFileSync(join(home, 'history/home-id'), '')
  t.not(homeId(home), wiped, 'a disk that was full')
  writeFileSync(join(folder, 'file'), '')
  t.not(homeId(join(folder, 'file')), homeId(join(folder, 'file')), 'an id that cannot be stored changes each time')
})

/** Returns a function that resolves with the broker's error for a publish or subscribe, or null. */
function createJudge(nc: NatsConnection) {
  let seen: string | null = null
  void (async () => {
    for await (const status of nc.status()) if (status.type === 'error') seen = status.error.message
  })()
  return async (act: () => unknown): Promise<string | null> => {
    seen = null
    act()
    await nc.flush() // the broker sends its error first
    await nextTurn()
    return seen
  }
}

t.test('the broker enforces the rights of each role', { skip: noBroker ?? false }, async (t) => {
  const broker = await startBroker()
  t.teardown(() => broker.stop())
  const rows: [
    'phone' | 'agent' | 'person' | 'plane',
    string,
    { may: string[]; mayNot: string[] },
    string[],
    string[],
  ][] = [
    [
      'phone',
      'p1',
      {
        may: ['sp.up.p1', '$KV.sp_phones.p1'],
        mayNot: [
          ...[
            'sp.up.p2',
            '$KV.sp_phones.p2',
            '$KV.sp_phones.>',
            'sp.call.p2.run.plane',
            'sp.call.p1.run.p1',
            'sp.job.x',
          ],
          ...['sp.work.p1.x', '$KV.sp_registry.p1', '_INBOX.plane.x', '_INBOX.p1.x', '$JS.API.INFO', '$SRV.PING', 'x'],
        ],
      },
      ['sp.call.p1.>', '$SRV.*', '$SRV.*.shellphone', '$SRV.*.shellphone.p1'],
      [
        ...['sp.call.p2.>', 'sp.call.>', 'sp.>', '>', 'sp.up.p1', '_INBOX.>', '_INBOX.p1.>', '$SRV.*.shellphone.p2'],
        ...['$KV.sp_phones.>', '$JS.>', 'sp.job.>', '$SYS.>'],
      ],
    ],
    [
      'agent',
      'a1',
      {
        may: ['sp.call.p1.run.a1', 'sp.call.p2.read.a1'],
        mayNot: [
          'sp.call.p1.answer.a1',
          'sp.call.p1.run.plane',
          'sp.call.p1.run.a2',
          'sp.up.p1',
          '$JS.API.INFO',
          'sp.job.x',
        ],
      },
      ['_INBOX.a1.>'],
      ['_INBOX.>', '_INBOX.a2.>', '_INBOX.plane.>', 'sp.call.>', 'sp.up.>', '$KV.sp_phones.>'],
    ],
    [
      'person',
      'ann',
      {
        may: ['sp.call.p1.answer.ann', '$SRV.PING'],
        mayNot: ['sp.call.p1.answer.bob', 'sp.job.x', '$KV.sp_registry.p1'],
      },
      ['_INBOX.ann.>'],
      ['_INBOX.>', 'sp.up.>'],
    ],
    [
      'plane',
      'plane',
      {
        may: ['sp.call.p1.answer.plane', 'sp.job.x', '$JS.API.INFO'],
        mayNot: ['sp.call.p1.run.a1', '$SYS.REQ.CLAIMS.UPDATE', 'x'],
      },
      ['_INBOX.plane.>', 'sp.up.>'],
      ['_INBOX.>', 'sp.call.>', '>'],
    ],
  ]
  for (const [role, name, { may, mayNot }, allowed, denied] of rows) {
    const nc = await broker.connect(role, name)
    const verdict = createJudge(nc)
    for (const subject of may)
      t.equal(await verdict(() => nc.publish(subject, '')), null, `${role} publishes ${subject}`)
    for (const subject of mayNot) {
      t.match(await verdict(() => nc.publish(subject, '')), /[Pp]ermissions/, `${role} cannot publish ${subject}`)
    }
    const listen = (subject: string) => () => nc.subscribe(subject, { callback: () => {} })
    for (const subject of allowed) t.equal(await verdict(listen(subject)), null, `${role} subscribes to ${subject}`)
    for (const subject of denied) {
      t.match(await verdict(listen(subject)), /[Pp]ermissions/, `${role} cannot subscribe to ${subject}`)
    }
    await nc.close()
  }
})

t.test('the configuration of a broker in a cluster with TLS', async (t) => {
  const keys = makeKeys()
  const text = brokerConfig({
    tokens: await makeTokens(keys, 'lab'),
    account: publicKeyOf(keys.account),
    system: publicKeyOf(keys.system),
    host: '0.0.0.0',
    port: 443,
    directory: '/var/lib/nats',
    tls: { certificate: '/etc/c.pem', key: '/etc/k.pem' },
    cluster: { node: 'n1', name: 'lab', host: '0.0.0.0', port: 6222, routes: ['n2:6222'], password: 'secret' },
    portsDirectory: null,
    syncsAlways: true,
    speaksTlsFirst: true,
    maxConnections: 20_000,
  })
  for (const line of [
    'handshake_first: true',
    'sync_interval: always',
    'server_name: "n1"',
    'authorization: { user: "lab", password: "secret", timeout: 20 }',
    'ca_file: "/etc/c.pem"',
    'routes: ["nats://lab:secret@n2:6222"]',
    'max_connections: 20000',
  ]) {
    t.ok(text.includes(line), line)
  }
  t.notMatch(text, /SO[A-Z2-7]{56}|SA[A-Z2-7]{56}/, 'it contains no seed')
})

t.test('a value that is read back does not replace a newer live one', async (t) => {
  const seen = new Map<string, string>()
  const latest = createNewestReports<string>((key, value) => void seen.set(key, value))
  const first = latest.startReading()
  first('token', 'valid')
  t.equal(seen.get('token'), 'valid', 'nothing else is known')
  const afterReconnect = latest.startReading()
  latest.live('token', 'revoked')
  afterReconnect('token', 'valid')
  afterReconnect('phone', 'enrolled')
  t.same(
    [...seen],
    [
      ['token', 'revoked'],
      ['phone', 'enrolled'],
    ],
  )
  latest.startReading()('token', 'valid again')
  t.equal(seen.get('token'), 'valid again', 'a read that started later counts')
})
