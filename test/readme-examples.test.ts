import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { endWithUs, HANG_MS, type Service, startService, until } from './support/helper.ts'
import { linesUnder, printedUnder } from './support/readme-blocks.ts'

/** Replaces what differs between two runs: addresses, ids, times, secrets and the processor. */
const same = (text: string, folder: string): string =>
  text
    .replaceAll(folder, '/home/you')
    .replaceAll(/\b0[0-9a-z]{25}\b/g, 'RUN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/^id: \d+\.\d+$/gm, 'id: POSITION')
    .replaceAll(/"by":"\w+"/g, '"by":"PERSON"')
    .replaceAll(/"id":"[0-9a-z]{16}"/g, '"id":"APPROVAL"')
    .replaceAll(/\b\d+ms\b/g, 'DURATION')
    .replaceAll(/"token":"\w+"/g, '"token":"TOKEN"') // the test uses the owner's instead
    .replaceAll(/whsec_[\w+/=]+/g, 'SECRET')
    .replaceAll(/\b(aarch64|arm64|x86_64)\b/g, 'PROCESSOR')

/** A service in an empty directory, and the environment of a shell in which a reader would type. */
async function prepare(t: Test, folder: string) {
  const service = await startService({ env: { HOME: folder, SHELLPHONE_WORKING_DIRECTORY: folder } })
  t.teardown(() => service.stop())
  return { service, options: { env: { ...process.env, SECRET: service.token }, cwd: folder } }
}

/** The lines with the address and a token of this service. */
const scriptOf = (lines: string[], { url }: Service): string =>
  ['shellphone() { echo "$SECRET"; }', ...lines.map((line) => line.replace(/^URL=.*/, `URL=${url}`))].join('\n')

/** Runs the lines of a document under a heading, with the address and a token of a new service. Resolves with what they print. */
async function run(t: Test, file: string, heading: string, folder: string): Promise<string> {
  const lines = linesUnder(file, heading).flat()
  t.ok(lines.some((line) => line.startsWith('URL=')) && lines.join('\n').includes('$(shellphone token create '))
  const { service, options } = await prepare(t, folder)
  const script = scriptOf(lines, service)
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { ...options, timeout: HANG_MS })
  return stdout
}

t.test('the lines of "With curl alone" work with the default settings', async (t) => {
  const folder = t.testdir({ project: { 'notes.txt': 'a note' } })
  const said = await run(t, 'src/server/routes/README.md', 'With curl alone', folder)
  t.equal(said, 'one\ntwo\n{"ok":true,"offset":6}\n6\n')
  const { stdout } = await promisify(execFile)('tar', ['-tf', join(folder, 'project.tar')])
  t.match(stdout, 'project/notes.txt')
})

for (const [file, heading] of [
  ['src/server/dialects/README.md', 'One call in each dialect'],
  ['src/server/file-tools/README.md', 'Try it'],
  ['src/server/routes/README.md', 'Answer approval requests'],
  ['src/server/routes/README.md', 'Resume after a dropped connection'],
  ['src/server/sessions/README.md', 'Try it'],
] as const) {
  t.test(`the lines of "${heading}" in ${file} print what it shows`, async (t) => {
    const folder = t.testdir({})
    const said = await run(t, file, heading, folder)
    if (said.includes('launcher')) return t.comment(said) // sessions need it
    t.equal(same(said, folder), same(printedUnder(file, heading), folder))
  })
}

t.test('the two terminals of "Try it" in src/server/wake/README.md print what it shows', async (t) => {
  const [file, heading] = ['src/server/wake/README.md', 'Try it'] as const
  const [follow, start] = linesUnder(file, heading) as [string[], string[]]
  const folder = t.testdir({})
  const { service, options } = await prepare(t, folder)
  const first = endWithUs(spawn('sh', ['-ec', scriptOf(follow, service).replace(/\ncurl/, '\nexec curl')], options))
  let said = ''
  first.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until(() => said.startsWith('id: '))
  await promisify(execFile)('sh', ['-ec', scriptOf([...follow.slice(0, 2), ...start], service)], options)
  await until(() => /^data: .*\n/m.test(said))
  first.kill()
  t.equal(same(said.trim(), folder), same(printedUnder(file, heading).trim(), folder))
})
