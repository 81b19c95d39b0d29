import { type ChildProcess, execFile, execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { root, spawnBeside, until } from '../support/helper.ts'
import { LAPTOP, makeLan, PHONE } from '../support/lan.ts'
import { initialize } from '../support/mcp/raw.ts'

const isRoot = process.getuid?.() === 0
const skip = isRoot ? false : 'a network namespace wants root'

let phone: ChildProcess
let home: string
const token = 'the-owners-token-of-these-tests'

interface End {
  code: number
  out: string
  err: string
}

const run = (argv: string[], env: Record<string, string> = {}) =>
  new Promise<End>((resolve) => {
    const [program, ...args] = ['nsenter', '-t', String(phone.pid), '-n', ...argv]
    execFile(program!, args, { env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })

/** Runs curl as the laptop does. */
const curl = (...args: string[]) => run(['curl', '-sS', '--max-time', '600', '--interface', LAPTOP, ...args])
const shellphone = (...args: string[]) =>
  run([process.execPath, join(root, 'dist/main.js'), ...args], { SHELLPHONE_HOME: home, XDG_CONFIG_HOME: home })

const echo = { name: 'exec', arguments: { command: 'echo over tls' } }

/** The responses of `shellphone mcp` to these messages, sent one after another. */
async function bridge(flags: string[], messages: object[]): Promise<object[]> {
  const argv = ['-t', String(phone.pid), '-n', process.execPath, join(root, 'dist/main.js'), 'mcp', ...flags]
  const child = spawnBeside('nsenter', argv, {
    env: { ...process.env, SHELLPHONE_HOME: home, XDG_CONFIG_HOME: home },
  })
  const answers: object[] = []
  const lines = createInterface({ input: child.stdout })
  for (const message of messages) {
    const line = once(lines, 'line')
    child.stdin.write(`${JSON.stringify(message)}\n`)
    answers.push(JSON.parse((await line)[0]))
  }
  child.stdin.end()
  await once(child, 'exit')
  return answers
}

async function start(...flags: string[]): Promise<string[]> {
  const argv = [process.execPath, join(root, 'dist/main.js'), 'serve', '--host', '0.0.0.0', ...flags]
  phone = spawnBeside('unshare', ['-n', 'sh', '-c', `${makeLan} && exec "$@"`, 'sh', ...argv], {
    env: { ...process.env, SHELLPHONE_HOME: home },
  })
  const log: string[] = []
  await new Promise<void>((resolve, reject) => {
    phone.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
    createInterface({ input: phone.stdout! }).on('line', (line) => {
      log.push(line)
      if (JSON.parse(line).msg === 'listening') resolve()
    })
  })
  return log
}

async function stop() {
  phone.kill('SIGTERM')
  await new Promise((resolve) => phone.once('exit', resolve))
}

t.before(() => {
  home = mkdtempSync(join(tmpdir(), 'shellphone-tls-'))
  writeFileSync(join(home, 'token'), `${token}\n`)
})
t.teardown(() => rmSync(home, { recursive: true, force: true }))

t.test('on the LAN', { skip }, async (t) => {
  await start()
  t.teardown(stop)

  await t.test('the curl lines of /docs accept only the key of the service', async (t) => {
    const shown = (await curl('-k', `https://${PHONE}:8029/docs`)).out
    const [, url, trust] = /^(URL=.*)\n(curl\(\) .*)<\/pre>$/m.exec(shown)!
    const health = (trust: string) => run(['sh', '-c', `${url}\n${trust}\ncurl -sS "$URL/health"`])
    t.match(await health(trust!), { code: 0, out: /"status":"ok"/ })
    t.match(await health(trust!.replace(/sha256.{10}/, `sha256//${'A'.repeat(8)}`)), { code: 90 }, 'a wrong pin')
    t.notMatch((await run(['curl', '-sS', 'http://127.0.0.1:8029/docs'])).out, 'pinnedpubkey', 'plain on the phone')
  })

  await t.test('accepts only TLS with the pinned key from the LAN', async (t) => {
    const { links, code } = JSON.parse((await shellphone('pair', '--json')).out)
    const link = links.find((one: string) => one.includes(PHONE))
    t.match(link, /^https:\/\/192\.168\.77\.1:8029\/#pair=[\w-]+&key=[\w-]{43}$/)
    const key = Buffer.from(/key=(.*)$/.exec(link)![1]!, 'base64url').toString('base64')
    const health = `https://${PHONE}:8029/health`
    t.match((await curl('-k', '--pinnedpubkey', `sha256//${key}`, health)).out, /"status":"ok"/)
    t.equal((await curl('-k', '--pinnedpubkey', `sha256//${'A'.repeat(43)}=`, health)).code, 90, 'a wrong pin')
    t.match((await curl(`http://${PHONE}:8029/health`)).out, /"type":"tls_required"/, 'a downgrade')
    t.match(
      (await run(['curl', '-sS', 'http://127.0.0.1:8029/health'])).out,
      /"status":"ok"/,
      'plain on the phone itself',
    )
    t.match((await run(['curl', '-sS', `http://${PHONE}:8029/health`])).out, /"status":"ok"/, 'by its own address too')
    t.equal((await curl('--cacert', join(home, 'tls-certificate.pem'), health)).code, 0, 'it names its address')

    t.match(await shellphone('remote', 'add', 'phone', link), { code: 0, out: /paired as/ })
    t.match(await shellphone('remote', 'add', 'other', link.replace(/key=.{5}/, 'key=AAAAA')), {
      code: 3,
      err: /its key is not the one/,
    })
    t.match(await shellphone('check', '--on', 'phone', 'ls'), { code: 0, out: /^allow/ }, 'with the pin and the token')
    const viaName = await run([process.execPath, join(root, 'dist/main.js'), 'approvals', 'list'], {
      SHELLPHONE_REMOTE: 'phone',
      SHELLPHONE_HOME: '/nonexistent',
      XDG_CONFIG_HOME: home,
    })
    t.match(viaName, { code: 0, out: 'no pending approvals\n' }, 'no home of our own is needed')
    const said = await bridge(
      ['--on', 'phone'],
      [initialize, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: echo }],
    )
    t.match(said, [
      { id: 1, result: { serverInfo: { name: 'shellphone' } } },
      { id: 2, result: { structuredContent: { stdout: 'over tls\n' } } },
    ])
    const remotes = join(home, 'shellphone/remotes.json')
    const paired = readFileSync(remotes, 'utf8')
    const swapped = JSON.parse(paired)
    swapped.phone.key = 'A'.repeat(43)
    const spoilt: [string, string, number, number, RegExp][] = [
      ['another key', JSON.stringify(swapped), 0o600, 3, /cannot reach .*: .*its key is not the one that was paired/],
      ['no JSON', '{', 0o600, 2, /remotes\.json: expected paired phones as JSON: /],
      ['not remotes', '{"phone": {"url": "ftp://x"}}', 0o600, 2, /remotes\.json: expected paired phones as JSON: /],
      ['readable by others', paired, 0o644, 2, /remotes\.json: expected a file that only you can read .* got mode 644/],
      ['of another name', '{}', 0o600, 2, /--on phone: no such remote/],
    ]
    for (const [name, text, mode, code, err] of spoilt) {
      writeFileSync(remotes, text)
      chmodSync(remotes, mode)
      t.match(await shellphone('check', '--on', 'phone', 'ls'), { code, err }, name)
    }
    writeFileSync(remotes, JSON.stringify(swapped))
    chmodSync(remotes, 0o600)
    t.match(
      await bridge(['--on', 'phone'], [initialize]),
      [{ id: 1, error: { message: /its key is not the one/ } }],
      'an answer, too',
    )
    writeFileSync(remotes, paired)
    const { phone: remote } = JSON.parse(readFileSync(join(home, 'shellphone/remotes.json'), 'utf8'))
    const body = ['-H', `authorization: Bearer ${remote.token}`, '--json', '{"command": "echo over tls"}']
    t.match((await curl('-k', ...body, `https://${PHONE}:8029/exec`)).out, /"stdout":"over tls\\n"/)
    t.match(
      (await curl('-k', '--json', JSON.stringify({ code, name: 'late' }), `https://${PHONE}:8029/pair`)).out,
      /unauthorized/,
    )
  })

  await t.test('creates a new certificate for a new address during a stream, and keeps the key', async (t) => {
    const LATER = '192.168.77.3'
    const marks = t.testdir({})
    const certificate = () => new X509Certificate(readFileSync(join(home, 'tls-certificate.pem')))
    const pin = createHash('sha256').update(certificate().publicKey.export({ format: 'der', type: 'spki' }))
    const pinned = ['-k', '--pinnedpubkey', `sha256//${pin.digest('base64')}`]
    const { fingerprint256: before } = certificate()
    const command = `touch ${marks}/begun; while [ ! -e ${marks}/renewed ]; do sleep 0.1; done; echo to the end`
    const stream = ['-N', '-H', 'accept: text/event-stream', '-H', `authorization: Bearer ${token}`]
    const streamed = curl(...pinned, ...stream, '--json', JSON.stringify({ command }), `https://${PHONE}:8029/exec`)
    t.ok(await until(() => existsSync(join(marks, 'begun'))))
    t.not(certificate().subjectAltName?.includes(LATER), true)
    await run(['ip', 'addr', 'add', `${LATER}/24`, 'dev', 'wlan0'])
    t.equal((await curl(...pinned, `https://${LATER}:8029/health`)).code, 0, 'the pin holds at an address that is new')
    t.ok(await until(() => certificate().fingerprint256 !== before), 'it is renewed while the service runs')
    t.match(certificate().subjectAltName, LATER)
    const named = ['--cacert', join(home, 'tls-certificate.pem'), `https://${LATER}:8029/health`]
    t.ok(await until(async () => (await curl(...named)).code === 0), 'the next handshakes show it')
    t.equal((await curl(...pinned, `https://${PHONE}:8029/health`)).code, 0, 'with the pin kept')
    writeFileSync(join(marks, 'renewed'), '')
    t.match((await streamed).out, /to the end[^]*"status":"completed"/, 'and the stream went on')
  })
})

t.test('keeps its key after a restart, and warns if tls is off', { skip }, async (t) => {
  const before = readFileSync(join(home, 'tls-key.pem'), 'utf8')
  await start('--tls', 'off')
  t.teardown(stop)
  t.equal(readFileSync(join(home, 'tls-key.pem'), 'utf8'), before)
  t.match((await curl(`http://${PHONE}:8029/health`)).out, /"status":"ok"/)
  t.match((await curl('-H', `authorization: Bearer ${token}`, `http://${PHONE}:8029/health`)).out, /tls is off/)
})

t.test('the local command line reaches a service that listens on one LAN address', { skip }, async (t) => {
  await start('--host', PHONE)
  t.teardown(stop)
  t.match(await shellphone('check', '--host', PHONE, 'ls'), { code: 0, out: /^allow/ }, 'by that address, without TLS')
  t.match((await curl(`http://${PHONE}:8029/health`)).out, /"type":"tls_required"/, 'others need TLS')
  t.match(await bridge(['--host', PHONE], [initialize]), [{ id: 1, result: { serverInfo: { name: 'shellphone' } } }])
})

/** Creates a key and a certificate for it. */
const makeOwn = (folder: string, name: string) => {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const files = ['-subj', `/CN=${name}`, '-keyout', `${folder}/${name}-key.pem`, '-out', `${folder}/${name}.pem`]
  execFileSync('openssl', ['req', ...kind, ...files], { stdio: 'ignore' })
}

t.test('mutual TLS rejects a client without a certificate', { skip }, async (t) => {
  const folder = t.testdir({})
  for (const name of ['laptop', 'stranger']) makeOwn(folder, name)
  await start('--tls-client-ca', `${folder}/laptop.pem`)
  t.teardown(stop)
  const health = `https://${PHONE}:8029/health`
  const shows = (name: string) => ['-k', '--cert', `${folder}/${name}.pem`, '--key', `${folder}/${name}-key.pem`]
  t.match((await curl(...shows('laptop'), health)).out, /"status":"ok"/)
  for (const args of [['-k'], shows('stranger')]) {
    t.match(await curl(...args, health), { code: /^(?:16|35|52|56)$/, out: '' })
  }
  t.match((await run(['curl', '-sS', 'http://127.0.0.1:8029/health'])).out, /"status":"ok"/, 'loopback stays plain')
})

t.test('SIGHUP loads a new certificate of the owner, but not an unusable one', { skip }, async (t) => {
  const folder = t.testdir({})
  for (const name of ['own', 'next']) makeOwn(folder, name)
  const [cert, key] = [`${folder}/own.pem`, `${folder}/own-key.pem`]
  const log = await start('--tls-certificate', cert, '--tls-key', key)
  t.teardown(stop)
  const isTrusted = async (name: string) => {
    const { out } = await curl('-kv', '--stderr', '-', `https://${PHONE}:8029/health`)
    return new RegExp(`subject: CN=${name}$`, 'm').test(out)
  }
  t.ok(await isTrusted('own'))
  cpSync(`${folder}/next.pem`, cert)
  phone.kill('SIGHUP')
  t.ok(
    await until(() => log.some((line) => /does not match the key.*the previous one stays in use/.test(line))),
    'it does not fit its key',
  )
  t.ok(await isTrusted('own'), 'and changes nothing')
  cpSync(`${folder}/next-key.pem`, key)
  phone.kill('SIGHUP')
  t.ok(await until(() => isTrusted('next')))
})

t.test('does not start with an unusable certificate', { skip }, async (t) => {
  const file = t.testdir({ 'x.pem': 'no certificate' })
  const cases: [string[], RegExp][] = [
    [['--tls-certificate', `${file}/x.pem`], /tls_key: expected together with tls_certificate/],
    [['--tls-certificate', `${file}/x.pem`, '--tls-key', `${file}/x.pem`], /tls_certificate: expected a PEM/],
    [['--tls-certificate', '/nope', '--tls-key', '/nope'], /tls_certificate: expected a PEM file, got ENOENT/],
  ]
  for (const [flags, message] of cases) {
    const end = await new Promise<End>((resolve) =>
      execFile(
        process.execPath,
        [join(root, 'dist/main.js'), 'serve', '--port', '0', ...flags],
        { env: { ...process.env, SHELLPHONE_HOME: join(file, 'home') } },
        (error, out, err) => resolve({ code: Number(error?.code), out, err }),
      ),
    )
    t.match(end, { code: 2, err: message }, flags.join(' '))
  }
  const short = await new Promise<End>((resolve) =>
    execFile(
      process.execPath,
      [join(root, 'dist/main.js'), 'serve', '--port', '0', '--host', '0.0.0.0'],
      { env: { ...process.env, SHELLPHONE_HOME: join(file, 'home'), SHELLPHONE_TOKEN: 'short' } },
      (error, out, err) => resolve({ code: Number(error?.code), out, err }),
    ),
  )
  t.match(short, { code: 2, err: /at least 16 characters beyond loopback, got 5/ })
})
