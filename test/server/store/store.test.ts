import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import t from 'tap'
import { type ExecRecord, isRunId, note, type Note, runIdMs } from '../../../src/shared/schema/index.ts'
import { cutCharacterBytes, newRunId, redact, redactionRules, type Store } from '../../../src/server/store/index.ts'
import { artifacts } from '../../../src/server/files/index.ts'
import { toReply } from '../../../src/server/exec/index.ts'
import { until } from '../../support/helper.ts'
import { createRandom } from '../../support/random.ts'
import { seal } from '../../../src/server/store/history-line.ts'
import { nothingShown } from '../../../src/server/store/ended-output.ts'
import { AgeClock } from '../../../src/server/store/ids.ts'
import { Keys } from '../../../src/server/store/keys.ts'
import { Quota } from '../../../src/server/store/quota.ts'
import { cutHistory } from './cut-history.ts'
import { pipeInto } from './pipe-into.ts'
import { secrets } from './secrets.ts'
import { collect, collected, DIGEST, home, MIB, open, record, reply, run, runKeyed } from './world.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const bytes = (text: string): Buffer => Buffer.from(text)
const modeOf = (file: string): number => fs.statSync(file).mode & 0o777

t.test('ids sort by time, contain their time, and have a single form', async (t) => {
  const ids = Array.from({ length: 40_000 }, () => newRunId(1_700_000_000_000))
  t.same(
    ids.filter((id, index) => index > 0 && id <= ids[index - 1]!),
    [],
    'each sorts after the one before',
  )
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.every(isRunId))
  t.equal(runIdMs(newRunId(1_700_000_000_999)), 1_700_000_000_999)
  const strange = [
    '',
    '..',
    '../../etc/passwd',
    `${ids[0]}/..`,
    `${ids[0]}\n`,
    ids[0]!.slice(1),
    ids[0]!.toUpperCase(),
    `${ids[0]}.stdout`,
    null,
    7,
    'l'.repeat(26),
  ]
  for (const text of strange) t.notOk(isRunId(text), JSON.stringify(text))
})

t.test('counts the bytes of an incomplete character at the end, but not of an invalid one', async (t) => {
  const rows: [number[], number][] = [
    [[], 0],
    [[0x61], 0],
    [[0xc3], 1],
    [[0xc3, 0xa4], 0],
    [[0xe2], 1],
    [[0xe2, 0x82], 2],
    [[0xe2, 0x82, 0xac], 0],
    [[0xf0], 1],
    [[0xf0, 0x9f], 2],
    [[0xf0, 0x9f, 0x98], 3],
    [[0xf0, 0x9f, 0x98, 0x80], 0],
    [[0x80], 0],
    [[0xc0], 0],
    [[0xf5], 0],
    [[0xe0, 0x80], 0],
    [[0xed, 0xa0], 0],
    [[0xf4, 0x90], 0],
    [[0x80, 0x80, 0x80], 0],
    [[0xe2, 0x61], 0],
  ]
  for (const [input, expected] of rows) t.equal(cutCharacterBytes(Buffer.from(input)), expected, JSON.stringify(input))
})

t.test('text is never split inside a character, at any position, valid or not', async (t) => {
  const store = open(t, home(t), { enabled: false })
  const whole = Buffer.concat([
    bytes('aä€😀\u0301z'),
    Buffer.from([0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98, 0xed, 0xa0, 0x80, 0xc3]),
  ])
  const everySplit = Array.from({ length: whole.length + 1 }, (_, at) => [whole.subarray(0, at), whole.subarray(at)])
  const everyByte = Array.from(whole, (byte) => Buffer.from([byte]))
  for (const chunks of [...everySplit, everyByte]) {
    const spool = store.spool(newRunId(0))
    const texts: string[] = []
    const reader = (async () => {
      let expected = 0
      for await (const { offset, data } of spool.follow({ stdout: 0, stderr: 0 }, { text: true })) {
        t.equal(offset, expected)
        expected += data.length
        texts.push(data.toString())
      }
      t.equal(expected, whole.length)
    })()
    for (const chunk of chunks) {
      void spool.append('stdout', chunk)
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await spool.finish()
    await reader
    t.equal(texts.join(''), whole.toString())
    if (chunks === everyByte) t.ok(texts.length > 8, 'pieces really were small')
  }
})

t.test('stores a small output in its history line, in order, and reads it after a restart', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const invalid = Buffer.from([0x61, 0xff, 0x62])
  const { id } = await run(store, [
    ['stderr', bytes('one')],
    ['stdout', bytes('two')],
    ['stdout', bytes('three')],
    ['stderr', invalid],
  ])
  store.close()
  for (const reopened of [store, open(t, directory)]) {
    const output = await reopened.output(id)
    const { stdout, stderr, sequence } = await collect(output.follow({ stdout: 0, stderr: 0 }))
    t.same([stdout, stderr], [bytes('twothree'), Buffer.concat([bytes('one'), invalid])])
    t.same(sequence, ['eone', 'otwothree', `e${invalid.toString('latin1')}`])
    t.same(await output.read('stdout', 3, 100), bytes('three'))
    t.same(await output.read('stdout', 8, 100), Buffer.alloc(0))
    for (const offset of [9, -1, 1.5, Number.NaN, 1e18, Number.POSITIVE_INFINITY]) {
      await t.rejects(output.read('stdout', offset, 1), { code: 'OUT_OF_RANGE' }, String(offset))
      t.throws(() => output.follow({ stdout: 0, stderr: offset }), { code: 'OUT_OF_RANGE' })
    }
    const answered = await reply(reopened, id)
    t.match(answered, { status: 'completed', stdout: 'twothree', output: '[Exit Code: 0]\ntwothree', stdout_bytes: 8 })
  }
  t.same(fs.readdirSync(path.join(directory, 'runs')), [])
  t.equal(modeOf(directory), 0o700)
  t.equal(modeOf(path.join(directory, 'history', '00000001.jsonl')), 0o600)
})

