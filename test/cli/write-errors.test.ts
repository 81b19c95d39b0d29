import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { root, startService } from '../support/helper.ts'

const service = await startService()
t.teardown(() => service.stop())
const env = { ...process.env, SHELLPHONE_HOME: service.home }
const shellphone = `'${process.execPath}' '${join(root, 'dist/main.js')}'`

t.test(
  'says why its output cannot be written',
  { skip: existsSync('/dev/full') ? false : 'needs Linux' },
  async (t) => {
    const cases: [line: string, status: number][] = [
      ['history', 1],
      ['version', 1],
      ['man', 1],
      ['help', 1],
      ["run 'echo hi'", 255],
      ['logs --last', 1],
      ["run --json 'echo hi'", 255],
      ['run -d true', 255],
    ]
    for (const [line, status] of cases) {
      const ran = spawnSync('sh', ['-c', `${shellphone} ${line} > /dev/full`], { env, encoding: 'utf8' })
      const stderr = 'shellphone: write error: No space left on device\n'
      t.match({ status: ran.status, stderr: ran.stderr }, { status, stderr }, line)
    }
  },
)

t.test('exits with 141 and no message when the reader has closed its output', async (t) => {
  for (const line of ['history', 'version', 'man', "run 'echo hi'"]) {
    const child = spawn('sh', ['-c', `read -r line; exec ${shellphone} ${line} < /dev/null`], { env, stdio: 'pipe' })
    const closed = once(child.stdout, 'close')
    child.stdout.destroy()
    await closed
    child.stdin.end('\n')
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    t.same({ code, stderr }, { code: 141, stderr: '' }, line)
  }
})
