/** The attacks of scripts/drills/drill-attack.ts on a control plane with one phone, by agents and people who may use only a part of the fleet. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exec, linkOf, type Phone, rejoin, signingKey } from '../../test/support/fleet.ts'
import { soon, until } from '../../test/support/helper.ts'
import { type Broker, noBroker, startBroker } from '../../test/support/nats.ts'
import { addPhone, enrol, json, type PlaneClient, startPlane, submit } from '../../test/support/plane.ts'
import type { Outcome } from './attacks.ts'

interface World {
  broker: Broker
  plane: Awaited<ReturnType<typeof startPlane>>
  pixel: Phone
}
type PlaneAttack = (world: World) => Promise<string[]>

const BLOCKED_MS = 500

const reaches = async (plane: PlaneClient, rows: [what: string, path: string, init: object][], token: string) => {
  const got: string[] = []
  for (const [what, path, init] of rows)
    if ((await plane.request(path, { ...init, token })).status < 400) got.push(what)
  return got
}

const ofOthers: PlaneAttack = async ({ plane }) => {
  const person = await plane.token('berliner', 'person', 'lab=berlin')
  const { job } = await submit(plane, { command: 'sleep 60', phones: 'name=pixel' })
  const rows: [string, string, object][] = [
    ['a job of phones that are not theirs', `/jobs/${job}`, {}],
    ['its events', `/jobs/${job}/events`, {}],
    ['canceling it', `/jobs/${job}`, { method: 'DELETE' }],
    ['a conflict', '/conflicts/pixel', { method: 'DELETE' }],
    ['a phone', '/phones/pixel', {}],
  ]
  const got = await reaches(plane, rows, person)
  await plane.request(`/jobs/${job}`, { method: 'DELETE' })
  return got
}

const runsOfOthers: PlaneAttack = async ({ plane }) => {
  const [one, two] = [await plane.token('one', 'agent'), await plane.token('two', 'agent')]
  const reply = await plane.post('/phones/pixel/exec', { command: 'echo by one' }, { token: one })
  const { id } = await json(reply)
  const { runs } = await plane.get('/phones/pixel/runs?q=echo%20by', two)
  const paths = ['', '/output', '/events'].map((path): [string, string, object] => [
    path,
    `/phones/pixel/runs/${id}${path}`,
    {},
  ])
  return [...(runs.length > 0 ? ['the list of runs'] : []), ...(await reaches(plane, paths, two))]
}

const replays: PlaneAttack = async ({ broker, pixel }) => {
  const { privateKey: signer, publicKey } = signingKey()
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-replay-'))
  const file = join(folder, 'ran')
  const nc = await broker.connect('plane', 'plane')
  const phone = await rejoin(broker, pixel, { name: 'replayed', planeKeys: [publicKey] })
  let again = async () => {}
  const onSent = (send: () => Promise<void>) => void (again = send)
  await exec(nc, 'replayed', { command: `echo ran >> ${file}` }, { signer, onSent })
  const { refused } = await linkOf(phone)
  await again()
  await until(async () => (await linkOf(phone)).refused > refused)
  const ran = readFileSync(file, 'utf8').split('\n').length - 1
  await nc.close()
  rmSync(folder, { recursive: true })
  return ran === 1 ? [] : [`it ran ${ran} times`]
}

const deepBodies: PlaneAttack = async ({ plane }) => {
  const token = await plane.token('parser', 'agent')
  const got: string[] = []
  for (const body of ['['.repeat(960_000), `[${'1,'.repeat(400_000)}1]`, '{"a":'.repeat(190_000)]) {
    const began = performance.now()
    const headers = { 'content-type': 'application/json' }
    const { status } = await plane.request('/exec', { method: 'POST', body, token, headers })
    const ms = performance.now() - began
    if (status < 400 || ms > BLOCKED_MS) got.push(`${status} after ${ms.toFixed(0)} ms`)
  }
  return got
}

const ownLabels: PlaneAttack = async ({ plane }) => {
  const agent = await plane.token('secretive', 'agent', 'secrets')
  const { status } = await plane.post('/exec', { command: 'true', phones: 'secrets', queue_seconds: 600 })
  const got = await reaches(plane, [['the phone by its own label', '/phones/pixel', {}]], agent)
  return [...got, ...(status === 404 ? [] : ['a job by a label that the phone chose'])]
}

const otherPages: PlaneAttack = async ({ plane }) => {
  const { host } = new URL(plane.url)
  const got: string[] = []
  for (const headers of [
    { host: 'evil.example' },
    { host, origin: 'https://evil.example' },
    { host, origin: 'null' },
  ]) {
    const authorization = `Bearer ${plane.file.token}`
    const outgoing = httpRequest(`${plane.url}/phones`, { headers: { authorization, ...headers } }).end()
    const [answer] = await soon(once(outgoing, 'response'))
    answer.resume()
    if (answer.statusCode < 400) got.push(JSON.stringify(headers))
  }
  return got
}

const guesses: PlaneAttack = async ({ broker, plane }) => {
  const slow = await startPlane(broker, { plane: plane.file, maxFailedLoginsPerMinute: 3 })
  const statuses: number[] = []
  for (let n = 0; n < 10; n++) statuses.push((await slow.request('/phones', { token: `wrong${n}` })).status)
  const { status } = await slow.request('/phones')
  await slow.close()
  return [
    ...(statuses.includes(429) ? [] : ['endless guesses']),
    ...(status === 200 ? [] : ['the admin is locked out']),
  ]
}

const attacks: [string, PlaneAttack][] = [
  ['10: a person of other phones', ofOthers],
  ['10: runs of another agent', runsOfOthers],
  ['10: labels that a phone chooses', ownLabels],
  ['10: bodies that take long to parse', deepBodies],
  ['10: another name, another page', otherPages],
  ['10: wrong tokens', guesses],
  // must be the last attack, because it makes the phone leave the control plane
  ['10: a signed call, sent again', replays],
]

/** Runs the attacks whose name contains `wanted`, on a separate control plane, broker and phone. */
export async function* planeAttacks(wanted: string): AsyncGenerator<Outcome> {
  const tried = attacks.filter(([name]) => name.includes(wanted))
  if (tried.length === 0) return
  if (noBroker) return yield { name: '10: the control plane', got: [noBroker] }
  const broker = await startBroker()
  const plane = await startPlane(broker)
  const env = { SHELLPHONE_POLICY: 'open', SHELLPHONE_FLEET_LABELS: 'secrets,lab=berlin' }
  const pixel = await addPhone(plane, broker, 'pixel', { labels: ['lab=paris'], env })
  await enrol(plane, 'asleep', ['lab=berlin'])
  for (const [name, attack] of tried) yield { name, got: await attack({ broker, plane, pixel }) }
  await pixel.stop()
  await plane.close()
  await broker.stop()
}