t.test('stores a large output in files that can be read during and after the run, with its digest', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const parts = Array.from(
    { length: 60 },
    (_, index) => [index % 3 ? 'stdout' : 'stderr', randomBytes(1 + ((index * 7919) % 150_000))] as const,
  )
  const all = (name: string) => Buffer.concat(parts.filter(([stream]) => stream === name).map(([, part]) => part))
  const begun = record()
  await store.history.begin(begun)
  const spool = store.spool(begun.id)
  const live = collect(spool.follow({ stdout: 0, stderr: 0 }))
  for (const [stream, part] of parts) {
    await spool.append(stream, part)
    const from = Math.floor(spool.size('stdout') / 2)
    const some = await spool.read('stdout', from, 5000)
    t.same(some, all('stdout').subarray(from, from + some.length))
  }
  const summary = await spool.finish()
  await store.history.end({ ...begun, status: 'completed' }, summary)
  const read = await live
  t.same([read.stdout, read.stderr], [all('stdout'), all('stderr')])
  t.ok(read.largest <= 65_536)
  t.match(summary, {
    stdout: { bytes: all('stdout').length, keptBytes: all('stdout').length, sha256: sha256(all('stdout')) },
    stderr: { bytes: all('stderr').length, keptBytes: all('stderr').length, sha256: sha256(all('stderr')) },
    notes: [],
  })
  store.close()
  const later = await open(t, directory).output(begun.id)
  const part = await collect(later.follow({ stdout: 100_001, stderr: 17 }))
  t.same([part.stdout, part.stderr], [all('stdout').subarray(100_001), all('stderr').subarray(17)])
  const again = await collect(later.follow({ stdout: 0, stderr: 0 }))
  t.same([again.stdout, again.stderr], [all('stdout'), all('stderr')])
  t.equal(
    again.sequence
      .map((piece) => piece[0])
      .join('')
      .replace(/(.)\1+/g, '$1'),
    `e${'oe'.repeat(19)}o`,
    'in the order they came',
  )
  for (const file of fs.readdirSync(path.join(directory, 'runs'))) {
    t.equal(modeOf(path.join(directory, 'runs', file)), 0o600)
  }
})

t.test('returns both streams in order, however often they alternate', async (t) => {
  const store = open(t, home(t))
  for (const changes of [1000, 70_000]) {
    const spool = store.spool(newRunId(0))
    const expected = Array.from(
      { length: changes },
      (_, index) => `${index % 2 ? 'e' : 'o'}${String.fromCharCode(33 + (index % 90))}`,
    )
    for (const [stream, character] of expected)
      void spool.append(stream === 'e' ? 'stderr' : 'stdout', bytes(character!))
    await spool.finish()
    // the last known switches, and those beyond
    const skipped = Math.max(0, changes - 8000)
    const { sequence, stdout, stderr } = await collect(spool.follow({ stdout: skipped / 2, stderr: skipped / 2 }))
    t.equal(stdout.length + stderr.length, changes - skipped)
    const known = Math.min(changes, 65_535) - skipped
    t.equal(sequence.slice(0, known).join(), expected.slice(skipped, skipped + known).join())
  }
})

