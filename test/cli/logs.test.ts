import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { tailOffsets } from '../../src/cli/commands/tail-offsets.ts'
import { PhoneError } from '../../src/sdk/index.ts'
import { watchedService } from '../support/ask.ts'
import { processesWith, root, until } from '../support/helper.ts'

const STORED_BYTES = 9 * 1_048_576
const { service, ask } = await watchedService(t, {
  SHELLPHONE_MAX_RUN_SPOOL_BYTES: String(STORED_BYTES),
  SHELLPHONE_MAX_BACKGROUND_RUNNING: '1',
})
/** `logs` writes to the streams of its process. */
const logs = (...argv: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/main.js'), 'logs', ...argv], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  })
  return { status, stdout, stderr }
}
const ran = async (command: string): Promise<string> => (await service.exec({ command })).id

t.test('logs --tail prints the last lines of each stream', async (t) => {
  const id = await ran('seq 100000; printf "x\\ny" >&2')
  t.same(logs(id, '-n', '2'), { status: 0, stdout: '99999\n100000\n', stderr: 'x\ny' })
  t.same(logs(id, '--tail', '1', '-f'), { status: 0, stdout: '100000\n', stderr: 'y' })
  t.same(logs('--last', '--tail', '0'), { status: 0, stdout: '', stderr: '' })
  const many = Array.from({ length: 60_000 }, (_, at) => `${at + 40_001}\n`).join('')
  t.ok(logs(id, '-n', '60000').stdout === many, 'more than one request covers')
  t.equal(logs(id, '-n', '1000000').stdout.length, 588_895, 'all if there are fewer lines')
  t.match(logs(id, '-n', '1', '--from', '0.0'), {
    status: 2,
    stderr: 'shellphone: logs: expected either --from or --tail, got both; see shellphone logs --help\n',
  })
  t.match(logs(id, '-n', 'x'), { status: 2, stderr: /--tail: expected a whole number from 0 to 1000000, got x/ })
})

t.test('logs --tail prints at most 8 MiB of a long line, and the last stored lines', async (t) => {
  const long = logs(await ran('head -c 9000000 /dev/zero | tr "\\0" x; echo; echo end'), '-n', '2')
  t.equal(long.stdout.length, 8_388_608)
  t.equal(long.stderr, 'shellphone: stdout: the last lines are longer than 8 MiB; printing only the last 8 MiB\n')
  const cut = await ran(
    `echo first; printf 'second\\n'; head -c ${STORED_BYTES - 16} /dev/zero | tr '\\0' x; seq 100000`,
  )
  const { stdout, stderr } = logs(cut, '-n', '1')
  t.same([stdout.length, stdout.slice(-20)], [1, '2'], 'the stored part ends after these lines')
  t.match(stderr, /^shellphone: stdout: bytes 9437184 to \d+ are not stored\n/)
})

t.test('logs says why a run has no output yet, or was denied', async (t) => {
  const { question, answered } = await ask('touch waits')
  const waits = new RegExp(
    `^shellphone: waiting for approval, \\d+ s left; answer .* shellphone approvals approve ${question.id}\n$`,
  )
  t.match(logs(question.run_id), { status: 0, stdout: '', stderr: waits })
  await service.post(`/approvals/${question.id}`, { decision: 'deny' })
  await answered
  t.match(logs(question.run_id), { status: 0, stderr: /^shellphone: denied by .*; approval was needed because: / })
  t.match(logs(await ran('rm -rf /')), { status: 0, stderr: /^shellphone: denied: / })
  const inBackground = async () =>
    ((await (await service.post('/exec', { command: 'sleep 3066.1', background: true })).json()) as { id: string }).id
  const [first, second] = [await inBackground(), await inBackground()]
  t.match(logs(second), { status: 0, stderr: 'shellphone: waiting for a slot; list live runs with shellphone ps\n' })
  for (const id of [first, second]) await service.request(`/runs/${id}`, { method: 'DELETE' })
  t.ok(await until(() => processesWith('sleep 3066.1').length === 0))
})

/** A stream of this many bytes in lines of 50 MB, of which the service stores the bytes that `isStored` accepts. */
async function tailOf(bytes: number, lines: number, isStored: (offset: number) => boolean) {
  const [said, requests]: [string[], number[]] = [[], []]
  const request = async (_path: string, { query = {} }: { query?: object } = {}) => {
    const { offset, limit } = query as { offset: number; limit: number }
    requests.push(limit)
    if (!isStored(offset)) throw new PhoneError('expired', 'not stored')
    const piece = Buffer.alloc(limit, 'x')
    for (let at = 0; at < limit; at++) if ((offset + at) % 50_000_000 === 0) piece[at] = 0x0a
    return new Response(piece)
  }
  const record = { id: 'a', stdout_bytes: bytes, stderr_bytes: 0 }
  const { stdout } = await tailOffsets({ request } as never, record, lines, (line) => said.push(line))
  return { stdout, said, read: requests.reduce((sum, one) => sum + one, 0) }
}

t.test('the search for the last lines reads a bounded part of the output', async (t) => {
  const all = () => true
  t.same(await tailOf(100_000_001, 1, all), {
    stdout: 100_000_001 - 8_388_608,
    said: ['stdout: the last lines are longer than 8 MiB; printing only the last 8 MiB'],
    read: 8_388_608,
  })
  t.same(await tailOf(100_000_101, 1, all), { stdout: 100_000_001, said: [], read: 65_536 })
  t.same(await tailOf(100_000_101, 2, (offset) => offset > 99_900_000), {
    stdout: 100_000_101 - 65_536,
    said: ['stdout: not all of the last lines are stored; printing from byte 99934565'],
    read: 65_536 + 262_144,
  })
  const head = await tailOf(300_000_000, 1, (offset) => offset < 100_000_005)
  t.match(head, { stdout: 100_000_001, said: [] }, 'finds the end of the stored part')
  t.ok(head.read < 200_000, `read ${head.read} bytes`)
  t.match(await tailOf(300_000_000, 1, () => false), { stdout: 0, said: [] })
})
