import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import type { ExecRecord, PendingApproval } from '../../src/shared/schema/index.ts'
import { freePort, processesWith, spawnBeside, startService, until } from '../support/helper.ts'
import { startForMcp } from '../support/mcp/services.ts'
import { type AnyClient, type Answers, bridgeTo, connect, type ToolAnswer, type Way, ways } from './mcp/clients.ts'

const { folder, service, impatient } = await startForMcp('5')

/**
 * The person's answer to the approval request of a command that contains one of these words. It takes more than a second of real time, because
 * the service considers an answer within a second to be a machine's.
 */
const answers: Answers = (message) => {
  const say = (afterMs: number, action: string, answer?: string) => ({
    afterMs,
    answer: { action, ...(answer && { content: { answer } }) },
  })
  if (message.includes('by-nobody')) return say(0, 'decline')
  if (message.includes('by-machine')) return say(0, 'accept', 'once')
  if (message.includes('by-cancel')) return say(1100, 'cancel')
  return message.includes('by-decline') ? say(1100, 'decline') : say(1100, 'accept', 'once')
}

const nameOf = ({ sdk, over }: Way) => `${sdk} over ${over}`

/** Runs the same test with every client at once. */
async function withEach(
  t: Test,
  check: (client: AnyClient, way: string, t: Test) => Promise<void>,
  at = service,
): Promise<void> {
  await Promise.all(
    ways.map(async (way) => {
      const client = await connect(at, way, answers)
      try {
        await check(client, nameOf(way), t)
      } catch (error) {
        throw new Error(`${nameOf(way)}: ${(error as Error).message}`, { cause: error }) // an SDK's error does not name its client
      } finally {
        await client.close()
      }
    }),
  )
}

const waitingFor = async (command: string): Promise<PendingApproval | undefined> => {
  const { approvals } = (await (await impatient.request('/approvals')).json()) as { approvals: PendingApproval[] }
  return approvals.find((one) => one.command === command)
}

t.test('returns tools, results and errors to each client', (t) =>
  withEach(t, async (client, way) => {
    const tools = await client.list()
    const hasSandbox = !/"sandbox":\["none"\]/.test(service.log.join())
    const names = [
      'exec',
      ...(hasSandbox ? ['exec_read_only'] : []),
      'exec_wait',
      'exec_output',
      'exec_input',
      'exec_cancel',
      'file_read',
      'file_write',
      'file_edit',
      'file_search',
    ]
    const reading = ['exec_read_only', 'exec_wait', 'exec_output', 'file_read', 'file_search']
    t.same(
      tools.map(({ name }) => name),
      names,
      way,
    )
    for (const { name, annotations } of tools) {
      const looks = reading.includes(name)
      t.equal(annotations!.readOnlyHint, looks, `${way}: ${name} ${looks ? 'looks' : 'changes'}`)
    }
    const failed = await client.call('exec', { command: 'echo out; echo err >&2; exit 3', timeout_seconds: '5' })
    const { id, ...rest } = failed.structuredContent
    t.same(rest, { status: 'failed', exit_code: 3, stdout: 'out\n', stderr: 'err\n' }, way)
    t.same(failed.content, [{ type: 'text', text: '[Exit Code: 3]\nout\n[stderr]\nerr\n' }], way)
    t.notOk(failed.isError, `${way}: an exit code is no error of the tool`)

    const wrong = await client.call('exec', { command: 'true', timeout_seconds: 'soon' })
    const message = 'timeout_seconds: expected a number greater than 0, got "soon"'
    const refused = { error_type: 'validation_error', note: message }
    t.match(wrong, { isError: true, content: [{ text: message }], structuredContent: refused }, way)
    const denied = await client.call('exec', { command: 'rm -rf ~' })
    t.match(denied, { isError: true, structuredContent: { status: 'denied', note: /delete a system, home/ } }, way)
    // tries a longer timeout if the shell printed nothing before the first one
    for (const timeout_seconds of [3, 40]) {
      const late = await client.call('exec', { command: 'echo first; sleep 90', timeout_seconds })
      if (late.structuredContent.stdout === '' && timeout_seconds === 3) continue
      t.match(late, { isError: true, structuredContent: { status: 'timed_out', stdout: 'first\n' } }, way)
      t.match(late.structuredContent.note, `ended at its timeout of ${timeout_seconds} s`, way)
      break
    }
    await t.rejects(client.call('no_such_tool', {}), /Unknown tool: no_such_tool/, way)
    if (!hasSandbox) return
    const sandboxed = await client.call('exec_read_only', { command: 'echo x > denied; pwd' })
    t.match(sandboxed.structuredContent, { stdout: `${folder}\n`, stderr: /denied/i }, `${way}: nothing is written`)
  }),
)

