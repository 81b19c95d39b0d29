import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord, NewToken } from '../../../src/shared/schema/index.ts'
import { startService } from '../../support/helper.ts'

/** A user's home that contains the service's home, as on a phone, and a token without rights. */
const home = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-home-')))
const serviceHome = join(home, '.shellphone')
const service = await startService({ home: serviceHome, env: { HOME: home } })
t.teardown(async () => {
  await service.stop()
  rmSync(home, { recursive: true, force: true })
})
const agent = (await (await service.post('/tokens', { name: 'agent' })).json()) as NewToken
const asAgent = { authorization: `Bearer ${agent.token}` }

mkdirSync(join(home, 'project'))
writeFileSync(join(home, 'project', 'notes.txt'), 'some notes\n')
linkSync(join(serviceHome, 'token'), join(home, 'project', 'hard'))
symlinkSync('/proc/self/cwd', join(home, 'project', 'here'))
symlinkSync('/proc/self/root', join(home, 'project', 'top'))

async function run(command: string, working_directory = home): Promise<ExecRecord> {
  const reply = await service.post('/exec', { command, working_directory }, asAgent)
  return (await reply.json()) as ExecRecord
}

/** Each of these prints the owner's token if it is allowed to run. */
const thefts = [
  'cat .shellphone/token',
  'grep -rh . ~ --include=token',
  'grep -rh . .',
  'find ~ -name token -exec cat {} +',
  'cat $(find ~ -name token)',
  'find ~ -name token | xargs cat',
  'find . -name "tok*" | while read -r f; do cat "$f"; done',
  'tar cf - ~ | cat',
  'tar cf - -C ~ .',
  'cp -r ~/. "$TMPDIR/copy"; cat "$TMPDIR/copy/.shellphone/token"',
  'cat /proc/self/cwd/.shellphone/token',
  'cat /proc/self/root$HOME/.shellphone/token',
  'cat /proc/$$/cwd/.shellphone/token',
  'exec 3<.; cat /dev/fd/3/.shellphone/token',
  'exec 3<.shell*; cat /proc/self/fd/3/token',
  'cat project/here/.shellphone/token',
  'cat "project/top$HOME/.shellphone/token"',
  'cat project/hard',
  'cp project/hard "$TMPDIR/x"; cat "$TMPDIR/x"',
  '. project/hard',
]

t.test('no command of a token with fewer rights prints the owner’s token', async (t) => {
  for (const command of thefts) {
    const { status, decision, stdout, stderr } = await run(command)
    t.match([status, decision.rule], ['denied', /^service-home/], command)
    t.notOk((stdout + stderr).includes(service.token), `${command}: not printed`)
  }
})

t.test('runs commands next to the service’s home', async (t) => {
  for (const command of [
    'grep -rh notes project',
    'grep -rh --exclude-dir=.shellphone notes .',
    'find . -name "*.txt" -exec cat {} +',
    'cat $(find project -name "*.txt")',
    'tar cf - --exclude=.shellphone . | wc -c',
    'cat /proc/self/cwd/project/notes.txt',
    'cat project/here/project/notes.txt',
  ]) {
    const { status, stdout } = await run(command)
    t.match([status, stdout], ['completed', /notes|\d/], command)
  }
})

t.test('hides a hard link to the owner’s token from file transfers', async (t) => {
  const path = join(home, 'project', 'hard')
  const reply = await service.request(`/files?${new URLSearchParams({ path })}`, { headers: asAgent })
  t.equal(reply.status, 403)
  t.notMatch(await reply.text(), service.token)
  const archive = new URLSearchParams({ path: join(home, 'project') })
  const packed = await service.request(`/files?${archive}`, { headers: { ...asAgent, accept: 'application/x-tar' } })
  t.equal(packed.status, 200)
  t.notMatch(await packed.text(), service.token, 'an archive does not contain it')
})
