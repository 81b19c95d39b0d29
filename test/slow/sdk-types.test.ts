import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { root, startService } from '../support/helper.ts'
import { clientTypes } from './client-contract.ts'

const service = await startService({ env: { SHELLPHONE_AUTONOMY: 'supervised' } })
t.teardown(() => service.stop())
/** a service that does not ask a person about copies */
const unattended = await startService()
t.teardown(() => unattended.stop())

t.test('its types match the contract', async (t) => {
  t.equal(
    readFileSync(join(root, 'src/sdk/openapi.d.ts'), 'utf8'),
    await clientTypes(readFileSync(join(root, 'openapi.yaml'), 'utf8')),
    'npm run docs has been run',
  )
})

t.test('a program can use the exported client without a cast, also in Node', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-sdk-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/shellphone'))
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  const program = `
    import { connect, pinned } from 'shellphone/client'
    import { archives } from 'shellphone/archives'
    const phone = connect({ url: process.argv[2]!, token: process.argv[3]! })
    const run = await phone.run('echo hello; exit 4')
    for await (const { stream, bytes } of run.output()) process.stdout.write(stream + ' ' + new TextDecoder().decode(bytes))
    const { status, exit_code, decision: { verdict } } = await run.result
    const [last] = await phone.history({ limit: 1, status: 'failed' })
    const more: number = exit_code
    console.log(status, more, verdict, last!.id === run.id, typeof pinned({ key: 'x' }).fetch)
    const [url, token, here, there, back] = process.argv.slice(4) as [string, string, string, string, string]
    const { files } = connect({ url, token })
    const skipped: string[] = await files.uploadFolder(here, there, archives)
    for await (const { name, type } of files.list(there)) console.log(name, type)
    console.log(skipped.length, await files.downloadFolder(there, back, archives))
  `
  writeFileSync(join(folder, 'program.mts'), program)
  const tsc = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--strict',
    '--types',
    'node',
    'program.mts',
  ]
  const compiled = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' })
  t.equal(compiled.stdout, '')
  mkdirSync(join(folder, 'project'))
  writeFileSync(join(folder, 'project/notes.txt'), 'a note')
  const folders = ['project', join(folder, 'there'), 'back'] // paths here may be relative
  const args = [service.url, service.token, unattended.url, unattended.token, ...folders]
  const ran = spawnSync(process.execPath, ['program.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  t.equal(ran.stdout, 'stdout hello\nfailed 4 allow true function\nnotes.txt file\n0 []\n', ran.stderr)
  t.equal(readFileSync(join(folder, 'back/notes.txt'), 'utf8'), 'a note', 'a directory, there and back')
})
