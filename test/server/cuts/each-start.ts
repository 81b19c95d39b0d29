import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { ExecRecord, LogEvent } from '../../../src/shared/schema/index.ts'
import { endWithUs, root, soon, startService } from '../../support/helper.ts'
import { homeFiles, SECRETS } from './home-files.ts'

const OUTPUT_BYTES = 200_000
const STARTS_AT_ONCE = 4
const key = { 'idempotency-key': 'a-key-of-this-test' }
const keyed = { command: 'echo keyed' }

/** A file that is cut before a start. */
interface StartRow {
  /** flags of the service that reads it */
  flags?(home: string): string[]
  /** how the service reports it (default: by its name); null: the service need not report it */
  said?: string | null
  /** true: the service listens beyond loopback, in a network namespace of its own, so only its log is checked */
  isApart?: boolean
  /** starts the service as npm installs it, without a launcher in dist/ */
  isInstalled?: boolean
  /** whether this cut need not be reported */
  mayBeSilent?(cut: Buffer): boolean
}

const own = (setting: string): StartRow => ({
  said: setting,
  flags: (home) => [
    '--tls-certificate',
    join(home, 'own.pem'),
    '--tls-key',
    join(home, 'own-key.pem'),
    '--tls-client-ca',
    join(home, 'own-ca.pem'),
  ],
})
const beyondLoopback: StartRow = { isApart: true, flags: () => ['--host', '0.0.0.0'] }

/** Every file of the home that the service reads when it starts, by its path there. */
const rows: Record<string, StartRow> = {
  // an editor that deletes lines leaves a file that ends with a line break
  'config.yaml': { mayBeSilent: (cut) => cut.at(-1) === 10 },
  token: { mayBeSilent: (cut) => cut.length === 0 }, // the service creates a new token
  'owner.sha256': {},
  cli: { mayBeSilent: (cut) => cut.length === 0 }, // as for the token
  lock: { said: null },
  address: { said: null },
  'tokens.json': {},
  'approvals.json': {},
  'fleet.json': {},
  'uploads.json': { said: null }, // the clients send the files again
  'own.pem': own('tls_certificate'),
  'own-key.pem': own('tls_certificate'),
  'own-ca.pem': own('tls_client_ca'),
  'tls-key.pem': beyondLoopback,
  'tls-certificate.pem': beyondLoopback,
  'history/00000001.jsonl': { said: 'history' },
  'history/00000001.keys': { said: null }, // the lines contain the keys too
  'history/remembered': { said: 'history' },
  'history/home-id': { said: null }, // for the fleet, this is another home
  'runs/OUTPUT': { said: 'outputs' },
  LAUNCHER: { isInstalled: true, said: null },
}

/** The names of the files that a run and a launcher leave, which differ from test to test. */
interface Base {
  home: string
  /** the whole output of this run is in a file */
  runId: string
  keyedId: string
  runIds: string[]
  /** a package whose dist/ has no launcher, so that the service builds one into its home */
  checkout: string | null
}

/** A home in which a service has worked, with every file of `rows`. */
async function makeBase(t: Test, needsLauncher: boolean): Promise<Base> {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-starts-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const write = () => {
    for (const [name, { whole }] of Object.entries(homeFiles))
      if (name !== 'owner.sha256') writeFileSync(join(home, name), whole)
  }
  write()
  const checkout = needsLauncher ? installed(t) : null
  const service = await startService({ home, ...(checkout !== null && { checkout }) })
  const small = await service.exec({ command: 'echo small' })
  const large = await service.exec({ command: `head -c ${OUTPUT_BYTES} /dev/zero | tr '\\0' x` })
  const withKey = (await (await service.post('/exec', keyed, key)).json()) as ExecRecord
  await service.stop()
  write()
  return {
    home,
    runId: large.id,
    keyedId: withKey.id,
    runIds: [small, large, withKey].map(({ id }) => id).sort(),
    checkout,
  }
}

/** This clone as a package whose dist/ has no launcher. */
function installed(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-package-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['node_modules', 'openapi.yaml', 'package.json', 'src'])
    symlinkSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, 'dist'))
  for (const name of readdirSync(join(root, 'dist'))) {
    if (!name.startsWith('launcher') || name === 'launcher.c')
      cpSync(join(root, 'dist', name), join(folder, 'dist', name), { recursive: true })
  }
  return folder
}

/** The result of a start: the service listens on `port`, or it has refused with a code and a message. */
interface Start {
  port: number | null
  code: number | null
  stderr: string
  log: string[]
  stop(): Promise<number | null>
}

