import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { root, startService } from '../support/helper.ts'

const folder = join(root, '.github/examples')
const service = await startService()
t.teardown(() => service.stop())

/** Runs a program with the address and the token; resolves with the lines that it prints. */
async function linesOf(program: string, args: string[]): Promise<string[]> {
  const env = { ...process.env, URL: service.url, TOKEN: service.token }
  const { stdout } = await promisify(execFile)(program, args, { env })
  return stdout.trimEnd().split('\n')
}

/** Copies an example to where the packages of the slow suites are found. */
function besidePackages(name: string): string {
  const to = join(root, 'test/slow/.compiled/examples')
  mkdirSync(to, { recursive: true })
  copyFileSync(join(folder, name), join(to, name))
  return join(to, name)
}

const isOld = process.versions.node.startsWith('20.')
const steps = ['queued', 'starting', 'running']

/** [file, program, arguments, the lines that it prints, in any order] */
const examples: [string, string, string[], string[]][] = [
  [
    'curl.sh',
    'sh',
    [join(folder, 'curl.sh')],
    [
      '[Exit Code: 0]',
      'hello from curl',
      'denied',
      '### Command Execution',
      'hello tool',
      ...['status', 'output', 'result'],
    ],
  ],
  [
    'websocket.mjs',
    process.execPath,
    [...(isOld ? ['--experimental-websocket'] : []), join(folder, 'websocket.mjs')],
    [
      ...[...steps, 'completed'].flatMap((step) => [`own ${step}`, `tool ${step}`]),
      ...['own output hello from a WebSocket', 'tool tool-stream hello tool', 'own result 0', 'tool result false'],
    ],
  ],
  ['mcp.mjs', process.execPath, [besidePackages('mcp.mjs')], ['hello from MCP 0', 'hello tool']],
  [
    'client.mjs',
    process.execPath,
    [join(folder, 'client.mjs')],
    [
      ...['hello from the client 0', 'stdout streamed', '3', 'false hello tool', 'validation_error comand'],
      'oneclaw picoclaw nullclaw agent-world meka anthropic/bash anthropic/str_replace_based_edit_tool openai/shell openai/local_shell openai/apply_patch',
    ],
  ],
]

for (const [name, program, args, expected] of examples) {
  t.test(`${name} works, in at most 30 lines`, async (t) => {
    const lines = await linesOf(program, args)
    const missing = expected.filter((line) => !lines.includes(line))
    t.same(missing, [], lines.join('\n'))
    t.ok(readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length <= 30)
  })
}

t.test('every example is tested', async (t) => {
  t.same(readdirSync(folder).sort(), examples.map(([name]) => name).sort())
})
