import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createOwnCommandLine } from '../../src/server/access/index.ts'
import { proofOf } from '../../src/cli/commands/own-proof.ts'
import type { ExecRecord, NewToken } from '../../src/shared/schema/index.ts'
import { noTerminals, root, type Service, startService, until } from '../support/helper.ts'

const prove = join(root, 'test/fixtures/access/prove.mjs')
const readAll = join(root, 'test/fixtures/access/read-all.mjs')
const node = process.execPath
const main = join(root, 'dist/main.js')

/** A service without guards, and a token that has no right except to open terminals. */
async function serving(env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-proof-'))
  const settings = {
    SHELLPHONE_POLICY: 'open',
    SHELLPHONE_TERMINAL: 'on',
    SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '1000', // every attempt counts as a wrong token
  }
  const start = () => startService({ home, env: { ...settings, ...env } })
  const service = await start()
  t.teardown(async () => {
    await service.stop()
    rmSync(home, { recursive: true, force: true })
  })
  const agent = (await (await service.post('/tokens', { name: 'agent', shell: true })).json()) as NewToken
  const run = async (command: string, token: string, more: object = {}) =>
    (await (
      await service.post('/exec', { command, ...more }, { authorization: `Bearer ${token}` })
    ).json()) as ExecRecord
  /** The same in a terminal; returns its output. */
  const inTerminal = async (command: string, token: string) => {
    const { id } = await run(command, token, { tty: { rows: 2, columns: 80 } })
    return (await service.request(`/runs/${id}/output?follow=true`)).text()
  }
  return { home, service, start, agent: agent.token, run, inTerminal, url: service.url }
}