t.test(
  'what is beyond the limit of a run is counted, hashed and said, and a reader that keeps up still sees it',
  async (t) => {
    const store = open(t, home(t), { maxRunSpoolBytes: 100_000 })
    const begun = record()
    const spool = store.spool(begun.id)
    const live = collect(spool.follow({ stdout: 0, stderr: 0 }))
    const all = randomBytes(300_000)
    for (let at = 0; at < all.length; at += 10_000) {
      void spool.append('stdout', all.subarray(at, at + 10_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const summary = await spool.finish()
    t.match(summary, {
      stdout: { bytes: 300_000, keptBytes: 100_000, sha256: sha256(all) },
      notes: [{ code: 'OUTPUT_NOT_KEPT', text: /limit of 100000 bytes/ }],
    })
    t.equal(summary.notes.length, 1)
    t.same((await live).stdout, all)
    await store.history.end({ ...begun, status: 'completed' }, summary)
    const later = await store.output(begun.id)
    t.same((await collect(later.follow({ stdout: 0, stderr: 0 }))).stdout, all.subarray(0, 100_000))
    await t.rejects(later.read('stdout', 100_000, 1), { code: 'EXPIRED' })
    t.same(await later.read('stdout', 300_000, 1), Buffer.alloc(0))
    await t.rejects(later.read('stdout', 300_001, 1), { code: 'OUT_OF_RANGE' })
  },
)

t.test('200 000 lines reach a reader that is disconnected five times and resumes by offset', async (t) => {
  const store = open(t, home(t))
  const spool = store.spool(newRunId(0))
  const expected = bytes(Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}\n`).join(''))
  const random = createRandom(1)
  const cuts = Array.from({ length: 5 }, () => Math.floor(random() * expected.length)).sort((a, b) => a - b)
  const read: Buffer[] = []
  let at = 0
  const reader = (async () => {
    for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
      for await (const { offset, data } of spool.follow({ stdout: at, stderr: 0 }, { text: true })) {
        t.equal(offset, at)
        read.push(data)
        at += data.length
        if (at >= cut) break
      }
    }
  })()
  await pipeInto(spool, ['awk', 'BEGIN { for (i = 1; i <= 200000; i++) print "line " i }'])
  await spool.finish()
  await reader
  t.ok(Buffer.concat(read).equals(expected))
})

t.test('a queued run already has an output, and its readers see the end in every case', async (t) => {
  const store = open(t, home(t))
  for (const ending of ['completed', 'denied'] as const) {
    const begun = record({ status: 'queued' })
    await store.history.begin(begun)
    const reading = collect((await store.output(begun.id)).follow({ stdout: 0, stderr: 0 }))
    if (ending === 'completed') void store.spool(begun.id).append('stdout', bytes('x'))
    const summary = ending === 'completed' ? await store.spool(begun.id).finish() : null
    await store.history.end({ ...begun, status: ending, stdout: summary ? 'x' : '' }, summary)
    t.same((await reading).stdout, bytes(summary ? 'x' : ''))
    t.equal((await store.output(begun.id)).size('stdout'), summary ? 1 : 0)
  }
})

t.test('an abort ends a waiting reader', async (t) => {
  const spool = open(t, home(t)).spool(newRunId(0))
  void spool.append('stdout', bytes('x'))
  const abort = new AbortController()
  const reading = collect(spool.follow({ stdout: 0, stderr: 0 }, { signal: abort.signal }))
  setImmediate(() => abort.abort())
  t.same((await reading).stderr, Buffer.alloc(0))
  await spool.finish()
})

t.test('small output of a long run is on disk after a second and finally in the history line', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const begun = record()
  const spool = store.spool(begun.id)
  void spool.append('stdout', bytes('early '))
  const file = path.join(directory, 'runs', `${begun.id}.stdout`)
  t.ok(await until(() => fs.existsSync(file) && fs.statSync(file).size === 6))
  void spool.append('stdout', bytes('late'))
  const summary = await spool.finish()
  await store.history.end({ ...begun, status: 'completed', stdout: 'early late' }, summary)
  t.ok(await until(() => !fs.existsSync(file)))
  t.same(await (await store.output(begun.id)).read('stdout', 0, 100), bytes('early late'))
  t.equal(summary.stdout.sha256, sha256(bytes('early late')))
})

t.test('sweeps the oldest ended runs at the limit, never live ones', async (t) => {
  const directory = home(t)
  const store = open(t, directory, { maxSpoolBytes: MIB, minFreeBytes: 0 })
  const running = store.spool(newRunId(Date.now()))
  void running.append('stdout', Buffer.alloc(200_000, 'r'))
  const ids: string[] = []
  for (let index = 0; index < 8; index++) {
    ids.push((await run(store, [['stdout', Buffer.alloc(250_000, index)]])).id)
    t.ok(store.spoolBytes() <= MIB, `${store.spoolBytes()}`)
  }
  for (const id of ids.slice(0, 4)) {
    await t.rejects((await store.output(id)).read('stdout', 0, 1), { code: 'EXPIRED', status: 410 })
  }
  t.same(await (await store.output(ids[7]!)).read('stdout', 5, 2), Buffer.from([7, 7]))
  t.match(await reply(store, ids[0]!), { status: 'completed', stdout_bytes: 250_000 })
  void running.append('stdout', Buffer.alloc(100, 's'))
  await running.finish()
  t.equal((await running.read('stdout', 199_999, 2)).toString(), 'rs')
  const big = await run(store, [['stdout', Buffer.alloc(2 * MIB)]])
  t.match(big.notes, [{ code: 'OUTPUT_NOT_KEPT', text: /limit of 1048576 bytes for all runs/ }])
  await t.rejects(store.output('../../../etc/passwd'), { code: 'NOT_FOUND' })
  await t.rejects(store.output(newRunId(0)), { code: 'NOT_FOUND' })
})

t.test('counts bytes that are being written during a sweep', async (t) => {
  const folder = home(t)
  const quota = new Quota(folder, {
    maxSpoolBytes: MIB,
    minFreeBytes: 0,
    isRunning: () => true,
    onSwept: () => undefined,
  })
  const [first, second, third] = [newRunId(1), newRunId(2), newRunId(3)]
  t.equal(await quota.admit(first, 600_000), null)
  t.match(
    await quota.admit(second, 600_000),
    /limit of 1048576 bytes/,
    'it sweeps, and the first is not on the disk yet',
  )
  t.equal(quota.used(), 600_000)
  fs.writeFileSync(path.join(folder, `${first}.stdout`), Buffer.alloc(500_000))
  quota.giveBack(first, 100_000)
  t.equal(quota.used(), 500_000, 'what was not written after all')
  t.equal(await quota.admit(third, 500_000), null)
  t.match(await quota.admit(second, 500_000), /limit of/)
  quota.giveBack(third, 500_000)
  fs.truncateSync(path.join(folder, `${first}.stdout`), 450_000)
  quota.ended(first)
  t.match(await quota.admit(second, 600_000), /limit of/)
  t.equal(quota.used(), 450_000, 'what ended is as large as its file')
})

t.test('below the minimum of free space no output is stored, and the run continues', async (t) => {
  const store = open(t, home(t), { minFreeBytes: Number.MAX_SAFE_INTEGER })
  const { notes } = await run(store, [['stdout', Buffer.alloc(200_000)]])
  t.match(notes, [{ code: 'OUTPUT_NOT_KEPT', text: /less than \d+ bytes of disk space would be free/ }])
  t.same((await run(store, [['stdout', bytes('small')]])).notes, [])
})

t.test('abandons a write that takes too long', async (t) => {
  const directory = home(t)
  const store = open(t, directory, { stallMs: 300 })
  await store.history.list({ limit: 1 })
  const pipes = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, (_, index) =>
    path.join(directory, `pipe${index}`),
  )
  await new Promise((resolve) => spawn('mkfifo', pipes).on('close', resolve))
  // opening a pipe without a writer blocks a thread of the pool until there is one
  const opening = pipes.map((pipe) => fs.promises.open(pipe, 'r'))
  const begun = record()
  const spool = store.spool(begun.id)
  let room: Promise<void> | undefined
  for (let index = 0; index < 40; index++) room = spool.append('stdout', Buffer.alloc(65_536, index))
  t.ok(room, 'the caller is asked to wait')
  await room
  void spool.append('stdout', bytes('and on'))
  const summary = await spool.finish()
  t.match(summary, {
    stdout: { bytes: 40 * 65_536 + 6, keptBytes: 0 },
    notes: [{ code: 'OUTPUT_NOT_KEPT', text: /a write took longer than 0.3 seconds/ }],
  })
  await store.history.end({ ...begun, status: 'completed' }, summary)
  for (const pipe of pipes) fs.closeSync(fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK))
  for (const handle of await Promise.all(opening)) await handle.close()
  await t.rejects((await store.output(begun.id)).read('stdout', 0, 1), { code: 'EXPIRED' })
})

t.test('lists history newest first, by status, text and page', async (t) => {
  const store = open(t, home(t))
  const ended = []
  for (const command of ['alpha', 'Quill', 'gamma']) ended.push(await run(store, [], { command }))
  const denied = record({ command: 'rm -rf /', status: 'denied', output: 'no' })
  await store.history.end(denied, null)
  const running = record({ command: 'sleep 9' })
  await store.history.begin(running)
  const ids = [...ended.map(({ id }) => id), denied.id, running.id].reverse()
  const list = async (query: object) => (await store.history.list({ limit: 100, ...query })).map(({ id }) => id)
  t.same(await list({}), ids)
  t.same(await list({ limit: 2 }), ids.slice(0, 2))
  t.same(await list({ before: ids[1] }), ids.slice(2))
  t.same(await list({ status: 'denied' }), [denied.id])
  t.same(await list({ status: 'running' }), [running.id])
  // no id contains u, l or i
  t.same(await list({ q: 'uIL' }), [ended[1]!.id])
  t.same(await list({ q: 'none' }), [])
  t.notOk('stdout' in (await store.history.list({ limit: 1 }))[0]!)
  t.match(await reply(store, denied.id), { status: 'denied', output: /denied by policy/ })
  running.status = 'canceled'
  t.match(await reply(store, running.id), { status: 'canceled' })
  t.equal(await reply(store, 'nonsense'), null)
  await t.resolves(store.output(denied.id))
})

t.test('history respects its limits on age and number across segments and restarts', async (t) => {
  const directory = home(t)
  let laterMs = 0
  const clocks = { now: () => Date.now() + laterMs, elapsedMs: () => performance.now() + laterMs }
  const changes = { historyMaxCount: 30, historyMaxAgeDays: 1, ...clocks }
  const store = open(t, directory, changes)
  const lasting = record({ command: 'lasting' })
  await store.history.begin(lasting)
  await run(store, [['stdout', Buffer.alloc(100_000, 'x')]])
  const outputs = () => fs.readdirSync(path.join(directory, 'runs'))
  t.ok(outputs().length > 0)
  const runs = []
  for (let index = 0; index < 60; index++) {
    runs.push(await run(store, [['stdout', Buffer.alloc(60_000, 'x')]], { command: `run ${index}` }))
  }
  await new Promise((resolve) => setImmediate(resolve))
  const listed = await store.history.list({ limit: 100 })
  t.same(
    listed.map(({ command }) => command),
    [...Array.from({ length: 30 }, (_, index) => `run ${59 - index}`), 'lasting'],
  )
  t.ok(await until(() => fs.readdirSync(path.join(directory, 'history')).length <= 5))
  t.equal(await reply(store, runs[0]!.id), null)
  await until(() => outputs().length === 0)
  t.same(outputs(), [], 'a forgotten run keeps no files')
  store.close()
  const reopened = open(t, directory, changes)
  t.same(
    reopened.history.interrupted.map(({ id }) => id),
    [lasting.id],
    'it began many segments ago',
  )
  t.equal((await reopened.history.list({ limit: 100 })).length, 30)
  t.same(await (await reopened.output(runs[59]!.id)).read('stdout', 59_999, 9), bytes('x'))
  laterMs += 2 * 86_400_000
  await reopened.history.begin(record())
  await new Promise((resolve) => setImmediate(resolve))
  t.equal((await reopened.history.list({ limit: 100 })).length, 1)
})

t.test('a run that a crash interrupted is failed and keeps its output', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const [large, small] = [record(), record({ notes: [note('NOTE', 'before')] })]
  for (const begun of [large, small]) await store.history.begin(begun)
  const spool = store.spool(large.id)
  for (let index = 0; index < 20; index++) void spool.append('stdout', Buffer.alloc(50_000, index))
  await spool.finish()
  for (let start = 0; start < 2; start++) {
    const next = open(t, directory)
    t.equal(next.history.interrupted.length, start === 0 ? 2 : 0)
    t.match(await reply(next, small.id), {
      status: 'failed',
      exit_code: -1,
      notes: [note('NOTE', 'before'), note('SERVICE_STOPPED')],
    })
    t.match(await reply(next, large.id), { status: 'failed', stdout_bytes: 1_000_000 })
    t.same(await (await next.output(large.id)).read('stdout', 999_999, 9), Buffer.from([19]))
    t.equal((await collect((await next.output(large.id)).follow({ stdout: 1, stderr: 0 }))).stdout.length, 999_999)
    t.same(await (await next.output(small.id)).read('stderr', 0, 9), Buffer.alloc(0))
    next.close()
  }
  store.close()
})

t.test('reads notes that are stored as plain strings as NOTE', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const begun = record({ notes: [note('TRANSFER')] })
  const ended = record({ status: 'failed', notes: [note('FAILED', 'it broke'), note('TIME_OVER')] })
  await store.history.begin(begun)
  await store.history.end(ended, null)
  store.close()
  const file = path.join(directory, 'history', '00000001.jsonl')
  const toPlain = (_: string, value: Partial<Note> | null) => (value?.code && value.text ? value.text : value)
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)
  fs.writeFileSync(file, lines.map((line) => seal(JSON.parse(line.slice(8), toPlain))).join(''))
  const next = open(t, directory)
  const notes = [note('NOTE', 'it broke'), note('NOTE', note('TIME_OVER').text)]
  t.same((await reply(next, ended.id))?.notes.slice(0, 2), notes)
  const [first, last] = await next.history.list({ limit: 2 })
  t.same([first, last].find((one) => one?.id === ended.id)?.notes, notes, 'in lists too')
  const cutOff = [note('NOTE', note('TRANSFER').text), note('SERVICE_STOPPED')]
  t.same((await reply(next, begun.id))?.notes, cutOff, 'and of a run that was cut off')
})

t.test('a run whose begin line follows its end line has ended', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const { id } = await run(store, [['stdout', bytes('out')]])
  store.close()
  const file = path.join(directory, 'history', '00000001.jsonl')
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  const first = lines.findIndex((line) => line.includes(id))
  const [begin] = lines.splice(first, 1)
  lines.splice(-1, 0, begin!)
  fs.writeFileSync(file, lines.join('\n'))
  const reopened = open(t, directory)
  t.same(reopened.history.interrupted, [])
  t.match(await reply(reopened, id), { status: 'completed', stdout: 'out' })
})

t.test('an ended run keeps its text, whatever its notes say', (t) => {
  const shown = { ...nothingShown, stdout: collected(bytes('out')) }
  const ended = record({ notes: [note('SERVICE_STOPPED')] })
  t.equal(toReply({ record: ended, shown, wasCutOff: false }).stdout, 'out')
  t.equal(toReply({ record: ended, shown: null, wasCutOff: true }).output.split('\n').at(-1), ended.notes[0]!.text)
  t.end()
})

t.test('a history truncated at the end of a line or elsewhere can be opened and extended', async (t) => {
  await cutHistory(t, (size, lineEnds) => {
    const around = lineEnds.flatMap((end) => [end - 1, end, end + 1, end + 2])
    const between = Array.from({ length: 24 }, (_, index) => Math.floor((index * size) / 24))
    return [...new Set([0, ...around, ...between])].filter((cut) => cut <= size)
  })
})

t.test('replies are not stored but rebuilt from the output, byte for byte', async (t) => {
  const directory = home(t)
  const store = open(t, directory, { maxRunSpoolBytes: 300_000 })
  const outputs: [string, Buffer, Buffer, Partial<ExecRecord>][] = [
    ['nothing', bytes(''), bytes(''), {}],
    ['small', bytes('out'), bytes('err\n'), {}],
    ['small, cut', bytes('line\n'.repeat(900)), bytes('x'.repeat(3000)), { max_length: 1000 }],
    ['not UTF-8', Buffer.from([0x61, 0xff, 10, 0xc3]), randomBytes(2000), {}],
    ['large, whole', bytes('ü'.repeat(70_000)), bytes(''), { max_length: 1_000_000 }],
    ['large, cut', bytes('ü\n'.repeat(60_000)), bytes('€'.repeat(60_000)), { max_length: 777 }],
    ['more than is kept', bytes('abc\n'.repeat(90_000)), bytes('end\n'.repeat(40_000)), { max_length: 10_000 }],
    ['a long command', bytes('x'), bytes(''), { command: `echo ${'x'.repeat(300_000)}` }],
  ]
  for (const [name, stdout, stderr, changes] of outputs) {
    for (const encoding of ['utf8', 'base64'] as const) {
      const begun = record({ status: 'completed', ...changes })
      await store.history.begin(begun)
      const spool = store.spool(begun.id)
      for (let at = 0; at < stdout.length; at += 65_536) void spool.append('stdout', stdout.subarray(at, at + 65_536))
      for (let at = 0; at < stderr.length; at += 65_536) void spool.append('stderr', stderr.subarray(at, at + 65_536))
      const summary = await spool.finish()
      const shown = { encoding, stdout: collected(stdout), stderr: collected(stderr), guards: [] }
      const answered = toReply({
        record: { ...begun, stdout_bytes: stdout.length, stderr_bytes: stderr.length },
        shown,
        wasCutOff: false,
      })
      await store.history.end(answered, summary, shown)
      for (const later of [store, open(t, directory)]) {
        const { truncated: _, ...found } = (await reply(later, begun.id))!
        const isSame = (['stdout', 'stderr', 'output'] as const).every((text) => found[text] === answered[text])
        t.ok(isSame, `${name} ${encoding}`)
      }
    }
  }
  t.notMatch(fs.readdirSync(path.join(directory, 'runs')), [/reply/])
  const [newest] = await store.history.list({ limit: 1, q: 'hello' })
  fs.rmSync(path.join(directory, 'runs', `${newest!.id}.stdout`))
  t.match(await reply(store, newest!.id), {
    status: 'completed',
    stdout: '',
    notes: [note('TEXT_NOT_KEPT')],
  })
})

t.test('a folder that is deleted or cannot be created loses only the stored data', async (t) => {
  const directory = home(t)
  const store = open(t, path.join(directory, 'home'), { elapsedMs: () => performance.now() * 1e6 })
  await run(store, [['stdout', Buffer.alloc(100_000)]])
  fs.rmSync(path.join(directory, 'home'), { recursive: true })
  const after = await run(store, [['stdout', Buffer.alloc(100_000, 'y')]])
  t.same(after.notes, [])
  t.equal(store.keys.claim('k', 'd', after.id).outcome, 'fresh')
  store.close()
  const reopened = open(t, path.join(directory, 'home'))
  t.same(await (await reopened.output(after.id)).read('stdout', 99_999, 9), bytes('y'))

  fs.writeFileSync(path.join(directory, 'file'), '')
  const nowhere = open(t, path.join(directory, 'file', 'home'))
  const small = await run(nowhere, [['stdout', bytes('in memory')]])
  t.match(nowhere.warnings(), [/stored only in memory: ENOTDIR/])
  t.same(await (await nowhere.output(small.id)).read('stdout', 0, 99), bytes('in memory'))
  t.match(await reply(nowhere, small.id), { stdout: 'in memory' })
  const large = await run(nowhere, [['stdout', Buffer.alloc(400_000)]])
  t.match(large.notes, [{ code: 'OUTPUT_NOT_KEPT', text: /not stored: nothing is stored on disk/ }])
  t.match(nowhere.keys.claim('k', 'd', small.id), { outcome: 'fresh' })
})

/** Starts a run with a claimed key. */
const beginWithKey = async (store: Store, key: string, digest: string): Promise<ExecRecord> => {
  const begun = record()
  t.equal(store.keys.claim(key, digest, begun.id).outcome, 'fresh')
  await store.history.begin(begun, { key, digest })
  return begun
}

t.test('a key belongs to one run and one body, across restarts, until it is released', async (t) => {
  const directory = home(t)
  const second = newRunId(2)
  const store = open(t, directory)
  const { id: first } = await beginWithKey(store, 'k', 'body')
  t.same(store.keys.claim('k', 'body', second), { outcome: 'replay', runId: first }, 'at once')
  const file = path.join(directory, 'history', '00000001.jsonl')
  t.equal(modeOf(file), 0o600)
  fs.appendFileSync(file, '{"k":"torn","d":"x"')
  const reopened = open(t, directory)
  t.same(reopened.keys.claim('k', 'body', second), { outcome: 'replay', runId: first })
  t.same(reopened.keys.claim('k', 'other body', second), { outcome: 'conflict', runId: first })
  t.same(reopened.keys.claim('torn', 'x', second), { outcome: 'fresh', runId: second })
  reopened.keys.release('k', second)
  t.match(reopened.keys.claim('k', 'body', second), { outcome: 'replay' }, 'another run cannot release it')
  reopened.keys.release('k', first)
  t.match(open(t, directory).keys.claim('k', 'body', second), { outcome: 'fresh' }, 'released, over a restart too')
  const { id: third } = await beginWithKey(reopened, 'k', 'other body')
  t.same(open(t, directory).keys.claim('k', 'other body', second), { outcome: 'replay', runId: third })
  const strange = `${'x'.repeat(200)}","record":{"\\`
  await beginWithKey(reopened, strange, 'd')
  t.match(open(t, directory).keys.claim(strange, 'd', second), { outcome: 'replay' })
})

t.test('makes a folder private that others could enter', (t) => {
  const directory = home(t)
  const history = path.join(directory, 'history')
  fs.mkdirSync(history, { mode: 0o755 })
  open(t, directory)
  t.equal(modeOf(history), 0o700)
  t.end()
})

t.test('forgets the oldest of more than 50 000 keys', (t) => {
  const clock = new AgeClock(
    Date.now,
    () => performance.now(),
    () => {},
  )
  const rows = Array.from({ length: 50_001 }, (_, n) => ({
    key: `k${n}`,
    digest: DIGEST,
    runId: `${n}`,
    segment: 0,
    ageMs: clock.nowMs(),
  }))
  const keys = new Keys(rows, clock, () => {})
  t.equal(keys.claim('k1', DIGEST, 'next').outcome, 'replay')
  t.equal(keys.claim('k0', DIGEST, 'next').outcome, 'fresh')
  t.end()
})

t.test('flushes a key to disk before its run begins, or refuses the run', async (t) => {
  const store = open(t, home(t))
  const { fdatasync } = fs
  const flushBy = (flush: typeof fdatasync | ((descriptor: number, callback: fs.NoParamCallback) => void)) => {
    Object.assign(fs, { fdatasync: flush })
    syncBuiltinESMExports()
  }
  t.teardown(() => flushBy(fdatasync))
  let flushed = 0
  flushBy((descriptor, callback) =>
    fdatasync(descriptor, (error) => {
      flushed++
      callback(error)
    }),
  )
  await beginWithKey(store, 'k', 'body')
  t.equal(flushed, 1)
  flushBy((_descriptor, callback) => callback(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
  await t.rejects(beginWithKey(store, 'other', 'body'), {
    code: 'EXECUTION_ERROR',
    message: /the key cannot be stored.*EIO/,
  })
})

t.test('a key outlives the record of its run, for at most 8 days', async (t) => {
  const directory = home(t)
  let laterMs = 0
  const clocks = { now: () => Date.now() + laterMs, elapsedMs: () => performance.now() + laterMs }
  const changes = { historyMaxCount: 3, historyMaxAgeDays: 2, ...clocks }
  const store = open(t, directory, changes)
  const keyed: string[] = []
  for (let index = 0; index < 60; index++) {
    keyed.push((await runKeyed(store, [['stdout', Buffer.alloc(60_000, 'x')]], `key-${index}`)).id)
  }
  t.ok(await until(async () => (await store.history.get(keyed[0]!)) === null))
  const segmentsIn = () => fs.readdirSync(path.join(directory, 'history')).filter((name) => name.endsWith('.jsonl'))
  t.ok(await until(() => segmentsIn().length < 3), 'of a forgotten segment the keys stay, and nothing else')
  store.close()
  const later = open(t, directory, changes)
  for (const [days, outcome] of [
    [0, 'replay'],
    [7.9, 'replay'],
    [8.1, 'fresh'],
  ] as const) {
    laterMs = days * 86_400_000
    const wrong = keyed.filter((_, index) => later.keys.claim(`key-${index}`, DIGEST, newRunId(1)).outcome !== outcome)
    t.same(wrong, [], `${days} days`)
  }
})

t.test('artifacts have a size and a digest, or an entry with the reason', async (t) => {
  const directory = fs.realpathSync(home(t))
  const at = (name: string) => path.join(directory, name)
  fs.writeFileSync(at('file'), 'hello')
  fs.writeFileSync(at('empty'), '')
  fs.writeFileSync(at('large'), Buffer.alloc(3 * MIB, 1))
  fs.symlinkSync('/etc/passwd', at('link'))
  fs.symlinkSync('file', at('inside'))
  await new Promise((resolve) => spawn('mkfifo', [at('pipe')]).on('close', resolve))
  const hello = { bytes: 5, sha256: sha256(bytes('hello')) }
  const rows: [string, object][] = [
    ['file', hello],
    [at('file'), hello],
    ['inside', hello],
    ['./empty', { bytes: 0, sha256: sha256(bytes('')) }],
    ['large', { bytes: 3 * MIB, sha256: sha256(Buffer.alloc(3 * MIB, 1)) }],
    ['large', { error: /larger than the \d+ bytes/ }],
    ['missing', { error: 'no such file' }],
    ['.', { error: 'not a regular file' }],
    ['pipe', { error: 'not a regular file' }],
    ['link', { error: 'outside the allowed directories' }],
    ['../../etc/passwd', { error: /outside|no such/ }],
    ['/etc/passwd', { error: 'outside the allowed directories' }],
    ['', { error: 'not a path' }],
    ['a\0b', { error: 'not a path' }],
  ]
  const allowed = (realPath: string) => realPath === directory || realPath.startsWith(`${directory}/`)
  const entries = await artifacts({ paths: rows.map(([file]) => file), cwd: directory, allowed, maxBytes: 4 * MIB })
  for (const [index, [file, expected]] of rows.entries()) {
    t.match(entries[index], { path: file, ...expected }, `${index} ${file}`)
  }
})

t.test('known forms of secrets are not stored but stay in the reply', async (t) => {
  t.same(Object.keys(secrets), Object.keys(redactionRules), 'each has examples')
  for (const [name, { examples, notMatch }] of Object.entries(secrets)) {
    for (const [text, expected] of examples) t.equal(redact(text), expected, name)
    for (const text of notMatch) t.equal(redact(text), text, name)
  }
  for (const piece of [
    'a',
    'a=',
    'token',
    'password: ',
    '-u a:',
    'https://',
    'eyJaaaaaaaa.',
    'sk-',
    '-----BEGIN ',
    ' --token ',
  ]) {
    redact(piece.repeat(Math.ceil(MIB / 4 / piece.length)))
  }
  const directory = home(t)
  const store = open(t, directory)
  const command = 'curl -H "Authorization: Bearer verysecrettoken"'
  const ended = await run(store, [['stdout', bytes('token=verysecret2')]], { command })
  const denied = record({
    command,
    status: 'denied',
    output: `denied: ${command}`,
    notes: [note('FAILED', command)],
    decision: { verdict: 'deny', rule: 'x', reason: command },
  })
  const finding = { guard: 'x', verdict: 'deny', risk: 'high', rule: 'x', command, reason: command } as const
  await store.history.end(denied, null, { ...nothingShown, guards: [finding] })
  t.equal(ended.command, command)
  const hidden = 'curl -H "Authorization: Bearer [redacted]"'
  t.match((await store.history.get(denied.id))?.shown?.guards, [{ ...finding, command: hidden, reason: hidden }])
  t.match(await reply(store, ended.id), {
    command: 'curl -H "Authorization: Bearer [redacted]"',
    stdout: 'token=verysecret2',
  })
  t.notMatch(fs.readFileSync(path.join(directory, 'history', '00000001.jsonl'), 'utf8'), 'verysecrettoken')
  const plain = open(t, home(t), { redact: false })
  t.match(await reply(plain, (await run(plain, [], { command })).id), { command })
})

t.test('every reader gets every byte, in memory and on disk, whatever the chunk sizes', async (t) => {
  const store = open(t, home(t))
  const random = createRandom(2)
  const turns = async (most: number) => {
    for (let left = Math.floor(random() * most); left > 0; left--) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  for (let round = 0; round < 8; round++) {
    const begun = record()
    const spool = store.spool(begun.id)
    const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
    const readers: Promise<boolean>[] = []
    const whole = (stream: 'stdout' | 'stderr') => Buffer.concat(parts[stream])
    const read = async (text: boolean) => {
      const start = {
        stdout: Math.floor(random() * spool.size('stdout')),
        stderr: Math.floor(random() * spool.size('stderr')),
      }
      const got: typeof parts = { stdout: [], stderr: [] }
      for await (const { stream, data } of spool.follow(start, { text })) {
        got[stream].push(Buffer.from(data))
        await turns(3)
      }
      return (['stdout', 'stderr'] as const).every((stream) =>
        Buffer.concat(got[stream]).equals(whole(stream).subarray(start[stream])),
      )
    }
    const chunkBytes = round % 2 ? 300 : 60_000
    for (let index = 0; index < 60; index++) {
      const stream = random() < 0.6 ? 'stdout' : 'stderr'
      const chunk = randomBytes(Math.floor(random() * chunkBytes))
      parts[stream].push(chunk)
      const room = spool.append(stream, chunk)
      if (index % 12 === 0) readers.push(read(index % 24 === 0))
      if (random() < 0.4) await turns(4)
      if (random() < 0.1) await room
    }
    const summary = await spool.finish()
    await store.history.end({ ...begun, status: 'completed' }, summary)
    readers.push(read(true))
    t.ok((await Promise.all(readers)).every(Boolean), `round ${round}`)
    const later = await collect((await store.output(begun.id)).follow({ stdout: 0, stderr: 0 }))
    t.ok(later.stdout.equals(whole('stdout')) && later.stderr.equals(whole('stderr')))
    t.match(summary, {
      stdout: { sha256: sha256(whole('stdout')) },
      stderr: { sha256: sha256(whole('stderr')) },
      notes: [],
    })
  }
})
