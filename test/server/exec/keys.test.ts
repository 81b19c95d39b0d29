import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { freeKey, keyOf, olderRun } from '../../../src/server/exec/keyed.ts'
import { type ExecRecord, note, OWNER, ShellphoneError, DEFAULT_RIGHTS } from '../../../src/shared/schema/index.ts'
import type { Store } from '../../../src/server/store/index.ts'
import { noSandbox, type Service, startService, until } from '../../support/helper.ts'
import { mountSmall } from '../../support/small-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-keys-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** The service for tests that need no settings of their own; the first of them starts it. */
let shared: Promise<Service> | undefined
const usual = () => (shared ??= startService())
t.teardown(async () => (await shared)?.stop())

const json = async (response: Response) => (await response.json()) as ExecRecord & { error: { message: string } }
const ran = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8') : '')
const appends = (log: string) => `echo ran >> ${join(folder, log)}`

/** The pid of its launcher, or null if it runs commands without one. */
const launcherOf = ({ pid }: Service): number | null => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  return children.find((child) => child > 0 && readFileSync(`/proc/${child}/comm`, 'utf8') === 'launcher\n') ?? null
}

t.test('keeps the key if the launcher dies during a spawn, so that the command runs at most once', async (t) => {
  const service = await usual()
  const launcher = launcherOf(service)
  if (launcher === null) return t.pass('no launcher', { skip: 'commands are started without a launcher here' })
  const body = { command: `${appends('unknown')}; echo out` }
  const key = { 'idempotency-key': 'unknown' }
  process.kill(launcher, 'SIGSTOP')
  const asked = service.post('/exec', body, key)
  // an idle reaper may still take the run from the stopped launcher; then it has already run
  const isAsked = async () => {
    const { runs } = (await (await service.request('/runs')).json()) as { runs: ExecRecord[] }
    return runs.some((run) => run.command === body.command && run.status !== 'queued')
  }
  t.ok(await until(isAsked))
  process.kill(launcher, 'SIGKILL')
  const first = await json(await asked)
  const log = ran(join(folder, 'unknown'))
  // the next launcher starts a run that the dead one had not taken; a run that a reaper had begun ended with the reaper
  if (first.status === 'completed') t.hasStrict({ ...first, log }, { stdout: 'out\n', log: 'ran\n' })
  else t.match(first, { status: 'failed', exit_code: -1, notes: [{ code: /^(LAUNCHER|KEEPER)_(KILLED|DIED)$/ }] })
  if (/whether it ran is not known$/.test(first.notes[0]?.text ?? '')) t.equal(log, '')
  const again = await json(await service.post('/exec', body, key))
  t.hasStrict(again, { id: first.id, status: first.status }, 'the retry does not run the command')
  t.equal(ran(join(folder, 'unknown')), log, 'the command does not start again')
  t.match(log, /^(ran\n)?$/, 'the command started at most once')
  t.hasStrict(await service.exec({ command: 'echo on' }), { stdout: 'on\n' }, 'the service still works')
})

t.test('repeats the reply of a denied dialect call, even if the guards have changed', async (t) => {
  const home = join(folder, 'denied')
  const body = { command: 'rm -rf /' }
  const tools = ['picoclaw', 'nullclaw', 'meka']
  const callAll = async (service: Service) => {
    const answers: object[] = []
    for (const tool of tools) {
      const answer = await service.post(`/exec/${tool}`, body, { 'idempotency-key': `denied-${tool}` })
      answers.push((await answer.json()) as object)
    }
    await service.stop()
    return answers
  }
  const first = await callAll(await startService({ home }))
  // meka denies every command on a system without sandboxes
  for (const answer of first) t.match(answer, { is_error: true, output: /blocked|denied|not available/i })
  const off = {
    picoclaw: { enable_deny_patterns: false },
    nullclaw: { autonomy: 'full', block_high_risk_commands: false },
  }
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ policy: 'open', dialects: off }))
  t.same(await callAll(await startService({ home })), first)
})

