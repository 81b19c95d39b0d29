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
  t.teardown(() => child.kill())
  const cli = { err: '', ended: once(child, 'close').then(([code]) => code as number) }
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