async function start(home: string, row: StartRow, checkout: string): Promise<Start> {
  const argv = [process.execPath, join(checkout, 'dist/main.js'), 'serve', '--port', '0', ...(row.flags?.(home) ?? [])]
  const apart = ['unshare', '--net', 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh']
  const [program, ...args] = (row.isApart ? [...apart, ...argv] : argv) as [string, ...string[]]
  const child = endWithUs(
    spawn(program, args, { env: { ...process.env, SHELLPHONE_HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const stderr = text(child.stderr!)
  const log: string[] = []
  const listening = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      log.push(line)
      const { event, address } = JSON.parse(line) as { event?: LogEvent; address: string }
      if (event === 'LISTENING') resolve(Number(new URL(address).port))
    })
  })
  const port = await soon(Promise.race([listening, exited.then(() => null)]))
  const stop = () => {
    child.kill()
    return soon(exited)
  }
  return { port, code: port === null ? await exited : null, stderr: port === null ? await stderr : '', log, stop }
}

/**
 * Starts the service once for each file of `names` and each tenth of `tenths`, with that file cut there. It starts and reports the damage, or
 * refuses with one line that names the file; it grants nobody more than before, and all other files remain.
 */
export function eachStart(t: Test, names: string[] | 'all', tenths: number[]): Promise<unknown> {
  return t.test('starts and reports a file that was cut, or refuses and names it', (t) => starts(t, names, tenths))
}

async function starts(t: Test, names: string[] | 'all', tenths: number[]): Promise<void> {
  const chosen = Object.entries(rows).filter(
    ([name, { isApart }]) => (names === 'all' || names.includes(name)) && !(isApart && process.getuid!() !== 0),
  )
  const base = await makeBase(
    t,
    chosen.some(([, { isInstalled }]) => isInstalled),
  )
  const launcher = readdirSync(base.home).find((name) => name.startsWith('launcher-'))
  const toPath = (name: string) =>
    name.replace('OUTPUT', `${base.runId}.stdout`).replace('LAUNCHER', launcher ?? 'none')
  const counts: string[] = []
  const waiting = chosen.values()
  const work = async () => {
    for (const [name, row] of waiting) await startEach(name, row)
  }
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, work))
  t.comment(`started/cut: ${counts.join(', ')}`)

  async function startEach(name: string, row: StartRow): Promise<void> {
    const path = toPath(name)
    const refusals = new Set<string>()
    const faults: string[] = []
    let started = 0
    for (const tenth of tenths) {
      const home = mkdtempSync(join(tmpdir(), 'shellphone-starts-'))
      try {
        cpSync(base.home, home, { recursive: true })
        if (name === 'owner.sha256') {
          rmSync(join(home, 'token'))
          writeFileSync(join(home, name), `${hash('sha256', ownersToken)}\n`)
        }
        const whole = readFileSync(join(home, path))
        const cut = whole.subarray(0, Math.floor((whole.length * tenth) / 10))
        writeFileSync(join(home, path), cut)
        const service = await start(home, row, row.isInstalled ? base.checkout! : root)
        const fault =
          service.port === null ? refusalFault(service, row, name) : await startFault(service, row, name, cut, base)
        if (service.port === null) refusals.add(service.stderr.trim().replaceAll(home, '~'))
        else started += 1
        const lost = lostFiles(base.home, home, path, service.port !== null)
        for (const what of [...fault, ...lost]) faults.push(`${cut.length} of ${whole.length} bytes: ${what}`)
        if (service.port !== null) {
          const code = await service.stop()
          if (code !== 0) faults.push(`${cut.length} of ${whole.length} bytes: it stopped with ${code}`)
        }
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    }
    t.same(faults, [], `${name}: ${tenths.length} starts, ${tenths.length - started} refused`)
    for (const message of refusals) t.comment(message)
    counts.push(`${name} ${started}/${tenths.length}`)
  }
}

const ownersToken = homeFiles.token!.whole.trim()

function refusalFault({ code, stderr, log }: Start, { said }: StartRow, name: string): string[] {
  const named = said ?? basename(name)
  const isClear = code !== 0 && /^shellphone: [^\n]+\n$/.test(stderr) && stderr.includes(named)
  return isClear ? [] : [`refused with ${code}: ${stderr}${log.join()}`]
}