t.test('a retry with a key finds its run, even while new commands are refused', async (t) => {
  const service = await startService({ env: { SHELLPHONE_MAX_QUEUED: '256', SHELLPHONE_MAX_RUNNING: '1' } })
  t.teardown(() => service.stop())
  const key = { 'idempotency-key': 'before' }
  const first = await json(await service.post('/exec', { command: 'echo once' }, key))
  const fill = { command: 'sleep 3311', stdin: 'x'.repeat(1_000_000), background: true }
  let last: Response
  do last = await service.post('/exec', fill)
  while (last.status === 202)
  t.match(await json(last), { error: { type: 'pool_full', message: /commands of \d+ bytes have not ended yet/ } })
  t.hasStrict(await json(await service.post('/exec', { command: 'echo once' }, key)), {
    id: first.id,
    stdout: 'once\n',
  })
})

t.test('rejects an invalid key', async (t) => {
  const service = await usual()
  for (const key of ['a b', 'x'.repeat(256), 'a\tb', '\u00e4']) {
    const refused = await service.post('/exec', { command: 'true' }, { 'idempotency-key': key })
    t.equal(refused.status, 400, JSON.stringify(key.slice(0, 9)))
    t.match(await refused.json(), { error: { type: 'validation_error', message: /idempotency-key/ } })
  }
})

t.test('the same key and body return the same run in every response format', async (t) => {
  const service = await usual()
  const ways: Record<string, string>[] = [
    {},
    { accept: 'application/octet-stream' },
    { accept: 'text/plain' },
    { accept: 'text/event-stream' },
    { prefer: 'respond-async' },
  ]
  for (const [index, first] of ways.entries()) {
    const body = { command: appends(`way-${index}`) }
    const key = { 'idempotency-key': `way-${index}` }
    const ids = new Set<string | null>()
    for (const way of [first, ...ways]) {
      const reply = await service.post('/exec', body, { ...key, ...way })
      await reply.arrayBuffer()
      t.equal(reply.status, way.prefer ? 202 : 200, JSON.stringify([first, way]))
      ids.add(reply.headers.get('run-id'))
    }
    t.equal(ids.size, 1)
    t.ok(await until(() => ran(join(folder, `way-${index}`)) === 'ran\n'))
  }
})

t.test('a client that disconnects from a run with a key finds it completed on retry', async (t) => {
  const service = await usual()
  const left = join(folder, 'client-left')
  const body = { command: `${appends('dropped')}; until [ -e ${left} ]; do sleep 0.1; done; echo done` }
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'idempotency-key': 'dropped' },
  }
  const gone = new AbortController()
  const dropped = service.request('/exec', { ...init, signal: gone.signal })
  t.ok(await until(() => ran(join(folder, 'dropped')) !== ''))
  gone.abort()
  await t.rejects(dropped)
  writeFileSync(left, '')
  const record = await json(await service.request('/exec', init))
  t.hasStrict(record, { status: 'completed', stdout: 'done\n' })
  t.equal(ran(join(folder, 'dropped')), 'ran\n')
})

