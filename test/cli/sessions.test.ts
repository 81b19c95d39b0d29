import t from 'tap'
import type { SessionInfo } from '../../src/shared/schema/index.ts'
import { noSessions, processesWith, startService, until, wants } from '../support/helper.ts'
import { runInProcess } from '../support/in-process-cli.ts'

const service = await startService({ env: { SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' } })
t.teardown(() => service.stop())
wants(t, await noSessions(service))
const cli = (...argv: string[]) => runInProcess(argv, { SHELLPHONE_HOME: service.home })
const start = (session: string, command: string) => service.exec({ command, session })

t.test('lists the sessions of a token, or of all tokens', async (t) => {
  t.same(await cli('sessions'), { code: 0, out: 'no sessions\n', err: '' })
  t.match(await start('work', 'cd /usr/lib && export CC=clang'), { status: 'completed' })
  t.match(await start('idle', 'true'), { status: 'completed' })
  const { token } = (await (await service.post('/tokens', { name: 'agent' })).json()) as { token: string }
  const body = JSON.stringify({ command: 'cd /tmp', session: 'theirs' })
  t.equal(
    (await service.request('/exec', { method: 'POST', token, headers: { 'content-type': 'application/json' }, body }))
      .status,
    200,
  )

  const { out } = await cli('sessions')
  const [header, ...rows] = out.trimEnd().split('\n')
  t.match(header, /^NAME +STATE +LAST USED +VARIABLES +DIRECTORY$/)
  t.match(rows, [/^idle +idle +\d+ s ago +0 +\S+$/, /^work +idle +\d+ s ago +1 +\/usr\/lib$/])
  const all = (await cli('sessions', 'list', '--all')).out
  t.match(all, /^NAME +TOKEN +STATE [^]*^theirs +agent +idle .* \/tmp$/m)
  t.match(all, /^work +owner +idle /m)
  const { sessions } = JSON.parse((await cli('sessions', '--json')).out) as { sessions: SessionInfo[] }
  t.match(sessions, [{ name: 'idle' }, { name: 'work', cwd: '/usr/lib', set: ['CC'] }])
})

t.test('shows a session in which a command runs', async (t) => {
  const answered = start('idle', 'sleep 3071.1')
  t.ok(await until(() => processesWith('sleep 3071.1').length > 0))
  t.match((await cli('sessions')).out, /^idle +running +/m)
  t.match(await cli('cancel', '--last'), { code: 0 })
  await answered
  const first = start('fresh', 'sleep 3071.2')
  t.ok(await until(() => processesWith('sleep 3071.2').length > 0))
  t.match((await cli('sessions')).out, /^fresh +running .* -$/m, 'its first command, too')
  t.match(await cli('cancel', '--last'), { code: 0 })
  await first
  t.notMatch((await cli('sessions')).out, /^fresh /m, 'nothing was kept')
})

t.test('removes a session, and says where the names of others are', async (t) => {
  t.same(await cli('sessions', 'remove', 'work'), { code: 0, out: 'work: removed\n', err: '' })
  t.same(await cli('sessions', 'remove', 'idle', '--json'), { code: 0, out: '{"removed":"idle"}\n', err: '' })
  t.match(await cli('sessions', 'remove', 'work'), {
    code: 2,
    err: /^shellphone: No session has the name work; list sessions to find its name: shellphone sessions\n$/,
  })
  t.match(await cli('sessions', 'remove', 'a b'), {
    code: 2,
    err: /^shellphone: name: expected |^shellphone: expected /,
  })
  t.match(await cli('sessions', 'rm', 'x'), {
    code: 2,
    err: /^shellphone: sessions rm: unknown subcommand, did you mean /,
  })
})

t.test('completion offers the names of sessions', async (t) => {
  await start('later', 'cd /usr')
  t.match((await cli('completion', 'words', 'sessions')).out, /^later\t\/usr$/m)
})
