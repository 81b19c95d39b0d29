import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { request as httpRequest } from 'node:http'
import t from 'tap'
import { root, startService } from '../../support/helper.ts'

const folder = join(root, 'dist/page')
const isBuilt = existsSync(join(folder, 'index.html'))
const built = isBuilt ? readdirSync(folder) : []
const own = ['index.html', 'sw.js', 'manifest.webmanifest', 'icon.svg']

/** Exactly as the design of the page specifies. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sw"

const service = await startService()
t.teardown(() => service.stop())

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}
const get = (path: string, headers: Record<string, string> = {}, port = service.port) =>
  new Promise<Answer>((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, headers }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) })
    })
      .on('error', reject)
      .end()
  })

t.test(
  'serves every file of the page to everyone, with its security headers',
  { skip: !isBuilt && 'npm run build has made no page' },
  async (t) => {
    const paths = built.map(
      (name) => [name, own.includes(name) ? `/${name.replace('index.html', '')}` : `/page/${name}`] as const,
    )
    t.ok(paths.length >= 6, `${paths.length} files`)
    for (const [name, path] of paths) {
      const bytes = readFileSync(join(folder, name))
      const plain = await get(path)
      t.equal(plain.status, 200, path)
      t.ok(plain.body.equals(bytes), `${path}: its bytes`)
      t.match(plain.headers, {
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
        'cache-control': own.includes(name) ? 'no-cache' : 'public, max-age=31536000, immutable',
        etag: /^"[\w-]{43}"$/,
        vary: 'accept-encoding',
      })
      t.notOk('set-cookie' in plain.headers, `${path}: no cookie`)
      if (!own.includes(name)) t.match(name, /\.[A-Z0-9]{8}\.(js|css)$/, 'what is kept for ever says what is in it')
      const again = await get(path, { 'if-none-match': String(plain.headers.etag) })
      t.match([again.status, again.body.length], [304, 0], `${path}: not sent twice`)
      const packed = await get(path, { 'accept-encoding': 'gzip, br' })
      t.equal(packed.headers['content-encoding'], 'gzip', path)
      t.ok(gunzipSync(packed.body).equals(bytes), `${path}: unpacked`)
      t.notOk(
        'content-encoding' in (await get(path, { 'accept-encoding': 'gzip;q=0' })).headers,
        `${path}: not where it is refused`,
      )
    }
  },
)

t.test('the first view needs one script and one style', { skip: !isBuilt && 'npm run build has made no page' }, (t) => {
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
  const named = [...index.matchAll(/"\/page\/([^"]+)"/g)].map(([, name]) => name!)
  t.same(named.map((name) => extname(name)).toSorted(), ['.css', '.js'], named.join(' '))
  const text = readFileSync(
    join(
      folder,
      named.find((name) => name.endsWith('.js'))!,
    ),
    'utf8',
  )
  const imports = text.match(/\b(?:import|from) *"[^"]*"/g) ?? []
  t.same(imports, [], 'the script imports other files only on demand')
  t.end()
})

t.test('serves no other file', async (t) => {
  for (const name of [
    'index.html',
    'sw.js',
    '..%2fmain.js',
    '%2e%2e%2fmain.js',
    'no-such.AAAAAAAA.js',
    'constructor',
  ]) {
    t.equal((await get(`/page/${name}`)).status, 404, name)
  }
  t.equal((await service.request('/', { method: 'POST' })).status, 405)
})

t.test('serves nothing to foreign hosts and origins', async (t) => {
  /** [headers, status] */
  const rows: [Record<string, string>, number][] = [
    [{ origin: service.url }, 200],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: `http://127.0.0.1:${service.port + 1}` }, 403],
    [{ origin: `https://127.0.0.1:${service.port}` }, 403],
    [{ host: 'evil.example' }, 403],
    [{ host: `phone.evil.example:${service.port}` }, 403],
  ]
  for (const [headers, status] of rows) {
    for (const path of ['/', '/sw.js', '/page/x.js']) {
      const expected = status === 200 && (path === '/page/x.js' || !isBuilt) ? 404 : status
      t.equal((await get(path, headers)).status, expected, `${path} ${JSON.stringify(headers)}`)
    }
  }
})

t.test('page: false disables the page', async (t) => {
  const without = await startService({ env: { SHELLPHONE_PAGE: 'false' } })
  t.teardown(() => without.stop())
  for (const path of ['/', '/sw.js', '/manifest.webmanifest', '/icon.svg', '/page/x.js']) {
    t.equal((await get(path, {}, without.port)).status, 401, path)
    t.equal((await without.request(path)).status, 404, path)
  }
})

t.test('shows the device and settings only to people', async (t) => {
  const paths = ['/phone', '/load', '/settings', '/connections', '/tokens', '/doctor']
  const { token } = (await (await service.post('/tokens', { name: 'agent', approves: 'own', read: 'all' })).json()) as {
    token: string
  }
  for (const path of paths) {
    t.equal((await service.request(path, { token: null })).status, 401, path)
    t.equal((await service.request(path, { token })).status, 403, `${path}: an agent`)
    t.equal((await service.request(path)).status, 200, path)
  }
})

const json = async (path: string) => (await (await service.request(path)).json()) as Record<string, unknown>

t.test('settings name their sources', async (t) => {
  const from = await startService({
    env: { SHELLPHONE_POLICY: 'strict', SHELLPHONE_MAX_QUEUED: '7' },
    flags: ['--timeout-seconds', '9'],
  })
  t.teardown(() => from.stop())
  const { settings } = (await (await from.request('/settings')).json()) as { settings: { name: string }[] }
  const of = (name: string) => settings.find((one) => one.name === name)
  t.match(of('max_queued'), { value: 7, default: 256, source: 'environment', live: false })
  t.match(of('timeout_seconds'), { value: 9, default: 30, source: 'flags', live: true })
  t.match(of('policy'), { value: 'strict', source: 'environment' })
  t.match(of('port'), { value: 0, source: 'flags', expected: /integer from 0 to 65535/ })
  t.match(of('max_running'), { source: 'default', meaning: /^Maximum number of commands that run at the same time\./ })
  const presets = settings.filter((one) => (one as { source?: string }).source === 'preset')
  t.ok(presets.length > 0, `${presets.length} are the preset's`)
})

t.test('reports the phone, its load and its connections', async (t) => {
  const socket = await service.socket()
  await socket.exec('a', { command: 'true' })
  const phone = await json('/phone')
  t.match(phone, { battery: null, wifi: null, storage: [{ path: service.home }] })
  t.match((phone.missing as string[])[0], /battery: termux-battery-status is not installed/)
  t.same(await json('/phone'), phone, 'it is looked at once a minute')
  const { samples } = (await json('/load')) as { samples: object[] }
  t.match(samples.at(-1), { running: 0, queued: 0, begun: /\d/, memory_bytes: /\d{7}/, lag_ms: /\d/ })
  const ofHour = (await json('/load?minutes=60')) as { samples: object[] }
  t.match(ofHour.samples.at(-1), { running: 0, memory_bytes: /\d{7}/ })
  for (const query of ['minutes=5', 'minutes=1441', 'minutes=10.5', 'minutes=x', 'hours=1']) {
    t.equal((await service.request(`/load?${query}`)).status, 400, query)
  }
  const { connections } = (await json('/connections')) as { connections: { kind: string }[] }
  t.match(
    connections.find(({ kind }) => kind === 'websocket'),
    { token: 'owner', address: '127.0.0.1' },
  )
  await socket.close()
  t.match(await json('/health'), { name: /./ })
})