/** The final result of exec_wait for a run that may still wait or run. */
async function endOf(client: AnyClient, id: string): Promise<ToolAnswer> {
  for (;;) {
    const answer = await client.call('exec_wait', { id })
    if (!['queued', 'running'].includes(answer.structuredContent.status)) return answer
  }
}

t.test('returns progress, a handle and the output of a long run', (t) => {
  const check = async (client: AnyClient, way: string) => {
    const go = `go-${way.replaceAll(' ', '-')}`
    const command = `for i in 1 2 3 4 5 6 7; do echo line $i; until [ -e ${go}-$i ]; do sleep 0.1; done; done`
    const open = (line: string) => writeFileSync(join(folder, `${go}-${line}`), '')
    const updates: { progress: number; message?: string }[] = []
    /** Each reported line except the last makes the command print the next one. */
    const onprogress = (one: { progress: number; message?: string }) => {
      updates.push(one)
      const line = /line ([1-6])\n$/.exec(one.message ?? '')?.[1]
      if (line) open(line)
    }
    const handle = await client.call('exec', { command }, { onprogress })
    const { id, status, note } = handle.structuredContent
    t.equal(status, 'running', way)
    t.match(note, /^still running after \d+ s, \d+ bytes so far: call exec_wait with this id, or exec_cancel$/, way)
    t.match(handle.content[0]!.text, `Run ${id}: ${note}`, `${way}: the text alone is enough`)
    // on a busy machine the wait may end before the second line
    for (let waits = 0; updates.length < 2 && waits < 20; waits++) {
      updates.length = 0
      await client.call('exec_wait', { id }, { onprogress })
    }
    t.ok(
      updates.length >= 2 && updates.every(({ progress }, i) => i === 0 || progress > updates[i - 1]!.progress),
      `${way}: it rises`,
    )
    t.match(updates.map(({ message }) => message).join(''), /^line 1\nline 2\n/, way)
    const again = await client.call('exec_wait', { id })
    t.match(again.structuredContent.note, /call exec_wait with this id/, `${way}: the note again`)
    for (const line of '1234567') open(line)
    const end = await endOf(client, id)
    t.match(end.structuredContent, { id, status: 'completed', stdout: /line 7\n$/ }, way)
    const read = await client.call('exec_output', { id, offset: 7, limit: 7 })
    t.same(read.structuredContent, { text: 'line 2\n', offset: 7, next_offset: 14, total: 49, eof: false }, way)
    t.same((await client.call('exec_cancel', { id })).structuredContent, { outcome: 'already_finished' }, way)
  }
  return withEach(t, check, impatient)
})

t.test('each client writes, edits, reads and searches files', (t) =>
  withEach(t, async (client, way) => {
    const path = join(folder, `${way.replaceAll(' ', '-')}.txt`)
    const written = await client.call('file_write', { path, content: 'one\ntwo\n' })
    t.match(written.structuredContent, { created: true, bytes: 8 }, way)
    const edits = [{ old: 'two', new: '2' }]
    const edit = { path, edits, if_hash: written.structuredContent.hash }
    t.match((await client.call('file_edit', edit)).structuredContent, { replaced: 1 }, way)
    const again = await client.call('file_edit', edit)
    t.match(again, { isError: true, structuredContent: { error_type: 'precondition_failed' } }, `${way}: an old hash`)
    t.match((await client.call('file_read', { path })).content[0]!.text, /1\tone\n +2\t2\n/, way)
    t.match((await client.call('file_search', { path, pattern: '^2' })).structuredContent, { found: 1 }, way)
  }),
)

