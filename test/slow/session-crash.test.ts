/** Sessions over a restart and kill -9: each session is then in its old state or its new one, and the service starts. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildSync } from 'esbuild'
import t from 'tap'
import { createSessions } from '../../src/server/sessions/index.ts'
import type { ExecRecord, SessionInfo } from '../../src/shared/schema/index.ts'
import { noSessions, root, type Service, startService } from '../support/helper.ts'
import { prepareDirectory, sessionScripts } from '../support/session-scripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-session-crash-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const warnings: string[] = []
const options = {
  ...{ isSecret: () => false, refuses: () => false },
  warn: (facts: object, sentence: string) => void warnings.push(`${sentence} ${JSON.stringify(facts)}`),
}

/** Kills itself before its call `step` that changes files, after it has written `share` of the bytes if that is a write. */
const childSource = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const [folder, action, step, share] = process.argv.slice(2)
let calls = 0
for (const name of ['mkdirSync', 'writeFileSync', 'renameSync', 'rmSync']) {
  const call = fs[name]
  fs[name] = (...args) => {
    if (++calls !== Number(step)) return call(...args)
    if (name === 'writeFileSync' && share > 0) call(args[0], args[1].slice(0, args[1].length * share), args[2])
    process.kill(process.pid, 'SIGKILL')
  }
}
syncBuiltinESMExports()
const { createSessions } = await import('./sessions.mjs')
const sessions = createSessions({ folder, isSecret: () => false, refuses: () => false, warn: console.error })
if (action === 'delete') sessions.remove('token', 's')
else {
  const turn = sessions.enter('token', 's', { writes: true, patienceMs: null })
  turn.store({ cwd: '/new', set: { A: 'new', B: 'new' }, unset: ['C'] })
  turn.release()
}
sessions.close()
`

t.test('a process that is killed at any step of a write or a deletion leaves the old or the new state', async (t) => {
  buildSync({
    entryPoints: [join(root, 'src/server/sessions/index.ts')],
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: join(folder, 'sessions.mjs') },
  })
  const child = join(folder, 'child.mjs')
  writeFileSync(child, childSource)
  const old = { cwd: '/old', set: { A: 'old', B: 'old' }, unset: [] }
  const fresh = { cwd: '/new', set: { A: 'new', B: 'new' }, unset: ['C'] }
  const none = { cwd: null, set: {}, unset: [] }
  const seen: Record<string, number> = {}
  for (const action of ['create', 'change', 'delete']) {
    const before = action === 'create' ? none : old
    const after = action === 'delete' ? none : fresh
    for (let step = 1, isOver = false; !isOver; step++) {
      for (const share of [0, 0.001, 0.5, 1]) {
        const home = mkdtempSync(join(folder, 'home-'))
        const open = () => createSessions({ folder: home, ...options })
        if (action !== 'create') {
          const sessions = open()
          const turn = sessions.enter('token', 's', { writes: true, patienceMs: null })
          turn.store(structuredClone(old))
          turn.release()
          sessions.close()
        }
        const { signal, status, stderr } = spawnSync(process.execPath, [child, home, action, `${step}`, `${share}`], {
          encoding: 'utf8',
          env: {},
        })
        isOver = signal !== 'SIGKILL'
        if (isOver) t.same({ status, stderr }, { status: 0, stderr: '' }, `${action} has ${step - 1} steps`)
        const sessions = open()
        const { state } = sessions.peek('token', 's')
        sessions.close()
        const found = [before, after].findIndex((one) => JSON.stringify(one) === JSON.stringify(state))
        t.not(found, -1, `${action}, step ${step}, ${share}: ${JSON.stringify(state)}`)
        if (isOver) t.equal(found, 1)
        seen[`${action} ${['old', 'new'][found]}`] = (seen[`${action} ${['old', 'new'][found]}`] ?? 0) + 1
        if (isOver) break
      }
    }
  }
  t.same(warnings, [])
  t.comment(JSON.stringify(seen))
})

const isChange = (state: object | string) => typeof state === 'object' && Object.keys(state).length > 0
const environment = {
  HOME: '/usr',
  A: '1',
  B: 'two words',
  SHELLPHONE_SHELL: '/usr/bin/dash',
  SHELLPHONE_POLICY: 'open',
}
const start = (home: string) => startService({ home, env: environment })

t.test(
  'a service that is killed during commands of a session starts with the state of the last or the next',
  async (t) => {
    const home = mkdtempSync(join(folder, 'service-'))
    let acknowledged = 0
    let later = 0
    for (let round = 0; round < 15; round++) {
      const at = await start(home)
      t.teardown(() => at.stop())
      const { stdout } = await at.exec({ command: 'echo "${N-0} ${M-0} ${PWD##*/}"', session: 's' })
      const [n, m, name] = stdout.trim().split(' ')
      t.equal(n, m, 'all variables are of one command')
      if (n !== '0') t.equal(name, `d${n}`, 'and so is the directory')
      t.ok(Number(n) === acknowledged || Number(n) === acknowledged + 1, `${n} after ${acknowledged}`)
      if (Number(n) === acknowledged + 1) later++
      acknowledged = Number(n)
      const stopAt = acknowledged + 1 + Math.floor(Math.random() * 20)
      let isKilled = false
      for (let next = acknowledged + 1; !isKilled; next++) {
        mkdirSync(join(folder, `d${next}`), { recursive: true })
        const command = `export N=${next}; cd ${folder}/d${next}; export M=${next}`
        const reply = at.exec({ command, session: 's' }).then(
          (record) => record.session?.kept === true,
          () => false,
        )
        if (next === stopAt) {
          await sleep(Math.random() * 8)
          await at.kill('SIGKILL')
          isKilled = true
        }
        if (await reply) acknowledged = next
      }
    }
    t.comment(`15 kills after ${acknowledged} commands; ${later} times the unanswered command had been stored`)
  },
)

t.test('every state outlives kill -9 of the service', async (t) => {
  const home = mkdtempSync(join(folder, 'states-'))
  let at = await start(home)
  t.teardown(() => at.stop())
  const missing = await noSessions(at)
  if (missing !== null) return void t.pass('sessions', { skip: missing })
  const tokens: string[] = []
  for (const name of ['t1', 't2', 't3', 't4']) {
    tokens.push(((await (await at.post('/tokens', { name })).json()) as { token: string }).token)
  }
  const scripts = Object.values(sessionScripts)
    .flat()
    .filter(({ state, but, stdin }) => stdin === undefined && isChange(but?.dash ?? state))
  const run = async (service: Service, index: number, body: object) => {
    const token = tokens[index % tokens.length]!
    const reply = await service.post('/exec', { session: `s${index}`, ...body }, { authorization: `Bearer ${token}` })
    return (await reply.json()) as ExecRecord
  }
  const command = '/bin/pwd && /usr/bin/env | /bin/grep -av -e ^EXEC_MARK= -e ^_= | /usr/bin/sort | /usr/bin/sha256sum'
  const read = async (service: Service, index: number) => {
    const { status, stdout, error } = (await run(service, index, { command })) as ExecRecord & { error?: unknown }
    return error ?? { status, stdout }
  }
  for (let first = 0; first < scripts.length; first += 120) {
    const batch = scripts.slice(first, first + 120).map((one, offset) => ({ one, index: first + offset }))
    const before = new Map<number, unknown>()
    for (const { one, index } of batch) {
      const work = join(folder, `work-${index}`)
      prepareDirectory(work)
      const record = await run(at, index, { command: one.script, working_directory: work })
      t.equal(record.session?.kept, true, JSON.stringify(one.script).slice(0, 100))
      before.set(index, await read(at, index))
    }
    await at.kill('SIGKILL')
    at = await start(home)
    for (const { one, index } of batch) {
      t.same(await read(at, index), before.get(index), JSON.stringify(one.script).slice(0, 100))
    }
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` }
      const { sessions } = (await (await at.request('/sessions', { headers })).json()) as { sessions: SessionInfo[] }
      for (const { name } of sessions) await at.request(`/sessions/${name}`, { method: 'DELETE', headers })
    }
  }
  t.comment(`${scripts.length} states`)
})
