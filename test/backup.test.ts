import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root, startService } from './support/helper.ts'

const text = readFileSync(join(root, 'src/cli/RUNNING.md'), 'utf8')

/** The rows of the table of files about the service's home: the names of each, and whether a backup contains them. */
const rows = [...text.matchAll(/^\| (`~\/\.shellphone\/.*?) \| .* \| (.*) \|$/gm)].map(([, files, backup]) => ({
  names: [...files!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!.replace('~/.shellphone/', '')),
  isStored: !backup!.startsWith('no'),
}))

const rowOf = (file: string) =>
  rows.find(({ names }) =>
    names.some((name) => (name.endsWith('…') ? file.startsWith(name.slice(0, -1)) : name === file)),
  )

t.test('RUNNING.md lists every file of a home, and its backup contains exactly those it names', async (t) => {
  const folder = t.testdir({})
  const home = join(folder, '.shellphone')
  const service = await startService({ home, env: { HOME: folder } })
  await service.exec({ command: 'echo on' })
  await service.post('/tokens', { name: 'codex' })
  await service.request('/files?path=~/big', {
    method: 'PUT',
    headers: { 'upload-key': 'key', 'content-range': 'bytes 0-0/2' },
    body: 'x',
  })
  const live = readdirSync(home)
  await service.stop()
  // files that only some machines and settings have, and those that a killed service leaves behind
  const stored = ['config.yaml', 'fleet.json', 'launcher-0', 'approvals.json', 'webhooks.json', 'webhook-queue.jsonl']
  for (const file of [...stored, 'address', 'lock']) writeFileSync(join(home, file), '')
  for (const folder of ['plane', 'sessions', 'pipes', 'buttons']) mkdirSync(join(home, folder), { recursive: true })
  const files = readdirSync(home)
  t.same(
    [...live, ...files].filter((file) => rowOf(file) === undefined),
    [],
    'files without a row',
  )
  const command = /^ {4}(cd ~ && umask 077 && tar czf [^]*?\.shellphone)$/m.exec(text)![1]!
  execFileSync('sh', ['-ec', command], { env: { ...process.env, HOME: folder } })
  const listed = execFileSync('tar', ['tzf', 'shellphone-backup.tar.gz'], { cwd: folder, encoding: 'utf8' })
  const packed = new Set(listed.split('\n').flatMap((path) => path.split('/')[1] || []))
  t.same([...packed].sort(), files.filter((file) => rowOf(file)?.isStored).sort())
})
