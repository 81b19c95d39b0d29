import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { root, startService } from '../support/helper.ts'

const MiB = 1_048_576
const service = await startService({
  env: { SHELLPHONE_TIMEOUT_SECONDS: '3600', SHELLPHONE_MAX_TIMEOUT_SECONDS: '3600' },
})
t.teardown(() => service.stop())

/** Runs `shellphone run -q COMMAND` with this stdin. */
async function run(command: string, stdin: Buffer | string = '') {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'run', '-q', command], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const hash = createHash('sha256')
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    hash.update(chunk)
  })
  child.stdin.end(stdin)
  const [code] = await once(child, 'close')
  return { code, bytes, sha256: hash.digest('hex') }
}

t.test('transfers more than a pipe holds and more than is stored, byte for byte', async (t) => {
  const much = Buffer.alloc(64 * MiB)
  for (let at = 0; at < much.length; at += 8) much.writeDoubleLE(Math.sin(at), at)
  const sha256 = createHash('sha256').update(much).digest('hex')
  t.same(await run('cat', much), { code: 0, bytes: much.length, sha256 }, '64 MiB in both directions')
  const { code, bytes } = await run('head -c 104857600 /dev/zero')
  t.same([code, bytes], [0, 100 * MiB], 'more than is stored of a run: the command waited')
})