t.test('a run with a key does not begin before its key is on disk', async (t) => {
  const [flushing, go, log] = ['flushing', 'go', 'flushed'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const holding = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { fdatasync } = fs
    fs.fdatasync = (descriptor, done) => {
      fs.writeFileSync('${flushing}', '')
      const timer = setInterval(() => {
        if (!fs.existsSync('${go}')) return
        clearInterval(timer)
        fdatasync(descriptor, done)
      }, 20)
    }
    syncBuiltinESMExports()`
  const service = await startService({
    node: [`--import=data:text/javascript,${encodeURIComponent(holding)}`],
    env: { SHELLPHONE_MAX_RUNNING: '1' },
  })
  t.teardown(() => service.stop())
  const keyed = service.post('/exec', { command: `echo ran >> ${log}` }, { 'idempotency-key': 'flushed' })
  t.ok(await until(() => existsSync(flushing)))
  t.hasStrict(await service.exec({ command: 'true' }), { status: 'completed' }, 'the only slot is free')
  t.equal(ran(log), '')
  writeFileSync(go, '')
  t.hasStrict(await json(await keyed), { status: 'completed' })
  t.equal(ran(log), 'ran\n')
})

t.test('a key whose record has expired runs nothing and returns EXPIRED', async (t) => {
  const service = await startService({ env: { SHELLPHONE_HISTORY_MAX_COUNT: '1' } })
  t.teardown(() => service.stop())
  const body = { command: appends('forgotten') }
  const key = { 'idempotency-key': 'forgotten' }
  const { id } = await json(await service.post('/exec', body, key))
  await service.exec({ command: 'true' })
  await service.exec({ command: 'true' })
  t.equal((await service.request(`/runs/${id}`)).status, 404)
  const again = await service.post('/exec', body, key)
  t.equal(again.status, 410)
  t.match((await json(again)).error.message, `belongs to run ${id}, whose record is no longer stored`)
  t.equal(ran(join(folder, 'forgotten')), 'ran\n')
})

t.test('on a full disk refuses a run whose key it cannot store, and reports the loss', async (t) => {
  const home = join(folder, 'small')
  mkdirSync(home)
  const skip = mountSmall(t, home)
  if (skip !== null) return t.pass('full', { skip })
  // tests of sandboxes leave files that the kernel frees later
  const env = { SHELLPHONE_MIN_FREE_BYTES: '0', SHELLPHONE_SPAWNER: 'child_process' }
  const service = await startService({ home, env })
  t.teardown(() => service.stop())
  const warnings = async () => ((await (await service.request('/health')).json()) as { warnings: string[] }).warnings
  const before = await warnings()
  t.throws(() => writeFileSync(join(home, 'filler'), Buffer.alloc(2_000_000)), { code: 'ENOSPC' })
  // longer than the rest of the page that contains the segment's header
  const long = ` # ${'x'.repeat(5000)}`
  const body = { command: appends('full') + long }
  const refused = await service.post('/exec', body, { 'idempotency-key': 'full' })
  t.equal(refused.status, 500)
  t.match(
    (await json(refused)).error.message,
    /^Idempotency-Key: the key cannot be stored, so the command was not run: ENOSPC/,
  )
  t.equal(ran(join(folder, 'full')), '')
  const record = await service.exec({ command: `echo without${long}` })
  t.hasStrict(record, { status: 'completed', stdout: 'without\n' })
  t.match(record.notes, [note('RECORD_IN_MEMORY')])
  t.match(
    (await warnings()).filter((warning) => !before.includes(warning)).join('; '),
    /history cannot be written: ENOSPC/,
  )
  rmSync(join(home, 'filler'))
  t.equal((await json(await service.post('/exec', body, { 'idempotency-key': 'full' }))).status, 'completed')
  t.equal(ran(join(folder, 'full')), 'ran\n')
  t.ok(await until(async () => (await warnings()).join() === before.join()), 'the warnings disappear')
})

t.test('ends the run if it cannot create the temporary folder', async (t) => {
  const service = await usual()
  const missing = await noSandbox(service, 'workspace-write')
  if (missing) return t.pass('sandbox', { skip: missing })
  const { stdout } = await service.exec({ command: 'printf %s "$TMPDIR"', sandbox: 'workspace-write' })
  const temporary = dirname(stdout)
  t.teardown(() => rmSync(temporary, { force: true }))
  if (process.getuid!() === 0) {
    chownSync(temporary, 65534, 65534)
    const refused = await json(await service.post('/exec', { command: 'true', sandbox: 'workspace-write' }))
    t.match(refused.error.message, / belongs to user 65534$/, 'others can create folders next to it')
  }
  rmSync(temporary, { recursive: true })
  writeFileSync(temporary, '')
  const reply = await service.post('/exec', { command: 'true', sandbox: 'workspace-write' })
  t.equal(reply.status, 500)
  t.match((await json(reply)).error.message, /^Cannot create a temporary directory: /)
  const { runs } = (await (await service.request('/runs')).json()) as { runs: ExecRecord[] }
  t.match(runs[0], {
    status: 'failed',
    ended_at: /Z$/,
    notes: [{ code: 'FAILED', text: /^Cannot create a temporary directory: / }],
  })
})

t.test('accepts a timeout of a year for a background command', async (t) => {
  const service = await startService({ env: { SHELLPHONE_MAX_BACKGROUND_SECONDS: '31536000' } })
  t.teardown(() => service.stop())
  const { id } = await service.exec({ command: 'sleep 0.3; echo year', background: true })
  const record = await json(await service.request(`/runs/${id}?wait_seconds=300`))
  t.hasStrict(record, { status: 'completed', stdout: 'year\n', timeout_seconds: 31_536_000 })
})

t.test('refuses a background command at once or never, and queues it without a time limit', async (t) => {
  const service = await startService({
    env: {
      SHELLPHONE_MAX_BACKGROUND_RUNNING: '1',
      SHELLPHONE_MAX_QUEUED: '1',
      SHELLPHONE_MAX_QUEUE_WAIT_SECONDS: '0.1',
    },
  })
  t.teardown(() => service.stop())
  const begin = (command: string) => service.post('/exec', { command, background: true })
  const gate = join(folder, 'gate')
  const [first, second, third] = [
    await begin(`until [ -e ${gate} ]; do sleep 0.1; done; sleep 1`),
    await begin('echo waited'),
    await begin('true'),
  ]
  t.same([first.status, second.status, third.status], [202, 202, 503])
  const { runs } = (await (await service.request('/runs')).json()) as { runs: ExecRecord[] }
  t.equal(runs.length, 2, 'a refused request is no run')
  writeFileSync(gate, '')
  const { id } = await json(second)
  t.hasStrict(await json(await service.request(`/runs/${id}?wait_seconds=300`)), {
    status: 'completed',
    stdout: 'waited\n',
  })
})

t.test('frees a key if its run was refused, but not if it may have run', async (t) => {
  const released: string[] = []
  const keys = { release: (_key: string, id: string) => void released.push(id) }
  const store = { keys } as unknown as Store
  const key = keyOf('k', { command: 'true' }, OWNER)
  freeKey('refused', key, new ShellphoneError('POOL_FULL', 'no room'), store)
  freeKey('failed', key, new Error('a fault of ours'), store)
  freeKey('without a key', undefined, new ShellphoneError('POOL_FULL', 'no room'), store)
  t.same(released, ['refused'])
})

t.test('a key from before tokens had ids still finds its run', async (t) => {
  const body = { command: 'echo once' }
  const digest = createHash('sha256')
    .update(`codex\0${JSON.stringify(body)}`)
    .digest('hex')
  const record = { token: 'codex', started_at: '2026-03-02T00:00:00.000Z', ended_at: null }
  const storeOf = (kept: object) =>
    ({
      keys: { find: (key: string, given: string) => (key === 'k' && given === digest ? 'the-run' : null) },
      history: { get: async () => ({ record: kept }) },
    }) as unknown as Store
  const who = { ...DEFAULT_RIGHTS, id: 'an-id', name: 'codex', created_at: '2026-03-01T00:00:00.000Z' }
  t.equal(await olderRun('k', body, who, storeOf(record)), 'the-run')
  t.equal(await olderRun('k', { command: 'other' }, who, storeOf(record)), null, 'with another body')
  const later = { ...who, created_at: '2026-03-03T00:00:00.000Z' }
  t.equal(await olderRun('k', body, later, storeOf(record)), null, 'of a token that previously had this name')
  t.equal(await olderRun('k', body, who, storeOf({ ...record, token_id: 'b' })), null, 'of another token')
  t.equal(await olderRun('k', body, OWNER, storeOf(record)), null, 'the owner’s keys are unchanged')
})