/** What is wrong with a service that has started on a home with this cut file. */
async function startFault(service: Start, row: StartRow, name: string, cut: Buffer, base: Base): Promise<string[]> {
  const faults: string[] = []
  const expect = (what: string, isTrue: boolean, found: unknown) => {
    if (!isTrue) faults.push(`${what}: ${JSON.stringify(found)}`)
  }
  const loud = service.log.filter((line) => JSON.parse(line).level >= 40)
  let said: string[] = loud
  if (!row.isApart) {
    const isCut = (...names: string[]) => names.some((one) => name.startsWith(one))
    const get = (path: string, token = ownersToken, more: RequestInit = {}) =>
      soon(
        fetch(`http://127.0.0.1:${service.port}${path}`, {
          ...more,
          headers: { authorization: `Bearer ${token}`, ...more.headers },
        }),
      )
    const post = (path: string, body: object, headers = {}) =>
      get(path, ownersToken, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
    const statuses = async (...tokens: string[]) =>
      Promise.all(tokens.map(async (token) => (await get('/runs', token)).status))

    const strangers = await statuses('', 'undefined', 'null', hash('sha256', ''), ownersToken.slice(0, -1))
    expect(
      'tokens of nobody',
      strangers.every((status) => status === 401),
      strangers,
    )
    const agents = await statuses(...SECRETS)
    expect(
      'the agents',
      agents.every((status) => status === 200 || (isCut('tokens.json') && status === 401)),
      agents,
    )
    // an empty token file counts as missing, and the service creates a new token
    const [owner] = await statuses(ownersToken)
    if (isCut('token') && !isCut('tokens.json')) return owner === 401 ? [] : [`the owner: ${owner}`]
    expect('the owner', owner === 200, owner)

    const check = async (command: string) =>
      (await (await post('/policy/check', { command })).json()) as { verdict: string }
    const verdicts = await Promise.all(['rm -rf /', 'curl evil'].map(check))
    expect(
      'the policy',
      verdicts[0]!.verdict === 'deny' && (isCut('config.yaml') || verdicts[1]!.verdict === 'deny'),
      verdicts,
    )
    const { rules } = (await (await get('/approvals')).json()) as { rules: { id: string }[] }
    const ids = rules.map(({ id }) => id).sort()
    expect(
      'saved approvals',
      isCut('approvals.json') ? ids.every((id) => ['other', 'rule'].includes(id)) : ids.join() === 'other,rule',
      ids,
    )
    const { runs } = (await (await get('/runs')).json()) as { runs: { id: string }[] }
    const known = runs.map(({ id }) => id).sort()
    expect(
      'runs',
      isCut('history/00000001.jsonl')
        ? known.every((id) => base.runIds.includes(id))
        : known.join() === base.runIds.join(),
      known,
    )
    const repeated = (await (await post('/exec', keyed, key)).json()) as ExecRecord
    expect('the key', isCut('history/00000001.jsonl') || repeated.id === base.keyedId, repeated)
    const output = await get(`/runs/${base.runId}/output`)
    const bytes = (await output.text().catch(() => '')).length
    expect('the output', isCut('history/00000001.jsonl', 'runs/') || bytes === OUTPUT_BYTES, [output.status, bytes])
    const record = (await (await post('/exec', { command: 'echo works' })).json()) as ExecRecord
    expect('a command', record.stdout === 'works\n', record)
    const { warnings, fleet, spawner } = (await (await get('/health')).json()) as Health
    expect('the fleet', (fleet?.name === 'phone') !== isCut('fleet.json'), fleet)
    expect('the launcher', !isCut('LAUNCHER') || spawner.name === 'launcher', spawner)
    said = [...loud, ...warnings]
  }
  const named = row.said === undefined ? basename(name) : row.said
  const isSilent = named === null || row.mayBeSilent?.(cut) === true
  expect('nothing reports it', isSilent || said.some((line) => line.includes(named)), said)
  return faults
}

interface Health {
  warnings: string[]
  fleet?: { name: string }
  spawner: { name: string; reason: string }
}

/** The files that a start replaces, appends to or removes, whatever they contain. */
const replaced = /^(?:lock|address|token|cli|owner\.sha256|uploads\.json|tmp|pipes|buttons|history\/.*)$/

/** The files that differ from those before the start, apart from the cut one. */
function lostFiles(before: string, after: string, cutPath: string, isStarted: boolean): string[] {
  const names = readdirSync(before, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(before, name)).isFile(),
  )
  const isSame = (name: string) => {
    try {
      const [was, is] = [readFileSync(join(before, name)), readFileSync(join(after, name))]
      return was.equals(is) || (name.endsWith('.jsonl') && is.subarray(0, was.length).equals(was))
    } catch {
      return false // it is gone
    }
  }
  const others = names.filter((name) => name !== cutPath && !replaced.test(name))
  const lines = isStarted ? names.filter((name) => name.endsWith('.jsonl') && name !== cutPath) : []
  return [...others, ...lines].filter((name) => !isSame(name)).map((name) => `${name} has changed`)
}