t.test('a cancel ends the run, but after a handle only exec_cancel does; stdin works', (t) =>
  withEach(t, async (client, way) => {
    const mark = `7${ways.findIndex((one) => nameOf(one) === way)}.25`
    const canceled = new AbortController()
    const call = client.call('exec', { command: `sleep ${mark}` }, { signal: canceled.signal })
    t.ok(await until(() => processesWith(`sleep ${mark}`).length > 0), `${way}: it runs`)
    canceled.abort()
    await t.rejects(call)
    t.ok(await until(() => processesWith(`sleep ${mark}`).length === 0), `${way}: no process is left`)

    const { structuredContent } = await client.call('exec', { command: 'cat', stdin: 'open', background: true })
    const { id } = structuredContent
    t.match(structuredContent, { status: /running|queued/, note: /call exec_wait/ }, way)
    t.same((await client.call('exec_input', { id, data: 'fed\n' })).structuredContent, { taken: 4 }, way)
    await client.call('exec_input', { id, end: true })
    t.match((await client.call('exec_wait', { id })).structuredContent, { stdout: 'fed\n', status: 'completed' }, way)

    const sleeper = await client.call('exec', { command: `sleep ${mark}5`, background: true })
    const other = sleeper.structuredContent.id
    t.ok(await until(() => processesWith(`sleep ${mark}5`).length > 0), way)
    t.same((await client.call('exec_cancel', { id: other })).structuredContent, { outcome: 'cancel_requested' }, way)
    const ended = await client.call('exec_wait', { id: other })
    t.match(ended, { isError: true, structuredContent: { status: 'canceled', note: 'canceled by the client' } }, way)
  }),
)

t.test('only a person can answer through the form', async (t) => {
  const touchBy = (who: string, way: string) => `touch ${who}-${way.replaceAll(' ', '-')}`
  const answered = async (client: AnyClient, way: string) => {
    const touch = (who: string) => touchBy(who, way)
    const yes = await client.call('exec', { command: touch('by-accept') })
    t.equal(yes.structuredContent.status, 'completed', way)
    const record = (await (await service.request(`/runs/${yes.structuredContent.id}`)).json()) as ExecRecord
    t.match(record.approval, { outcome: 'approved', how: 'mcp', by: 'owner "tester"' }, way)
    const behind = await client.call('exec', { command: touch('by-waiter'), background: true })
    const waited = await client.call('exec_wait', { id: behind.structuredContent.id })
    t.equal(waited.structuredContent.status, 'completed', `${way}: asked by exec_wait`)
    const no = await client.call('exec', { command: touch('by-decline') })
    t.match(no, { isError: true, structuredContent: { status: 'denied', note: /approval was refused/ } }, way)
    t.notOk(existsSync(join(folder, touch('by-decline').slice(6))), way)
  }
  /** how a command ends if an automatic answer is late */
  const takenForAPersons: Record<string, string> = { 'by-machine': 'completed', 'by-nobody': 'denied' }
  const leftToThePhone = async (client: AnyClient, way: string) => {
    const leave = async (who: string) => {
      let command = touchBy(who, way)
      let left = await client.call('exec', { command })
      // on a busy machine an automatic answer may be as late as a person's
      while (left.structuredContent.status === takenForAPersons[who]) {
        command += ' again'
        left = await client.call('exec', { command })
      }
      const note = /waits for approval until .* exec_wait/
      t.match(left.structuredContent, { status: 'queued', note }, `${way}: ${who}`)
      const question = await waitingFor(command)
      t.ok(question, `${way}: ${who} leaves it to the phone`)
      await impatient.post(`/approvals/${question!.id}`, { decision: 'approve', by: 'phone' })
      const end = await endOf(client, left.structuredContent.id)
      t.equal(end.structuredContent.status, 'completed', `${way}: ${who}`)
    }
    await Promise.all(['by-nobody', 'by-machine', 'by-cancel'].map(leave))
  }
  await Promise.all([withEach(t, answered), withEach(t, leftToThePhone, impatient)])
})

t.test('never asks for approval of high risk over MCP', async (t) => {
  const strict = await startService({
    env: {
      SHELLPHONE_AUTONOMY: 'supervised',
      SHELLPHONE_BLOCK_HIGH_RISK_COMMANDS: 'false',
      SHELLPHONE_MCP_PATIENCE_SECONDS: '0.5',
    },
  })
  t.teardown(strict.stop)
  let asked = 0
  const count: Answers = () => ({ afterMs: 1100, answer: { action: 'accept', content: { answer: String(asked++) } } })
  const client = await connect(strict, ways[0]!, count)
  t.teardown(() => client.close())
  const { structuredContent } = await client.call('exec', { command: 'sudo -n true' })
  t.match(structuredContent, { status: 'queued', note: /waits for approval/ })
  t.equal(asked, 0)
})