/** `shellphone …` as a person on this machine starts it. */
async function shellphone({ home }: Service, argv: string[], env: Record<string, string> = {}) {
  const child = spawn(node, [main, ...argv], {
    env: { ...process.env, SHELLPHONE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, out, err }
}

const first = await serving()
const { home, service, agent, run, inTerminal, url } = first
const launcher =
  ((await (await service.request('/health')).json()) as { spawner: { name: string } }).spawner.name === 'launcher'
const skip = launcher ? null : 'needs the launcher'
const folder = mkdtempSync(join(tmpdir(), 'shellphone-attack-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** The tokens in the home that are readable to a program whose actions no guard can see. */
async function tokensFound(): Promise<string[]> {
  const { stdout } = await run(`${node} ${readAll} ${home}`, agent)
  const words = [...new Set(stdout.split(/[^\x21-\x7e]+|["',:]/))].filter((word) => word.length >= 16)
  const statuses = await Promise.all(words.map(async (token) => (await service.request('/tokens', { token })).status))
  t.ok(words.length > 2, 'it reads what lies there')
  return words.filter((_word, index) => statuses[index] !== 401)
}

t.test('deletes the file of the owner’s token once the command line has proved itself', async (t) => {
  if (skip !== null) return t.pass('proved', { skip })
  t.ok(existsSync(join(home, 'token')), 'nobody has yet')
  t.same(await tokensFound(), [service.token], 'what a program reads opens the service')
  t.match(await shellphone(service, ['token', 'list']), { code: 0, out: /^agent/m })
  t.notOk(existsSync(join(home, 'token')))
  t.same(await tokensFound(), [], 'nothing does any more')
  t.equal(readFileSync(join(home, 'owner.sha256'), 'utf8'), `${hash('sha256', service.token)}\n`)
  t.equal((await service.request('/tokens')).status, 200, 'and opens the service as before')
  t.match(await shellphone(service, ['token', 'list']), { code: 0, out: /^agent/m }, 'the command line needs none')
  t.match(await shellphone(service, ['run', 'echo ran']), { code: 0, out: 'ran\n' })
})

t.test('rejects the proof of a command, whatever it does to leave its run', async (t) => {
  if (skip !== null) return t.pass('refused', { skip })
  const out = (name: string) => join(folder, name)
  const plain = `${node} ${prove} ${url} ${home}`
  const rows: [string, string, string | null][] = [
    ['as it is', plain, null],
    ['without its environment', `env -i ${plain}`, null],
    ['in a session of its own', `setsid -w env -i ${plain}`, null],
    [
      'forked twice, its parents gone',
      `(setsid env -i ${plain} ${out('forked')} >/dev/null 2>&1 &); until [ -s ${out('forked')} ]; do sleep 0.05; done`,
      out('forked'),
    ],
    ['with a file that it passes on', `exec 7<>${home}/cli; env -i ${plain}`, null],
  ]
  for (const [title, command, file] of rows) {
    for (const [who, token] of Object.entries({ agent, owner: service.token })) {
      if (file !== null) rmSync(file, { force: true })
      const { status, stdout } = await run(command, token)
      t.match(
        [status, file === null ? stdout.trim() : readFileSync(file, 'utf8')],
        ['completed', '401'],
        `${who}: ${title}`,
      )
    }
  }
  const { stdout, stderr, exit_code } = await run(
    `SHELLPHONE_HOME=${home} ${node} ${main} token list --port ${service.port}; SHELLPHONE_HOME=${home} env -u EXEC_MARK ${node} ${main} token list --port ${service.port}`,
    agent,
  )
  t.match(
    { stdout, stderr, exit_code },
    { stdout: '', stderr: /only a person may manage tokens[^]*rejected the token/, exit_code: 3 },
  )
  const missing = await noTerminals(service)
  if (missing !== null) return t.pass('in a terminal of its own', { skip: missing })
  t.match(await inTerminal(plain, agent), /^401/, 'in a terminal of its own, too')
})

t.test('rejects a proof that another process created', async (t) => {
  if (skip !== null) return t.pass('refused', { skip })
  const [, pid, descriptor, secret] = proofOf(home)!.split('.')
  const statusOf = async (proof: string) => (await service.request('/tokens', { token: proof })).status
  t.equal(await statusOf(`local.${pid}.${descriptor}.${secret}`), 200, 'ours')
  t.equal(await statusOf(`local.${pid}.${descriptor}.${'x'.repeat(43)}`), 401, 'without its secret')
  t.equal(await statusOf(`local.${service.pid}.${descriptor}.${secret}`), 401, 'the service’s own')
  t.equal(await statusOf(`local.${pid}.0.${secret}`), 401, 'another file')
  const copied = `exec 8<>/proc/${pid}/fd/${descriptor}; ${node} ${prove} ${url} ${home} - $$ 8 ${'x'.repeat(43)}`
  t.match((await run(copied, agent)).stdout, /^401/, 'opened once more by a command')
  const known = `exec 8<>/proc/${pid}/fd/${descriptor}; ${node} ${prove} ${url} ${home} - $$ 8 ${secret}`
  t.match((await run(known, agent)).stdout, /^401/, 'even with the secret')
})

t.test('a process in a person’s terminal counts as the person', async (t) => {
  const missing = skip ?? (await noTerminals(service))
  if (missing !== null) return t.pass('accepted', { skip: missing })
  const person = (await (
    await service.post('/tokens', { name: 'person', approves: 'all', read: 'all', shell: true })
  ).json()) as NewToken
  const command = `${node} ${prove} ${url} ${home}`
  for (const token of [service.token, person.token]) {
    t.match(await inTerminal(command, token), /^200/)
  }
})

t.test('only the owner can rotate the owner’s token, and it is shown once', async (t) => {
  const own = await serving()
  const { service } = own
  const person = (await (await service.post('/tokens', { name: 'person', approves: 'all' })).json()) as NewToken
  const asPerson = await service.request('/tokens/owner/rotate', { method: 'POST', token: person.token })
  t.equal(asPerson.status, 403, 'not by another person')
  const made = (await (await service.request('/tokens/owner/rotate', { method: 'POST' })).json()) as NewToken
  t.match(made, { name: 'owner', approves: 'all', token: /^[\w-]{43}$/ })
  t.equal((await service.request('/tokens')).status, 401, 'the one before ends')
  t.equal((await service.request('/tokens', { token: made.token })).status, 200)
  t.notOk(existsSync(join(own.home, 'token')))
  await service.stop()
  writeFileSync(join(own.home, 'token'), 'of an older start, with its length\n')
  const again = await startService({ home: own.home })
  t.teardown(() => again.stop())
  t.notOk(existsSync(join(own.home, 'token')), 'what no longer holds is removed')
  t.equal((await again.request('/tokens', { token: made.token })).status, 200, 'it holds after a restart')
  t.equal((await again.request('/tokens', { token: service.token })).status, 401)
  const given = await startService({ env: { SHELLPHONE_TOKEN: 'x'.repeat(40) } })
  t.teardown(() => given.stop())
  t.equal((await given.request('/tokens/owner/rotate', { method: 'POST' })).status, 409)
})

t.test('rejects new command lines from the death of the launcher until the next start', async (t) => {
  if (skip !== null) return t.pass('refused', { skip })
  const { home, service, start, agent, run, url } = await serving()
  t.equal((await shellphone(service, ['ps'])).code, 0)
  const file = join(folder, 'escaped')
  const script = join(folder, 'escape.sh')
  const parentOf = (pid: string) => `$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/${pid}/stat)`
  // the script waits until the reaper adopts it, and stops reaper and launcher before it kills them: a survivor would kill the run's processes
  writeFileSync(
    script,
    `until [ "${parentOf('$$')}" = "$1" ]; do sleep 0.05; done; kill -STOP $1 $2; kill -9 $1 $2; exec ${node} ${prove} ${url} ${home} ${file}\n`,
  )
  const [reaper, launcher] = [parentOf('$$'), parentOf('$R')]
  await run(`R=${reaper}; L=${launcher}; (setsid env -i sh ${script} $R $L >/dev/null 2>&1 &); sleep 60`, agent)
  t.ok(await until(() => existsSync(file) && readFileSync(file, 'utf8') !== ''))
  t.equal(readFileSync(file, 'utf8'), '401')
  t.match(await shellphone(service, ['ps']), { code: 3, err: /rejected the token/ })
  t.equal((await service.request('/health')).status, 200)
  await service.stop()
  const again = await start()
  t.teardown(() => again.stop())
  t.equal((await shellphone(again, ['ps'])).code, 0)
})

t.test('without the launcher the token stays in its file, because the command line needs it', async (t) => {
  const { home, service } = await serving({ SHELLPHONE_SPAWNER: 'child_process', SHELLPHONE_TERMINAL: 'off' })
  t.equal((await shellphone(service, ['ps'])).code, 0)
  t.ok(existsSync(join(home, 'token')))
  t.equal((await service.request('/tokens', { token: proofOf(home)! })).status, 401)
})

t.test('reads the ancestors of a process twice, and rejects a process whose ancestors are unknown', (t) => {
  const home = realpathSync(t.testdir({}))
  const proof = proofOf(home)!
  const [me, parent, gone, service] = [process.pid, process.ppid, 4_194_305, 4_194_306]
  const seen = (pid: number, above: number, start = 1) => ({ pid, parent: above, start })
  const init = seen(1, 0)
  type Parts = Parameters<typeof createOwnCommandLine>[0]
  const plain = [seen(me, parent), seen(parent, 1), init]
  let reads = 0
  const rows: [string, ReturnType<typeof seen>[], Partial<Parts>, boolean][] = [
    ['of init', plain, {}, true],
    ['of the service', [seen(me, service), seen(service, 1), init], {}, false],
    ['further below it', [seen(me, parent), seen(parent, service), seen(service, 1), init], {}, false],
    [
      'of a terminal below it',
      [seen(me, parent), seen(parent, service), seen(service, 1), init],
      { isPersonsTerminal: (pid) => pid === parent },
      true,
    ],
    ['a parent that has gone', [seen(me, gone), init], {}, false],
    ['below a process of this user that the system hides, as a reaper on Android', [seen(me, parent)], {}, false],
    ['of a terminal below it, too', [seen(me, parent)], { isPersonsTerminal: (pid) => pid === me }, true],
    [
      'it goes to another parent meanwhile',
      plain,
      { stat: (pid) => (pid === me ? seen(me, reads++ === 0 ? parent : service) : seen(pid, 0)) },
      false,
    ],
    [
      'its parent is another by now',
      plain,
      { stat: (pid) => (pid === parent ? seen(parent, 0, reads++) : seen(pid, parent)) },
      false,
    ],
    ['with a mark of ours above it', plain, { mark: (pid) => (pid === parent ? 'key.instance.run' : null) }, false],
    ['with a mark of another service', plain, { mark: () => 'other.instance.run' }, true],
    ['when something may have left its run', plain, { keepsAll: () => false }, false],
    [
      'the same, but below a process that is older than the service',
      [seen(me, parent, 9), seen(parent, 1, 4), seen(service, 1, 5), init],
      { keepsAll: () => false },
      true,
    ],
    [
      'the same, below an ancestor of the service',
      [seen(me, parent, 9), seen(parent, 1, 4), seen(service, parent, 5), init],
      { keepsAll: () => false },
      false,
    ],
    [
      'the same, with nothing older above it',
      [seen(me, parent, 9), seen(parent, 1, 6), seen(service, 1, 5), init],
      { keepsAll: () => false },
      false,
    ],
    [
      'older than the service, where there never was a launcher',
      [seen(me, parent, 9), seen(parent, 1, 4), seen(service, 1, 5), init],
      { keepsAll: () => false, hasLauncher: false },
      false,
    ],
  ]
  for (const [title, processes, parts, expected] of rows) {
    reads = 0
    const line = createOwnCommandLine({
      pid: service,
      home,
      stat: (pid) => processes.find((one) => one.pid === pid) ?? null,
      mark: () => null,
      markKey: 'key',
      isPersonsTerminal: () => false,
      keepsAll: () => true,
      hasLauncher: true,
      ...parts,
    })
    t.equal(line.proves(proof), expected, title)
  }
  t.end()
})
