import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSessions, type Sessions, type SessionState } from '../../../src/server/sessions/index.ts'
import { createMovedClock } from '../../support/moved-clock.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 0, 1)
const state = (set: Record<string, string>, cwd = '/'): SessionState => ({ cwd, set, unset: [] })

function world(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-sessions-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const clock = createMovedClock()
  const warnings: string[] = []
  const open = () =>
    createSessions({
      folder,
      isSecret: (name) => name.endsWith('_TOKEN'),
      refuses: (name) => name.startsWith('LD_'),
      warn: (_facts, sentence) => void warnings.push(sentence),
      now: () => START_MS + clock.now(),
      clock,
    })
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name))
  return { clock, warnings, open, files }
}

async function use(sessions: Sessions, token: string, name: string, next?: SessionState): Promise<SessionState> {
  const turn = sessions.enter(token, name, { writes: true, patienceMs: null })
  const before = { ...turn.state }
  if (next) turn.store(next)
  turn.release()
  return before
}

const namesOf = (sessions: Sessions, token = 'a') => sessions.list(token).map(({ name }) => name)

t.test('deletes a session that no command has used for 24 hours', async (t) => {
  const { clock, open, files } = world(t)
  const sessions = open()
  t.equal(clock.waiting(), 0, 'no timer without sessions')
  await use(sessions, 'a', 'idle', state({ A: '1' }))
  await use(sessions, 'a', 'used', state({ A: '2' }))
  t.equal(clock.waiting(), 1)
  clock.move(24 * HOUR_MS - 1)
  t.same(namesOf(sessions), ['idle', 'used'])
  await use(sessions, 'a', 'used')
  clock.move(1)
  t.same(namesOf(sessions), ['used'])
  t.equal(files().length, 1)
  const busy = sessions.enter('a', 'busy', { writes: true, patienceMs: null })
  clock.move(24 * HOUR_MS + HOUR_MS)
  t.equal(files().length, 0, 'the timer alone deletes the file')
  t.ok(busy.store(state({ B: '1' })), 'but no session in which a command runs')
  busy.release()
  clock.move(24 * HOUR_MS - 1)
  t.same(namesOf(sessions), ['busy'], 'its day begins when the command ends')
  clock.move(1)
  t.same(namesOf(sessions), [])
  clock.move(HOUR_MS)
  t.equal(clock.waiting(), 0, 'the timer ends with the last session')
})

t.test('remembers over a restart when a session was used', async (t) => {
  const { clock, open } = world(t)
  const first = open()
  await use(first, 'a', 'old', state({ A: '1' }))
  await use(first, 'a', 'used', state({ A: '2' }))
  clock.move(HOUR_MS)
  await use(first, 'a', 'used')
  first.close()
  t.equal(clock.waiting(), 0)
  clock.move(23 * HOUR_MS)
  const second = open()
  t.same(namesOf(second), ['used'], 'the other has expired while no service ran')
  t.same(await use(second, 'a', 'used'), state({ A: '2' }))
  second.close()
  clock.move(24 * HOUR_MS)
  const third = open()
  t.same(namesOf(third), [])
  t.equal(clock.waiting(), 0)
})

t.test('limits the sessions of a token to 32, and all to 128', async (t) => {
  const { clock, open } = world(t)
  const sessions = open()
  const refused = (token: string, message: RegExp) =>
    t.rejects(use(sessions, token, 'one-more'), { code: 'CONFLICT', message })
  await use(sessions, 'a', 'unused')
  for (let at = 0; at < 32; at++) await use(sessions, 'a', `s${at}`, state({ N: `${at}` }))
  await refused('a', /this token has 32 sessions, the maximum; delete one/)
  t.same(await use(sessions, 'a', 's0'), state({ N: '0' }), 'the others work')
  sessions.remove('a', 's0')
  const busy = sessions.enter('a', 'busy', { writes: true, patienceMs: null })
  await refused('a', /32 sessions/)
  busy.release()
  await use(sessions, 'a', 's0', state({}))
  for (const token of ['b', 'c', 'd']) {
    for (let at = 0; at < 32; at++) await use(sessions, token, `s${at}`, state({ N: `${at}` }))
  }
  await refused('e', /there are 128 sessions, the maximum/)
  sessions.close()
  const again = open()
  t.equal(['a', 'b', 'c', 'd'].flatMap((token) => namesOf(again, token)).length, 128, 'after a restart, too')
  await t.rejects(use(again, 'e', 'one-more'), { code: 'CONFLICT' })
  again.retain((token) => token !== 'b')
  await use(again, 'e', 'one-more', state({ A: '1' }))
  clock.move(24 * HOUR_MS)
  for (let at = 0; at < 32; at++) await use(again, 'a', `next${at}`, state({}))
  t.equal(namesOf(again).length, 32, 'expired sessions do not count')
})

t.test('states that someone else has written', async (t) => {
  const { warnings, open, files } = world(t)
  const first = open()
  await use(first, 'a', 's', state({ A: '1', MY_TOKEN: 'hidden' }, '/usr'))
  first.close()
  const [file] = files()
  const text = readFileSync(file!, 'utf8')
  t.notMatch(text, 'hidden')
  const stored = JSON.parse(text)
  const read = (content: string) => {
    mkdirSync(join(file!, '..'), { recursive: true })
    writeFileSync(file!, content)
    const sessions = open()
    sessions.close()
    return sessions.list('a')
  }
  t.match(read(text), [{ name: 's', cwd: '/usr', set: ['A'], lost: ['MY_TOKEN'] }])
  t.same(warnings, [])
  const rows: [string, object][] = [
    ['a name without a name', { set: { '': 'x' } }],
    ['a name that starts with =', { set: { '=x': 'y' } }],
    ['a value that is no string', { set: { A: 1 } }],
    ['a NUL', { set: { A: 'a\0b' } }],
    ['a relative directory', { cwd: 'usr' }],
    ['a value that is too long', { set: { A: 'x'.repeat(131_001) } }],
    ['a file that is too long', { name: 'x'.repeat(2_097_152) }],
    ['another name', { name: 'other' }],
    ['another token', { token: 'other' }],
    ['a list', { set: [] }],
    ['no number', { revision: null }],
  ]
  for (const [what, changed] of rows) t.same(read(JSON.stringify({ ...stored, ...changed })), [], what)
  t.equal(warnings.length, rows.length)
  const cuts = Array.from({ length: text.length }, (_, length) => text.slice(0, length))
  t.same(
    cuts.filter((cut) => read(cut).length > 0),
    [],
    'a file that was cut at any byte',
  )
  t.equal(warnings.length, rows.length + cuts.length, 'each is reported')
  t.same(files(), [], 'and removed')
  t.match(read(JSON.stringify({ ...stored, set: { A: '1', LD_PRELOAD: '/x.so' } })), [{ name: 's', set: ['A'] }])
})