t.test("offers a dialect's tool with its own texts", async (t) => {
  const tools: [string, string, object, RegExp][] = [
    ['picoclaw', 'exec', { command: 'echo out; exit 3' }, /Exit code: exit status 3/],
    ['nullclaw', 'shell', { command: 'echo out' }, /^out\n?$/],
    ['meka', 'execute_command', { command: 'echo out' }, /out/],
  ]
  for (const [dialect, name, args, expected] of tools) {
    const client = await connect(service, { sdk: 'v2 2026', over: 'http' }, answers, `/mcp/${dialect}`)
    t.teardown(() => client.close())
    const own = ['exec_wait', 'exec_output', 'exec_input', 'exec_cancel']
    t.same(
      (await client.list()).map((tool) => tool.name),
      [name, ...own],
      dialect,
    )
    const { content, structuredContent } = await client.call(name, args)
    t.match(content[0]!.text, expected, dialect)
    t.equal(structuredContent.output, content[0]!.text, dialect)
    t.match((await client.call(name, {})).isError, true, `${dialect}: refused in its own words`)
  }
  t.equal((await service.post('/mcp/nobody', {})).status, 404)
})

t.test('shellphone mcp starts a service in its process if none runs', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-mcp-home-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const client = await connect({ ...service, home, port: await freePort() }, { sdk: 'v2 2025', over: 'stdio' }, answers)
  t.teardown(() => client.close())
  const { structuredContent } = await client.call('exec', { command: 'echo on; sleep 0.1' })
  t.match(structuredContent, { status: 'completed', stdout: 'on\n' })
  const pid = Number(readFileSync(join(home, 'lock'), 'utf8').split(' ')[0])
  const left = client.call('exec', { command: 'sleep 69.75' }).catch(() => null)
  t.ok(await until(() => processesWith('sleep 69.75').length > 0))
  await client.close()
  await left
  t.ok(await until(() => !existsSync(`/proc/${pid}`)), 'the process exits with its client')
  t.same(processesWith('sleep 69.75'), [], 'and so do its commands')
  t.notOk(existsSync(join(home, 'lock')), 'the lock is removed')
})

t.test('shellphone mcp reports errors', async (t) => {
  const own = await startService()
  t.teardown(() => own.stop())
  const bridge = bridgeTo(own)
  const child = spawnBeside(bridge.command, bridge.args, { env: bridge.env })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const say = async (line: string) => {
    child.stdin.write(`${line}\n`)
    return JSON.parse((await lines.next()).value!)
  }
  t.match(await say('{"jsonrpc":'), { id: null, error: { code: -32700 } }, 'no JSON')
  const ping = '{"jsonrpc":"2.0","id":"a","method":"ping"}'
  t.match(await say(ping), { id: 'a', error: { message: /Mcp-Session-Id/ } }, 'no session')
  await own.stop()
  t.match(await say(ping), { id: 'a', error: { code: -32000, message: /ECONNREFUSED/ } }, 'the service has stopped')
  child.stdin.end()
  t.same(await once(child, 'exit'), [0, null])
})

t.test('a session of 2025 survives a restart of the service', async (t) => {
  const port = await freePort()
  const home = mkdtempSync(join(folder, 'restart-'))
  const flags = ['--port', String(port)]
  let own = await startService({ home, flags })
  t.teardown(() => own.stop())
  const sessions = async () =>
    (await (await own.request('/metrics')).text()).match(/^shellphone_mcp_sessions (\d+)/m)?.[1]
  const client = await connect({ ...own, port }, { sdk: 'v1', over: 'stdio' } as Way, answers)
  t.teardown(() => client.close())
  t.match((await client.call('exec', { command: 'echo before' })).structuredContent, { stdout: 'before\n' })
  for (const round of ['at once', 'again']) {
    await own.kill('SIGTERM')
    const restarted = startService({ home, flags })
    const both = [client.call('exec', { command: 'echo one' }), client.call('exec', { command: 'echo two' })]
    const results = await Promise.all(both)
    own = await restarted
    t.same(
      results.map(({ structuredContent: { stdout } }) => stdout),
      ['one\n', 'two\n'],
      round,
    )
    t.equal(await sessions(), '1', 'one new session')
  }
})
