import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { HANG_MS, startService } from './support/helper.ts'
import { linesUnder } from './support/readme-blocks.ts'

/** Runs the lines of a document under a heading, with the address and a token of a new service. Resolves with what they print. */
async function run(t: Test, file: string, heading: string, folder: string): Promise<string> {
  const service = await startService({ env: { HOME: folder, SHELLPHONE_WORKING_DIRECTORY: folder } })
  t.teardown(() => service.stop())
  const lines = linesUnder(file, heading).flat()
  t.ok(lines.some((line) => line.startsWith('URL=')) && lines.join('\n').includes('$(shellphone token create '))
  const script = lines.map((line) => line.replace(/^URL=.*/, `URL=${service.url}`)).join('\n')
  const shellphone = `shellphone() { echo "$SECRET"; }`
  const { stdout } = await promisify(execFile)('sh', ['-ec', `${shellphone}\n${script}`], {
    env: { ...process.env, SECRET: service.token },
    cwd: folder,
    timeout: HANG_MS,
  })
  return stdout
}

t.test('the lines of "With curl alone" work with the default settings', async (t) => {
  const folder = t.testdir({ project: { 'notes.txt': 'a note' } })
  const said = await run(t, 'src/server/routes/README.md', 'With curl alone', folder)
  t.equal(said, 'one\ntwo\n{"ok":true,"offset":6}6\n')
  const { stdout } = await promisify(execFile)('tar', ['-tf', join(folder, 'project.tar')])
  t.match(stdout, 'project/notes.txt')
})

t.test('the calls of the dialects print the texts in the table below them', async (t) => {
  const said = await run(t, 'src/server/dialects/README.md', 'One call in each dialect', t.testdir({}))
  t.match(said, /^\[Exit Code: 3\]\n\S+\n\n\S+\nExit code: exit status 3\n\S+\n\n### Command Execution\n/)
  t.match(said, /### Standard Output \(preview\)\n\n```\n\S+\n```\n\S+\n\nExit code: 3\n$/)
})
