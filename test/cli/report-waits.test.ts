import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { watchedService } from '../support/ask.ts'
import { root, until } from '../support/helper.ts'

const folder = fs.realpathSync(t.testdir({ source: { file: 'x' } }))
const { service, question } = await watchedService(t, { HOME: folder })

function start(...args: string[]) {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...args], {
    cwd: folder,
    env: { ...process.env, SHELLPHONE_HOME: service.home, VISUAL: 'echo made >' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  const cli = {
    err: '',
    kill,
    ended: once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals),
  }
  child.stderr.on('data', (text) => (cli.err += text))
  return cli
}

/** [arguments, equivalent command, file that it creates] */
const rows: [string[], string, string][] = [
  [['cp', '-r', 'source', ':copy'], `tar -xf - -C '${join(folder, 'copy')}'`, 'copy/file'],
  [['cp', 'source/file', ':file'], `tee '${join(folder, 'file')}'`, 'file'],
  [['edit', ':edited'], `tee '${join(folder, 'edited')}'`, 'edited'],
]

t.test('cp and edit say that they wait for approval, and who denied it', async (t) => {
  for (const [args, command, path] of rows) {
    for (const decision of ['deny', 'approve'] as const) {
      const cli = start(...args)
      const { id } = await question(command)
      t.ok(await until(() => cli.err.includes('waiting for approval')), args.join(' '))
      await service.post(`/approvals/${id}`, { decision })
      t.equal(await cli.ended, decision === 'deny' ? 3 : 0)
      const [waiting, ...rest] = cli.err.split('\n')
      t.match(waiting, new RegExp(`^shellphone: waiting for approval of ${command}, \\d+ s left; answer on the page, `))
      t.ok(waiting!.endsWith(`shellphone approvals approve ${id}`))
      if (decision === 'deny') t.match(rest.join('\n'), /^shellphone: denied by owner; approval was needed because: /m)
      else t.same(rest, [''], 'the message is printed once')
      t.equal(fs.existsSync(join(folder, path)), decision === 'approve', path)
    }
  }
})

/** Approval requests that wait for an answer. */
async function pending(): Promise<string[]> {
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: { command: string }[] }
  return approvals.map(({ command }) => command)
}
const uploadOf = (name: string) => `tee '${join(folder, name)}'`
fs.writeFileSync(join(folder, 'big'), Buffer.alloc(31_457_280))

t.test('cp withdraws its approval request when it is interrupted', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const cli = start('cp', 'big', ':big-copy')
    await question(uploadOf('big-copy'))
    t.ok(await until(() => cli.err.includes('waiting for approval')))
    cli.kill(signal)
    t.equal(await cli.ended, signal)
    t.match(cli.err, /^shellphone: interrupted; the request for approval is withdrawn\n$/m)
    t.same(await pending(), [])
  }
})

t.test('cp reports no approval request of an earlier copy', async (t) => {
  const earlier = start('cp', 'big', ':c1')
  await question(uploadOf('c1'))
  earlier.kill('SIGKILL')
  await earlier.ended
  t.same(await pending(), [uploadOf('c1')], 'the service has not noticed')
  const cli = start('cp', 'source/file', ':c2')
  const { id } = await question(uploadOf('c2'))
  t.ok(await until(() => cli.err.includes('waiting for approval')))
  await service.post(`/approvals/${id}`, { decision: 'approve' })
  t.equal(await cli.ended, 0)
  t.match(cli.err, /^shellphone: waiting for approval of tee '\S+\/c2', .*\n$/)
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: { id: string }[] }
  await service.post(`/approvals/${approvals[0]!.id}`, { decision: 'deny' })
})

t.test('cp shows that it waits in place of the rate', async (t) => {
  const argv = [process.execPath, join(root, 'dist/main.js'), 'cp', 'big', ':shown']
  const env = { ...process.env, SHELLPHONE_HOME: service.home }
  for (const [decision, code] of [['approve', 0] as const, ['deny', 3] as const]) {
    const child = spawn('script', ['-qec', `stty cols 100; exec ${argv.join(' ')}`, '/dev/null'], {
      env,
      cwd: folder,
      stdio: 'pipe',
    })
    t.teardown(() => child.kill())
    let seen = ''
    child.stdout.on('data', (text) => (seen += text))
    const ended = once(child, 'close')
    const { id } = await question(uploadOf('shown'))
    t.ok(await until(() => /big {2}\d+% sent, waiting for approval/.test(seen)), seen)
    await service.post(`/approvals/${id}`, { decision })
    t.same(await ended, [code, null])
    const wholeFile = /big {2}100% 30\.0 MiB {2}\S+ MiB\/s/
    if (decision === 'approve') t.match(seen, wholeFile)
    else t.notMatch(seen.slice(seen.lastIndexOf('waiting for approval')), wholeFile, 'nothing was copied')
  }
})

t.test('edit says where the edited copy is when it is interrupted', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const cli = start('edit', ':edited-later')
    await question(uploadOf('edited-later'))
    cli.kill(signal)
    t.equal(await cli.ended, signal)
    const [, copy = ''] = /^shellphone: nothing was written, and your version is in (\S+)\n$/m.exec(cli.err) ?? []
    t.equal(fs.readFileSync(copy, 'utf8'), 'made\n')
    fs.rmSync(join(copy, '..'), { recursive: true })
    t.same(await pending(), [])
  }
})
