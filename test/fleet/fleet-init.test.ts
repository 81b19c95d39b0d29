import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { brokerVersion, inspectFleet, newFleet, type PlaneFile } from '../../src/fleet/plane/index.ts'
import { makeCertificate } from '../../src/server/access/index.ts'
import { runInProcess } from '../support/in-process-cli.ts'

const DAY_MS = 86_400_000

const files = await newFleet({
  ...{ directory: '/srv/fleet', url: 'https://fleet.example.com', nodes: ['fleet.example.com'], port: 4222 },
  ...{ version: brokerVersion('2.12.7'), makeCertificate },
})
const plane: PlaneFile = JSON.parse(files.get('plane/plane.json')!)
const certificate = new X509Certificate(files.get('broker/certificate.pem')!)

t.test('creates a certificate for the broker that is valid for 20 years', async (t) => {
  t.equal(plane.ca, files.get('broker/certificate.pem'), 'planes and phones trust this certificate')
  t.equal(certificate.subjectAltName, 'DNS:fleet.example.com')
  const days = (Date.parse(certificate.validTo) - Date.now()) / DAY_MS
  t.equal(Math.round(days), 7305)
})

t.test('fleet doctor warns 90 days before the certificate of the brokers expires', async (t) => {
  const untilMs = Date.parse(certificate.validTo)
  const day = new Date(untilMs).toISOString().slice(0, 10)
  const inspect = (ca: string | null, nowMs: number) => inspectFleet({ ...plane, servers: [], ca }, nowMs)
  const fix = 'create the fleet again in a new directory with shellphone fleet init, and invite the phones again'
  const text = `the brokers' certificate expires on ${day}`
  t.same(await inspect(plane.ca, untilMs - 91 * DAY_MS), [{ level: 'ok', text, fix: null }])
  t.same(await inspect(plane.ca, untilMs - 89 * DAY_MS), [
    { level: 'warning', text: `${text}; phones then reject it`, fix },
  ])
  t.same(await inspect(plane.ca, untilMs), [
    { level: 'error', text: `the brokers' certificate expired on ${day}; phones reject it`, fix },
  ])
  t.match(await inspect('none', untilMs), [{ level: 'error', text: /^plane\.json: ca: / }])
  t.same(await inspect(null, untilMs), [], 'without a certificate of its own')
})

t.test('warns if the broker and the URL need the same port of one host', async (t) => {
  const folder = t.testdir()
  const rows: [options: string[], warning: RegExp | null][] = [
    [['--url', 'https://fleet.example.com'], /both need port 443 of fleet\.example\.com; .* --broker-port 4222, or /],
    [
      ['--url', 'http://127.0.0.1:4222'],
      /the broker and http:\/\/127\.0\.0\.1:4222 both need port 4222 of 127\.0\.0\.1; /,
    ],
    [['--url', 'https://fleet.example.com', '--broker-port', '4222'], null],
    [['--url', 'https://fleet.example.com:8443'], null],
    [['--url', 'https://fleet.example.com', '--nodes', 'broker.example.com'], null],
    [[], null],
  ]
  for (const [index, [options, warning]] of rows.entries()) {
    const argv = ['fleet', 'init', join(folder, String(index)), '--broker-version', '2.12.7', ...options]
    const { code, err } = await runInProcess(argv, {})
    t.equal(code, 0, err)
    if (warning === null) t.equal(err, '', options.join(' '))
    else t.match(err, warning)
  }
})
