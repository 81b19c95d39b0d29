import fs from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { note } from '../../../src/shared/schema/index.ts'
import { newRunId, type Store } from '../../../src/server/store/index.ts'
import { until } from '../../support/helper.ts'
import { DIGEST, home, MIB, open, record, reply, run, runKeyed } from './world.ts'

const DAY_MS = 86_400_000
const bytes = (text: string): Buffer => Buffer.from(text)
const segment = (directory: string, number = 1): string =>
  path.join(directory, 'history', `${String(number).padStart(8, '0')}.jsonl`)

/** Resolves when the store has forgotten old runs, which it does at the end of this turn of the event loop. */
const retained = () => new Promise((resolve) => setImmediate(resolve))

/** Changes one letter of the first line that contains `text`. */
const flip = (file: string, text: string): void => {
  const content = fs.readFileSync(file)
  const at = content.indexOf(text)
  content[at]! ^= 1
  fs.writeFileSync(file, content)
}

t.test('does not return damaged data, and names it', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const [damaged, whole, large] = [
    await run(store, [['stdout', bytes('first output')]]),
    await run(store, [['stdout', bytes('second output')]]),
    await run(store, [['stdout', Buffer.alloc(300_000, 'abc\n')]]),
  ]
  store.close()
  flip(segment(directory), 'first output')
  flip(path.join(directory, 'runs', `${large.id}.stdout`), 'abc')
  const facts: string[] = []
  const later = open(t, directory, { log: (_, message) => facts.push(message) })
  t.equal((await reply(later, damaged.id))?.stdout, '', 'its output is lost, and the run is reported as interrupted')
  t.equal((await reply(later, whole.id))?.stdout, 'second output')
  t.match(await reply(later, large.id), { stdout: '', notes: [note('TEXT_NOT_KEPT')] })
  const output = await later.output(large.id)
  await t.rejects(output.read('stdout', 10, 10), { code: 'EXPIRED', message: /damaged/ })
  t.equal((await output.read('stdout', 131_072, 4)).toString(), 'abc\n', 'another block of it is read')
  t.same(later.warnings(), ['lines of history are damaged: 1', 'outputs are damaged: 1'])
  t.same(facts, ['lines of history are damaged', 'outputs are damaged'])
})

t.test('detects damage in the output of an interrupted run, before and after the next start', async (t) => {
  const source = home(t)
  const store = open(t, source)
  const begun = record()
  await store.history.begin(begun)
  const spool = store.spool(begun.id)
  const blocks = 12
  for (let index = 0; index < blocks; index++) void spool.append('stdout', Buffer.alloc(65_536, `${index} abc\n`))
  void spool.append('stdout', bytes('the end'))
  await spool.finish()
  const file = (at: string, kind: string) => path.join(at, 'runs', `${begun.id}.${kind}`)
  t.ok(fs.existsSync(file(source, 'sums')))
  const rows: [string, (directory: string) => void, number[], RegExp][] = [
    ['nothing', () => undefined, [], /^$/],
    ['a flipped bit', (at) => flip(file(at, 'stdout'), '7 abc'), [7], /outputs are damaged: 1/],
    [
      'a checksum',
      (at) => flip(file(at, 'sums'), fs.readFileSync(file(at, 'sums'), 'utf8').slice(7, 15)),
      [0],
      /damaged: 1/,
    ],
    ['cut', (at) => fs.truncateSync(file(at, 'stdout'), 500_000), [7], /outputs are damaged: 1/],
    ['gone', (at) => fs.rmSync(file(at, 'stdout')), [], /outputs are damaged: 1/],
    [
      'checksums cut',
      (at) => fs.truncateSync(file(at, 'sums'), 64),
      [4, 5, 6, 7, 8, 9, 10, 11, 12],
      /outputs are damaged: 1/,
    ],
    ['checksums gone', (at) => fs.rmSync(file(at, 'sums')), [], /^$/],
  ]
  for (const [name, damage, unread, warning] of rows) {
    const directory = path.join(source, 'damaged')
    fs.cpSync(path.join(source, 'history'), path.join(directory, 'history'), { recursive: true })
    fs.cpSync(path.join(source, 'runs'), path.join(directory, 'runs'), { recursive: true })
    damage(directory)
    const later = open(t, directory)
    const output = await later.output(begun.id)
    for (let block = 0; block * 65_536 < output.size('stdout'); block++) {
      const reading = output.read('stdout', block * 65_536, 6)
      if (unread.includes(block)) await t.rejects(reading, { code: 'EXPIRED', message: /damaged/ }, `${name}: ${block}`)
      else {
        const text = block < blocks ? `${block} abc\n` : 'the end'
        t.equal((await reading).toString(), text.slice(0, 6), `${name}: ${block}`)
      }
    }
    t.match(later.warnings().join(), warning, name)
    fs.rmSync(directory, { recursive: true })
  }
  const after = path.join(source, 'after')
  fs.cpSync(path.join(source, 'history'), path.join(after, 'history'), { recursive: true })
  fs.cpSync(path.join(source, 'runs'), path.join(after, 'runs'), { recursive: true })
  const restarted = open(t, after)
  t.ok(await until(() => !fs.existsSync(file(after, 'sums'))))
  flip(file(after, 'stdout'), 'the end')
  await t.rejects(
    (await restarted.output(begun.id)).read('stdout', blocks * 65_536, 7),
    { code: 'EXPIRED' },
    'the last block',
  )
})

t.test('detects a missing segment, a truncated segment and missing files', async (t) => {
  const source = home(t)
  const store = open(t, source)
  for (let index = 0; index < 60; index++) await run(store, [['stdout', Buffer.alloc(60_000, 'x')]])
  const { id } = await run(store, [['stdout', Buffer.alloc(100_000, 'x')]])
  store.close()
  const newest = Number(fs.readdirSync(path.join(source, 'history')).sort().at(-2)!.slice(0, 8))
  const lastLine = (file: string): number => fs.readFileSync(file).lastIndexOf(10, -2) + 1
  const rows: [string, (directory: string) => void, RegExp][] = [
    ['the first', (at) => fs.rmSync(segment(at, 1)), /segments of history are missing: 1/],
    ['one between', (at) => fs.rmSync(segment(at, 2)), /segments of history are missing: 1/],
    [
      'the newest',
      (at) => fs.rmSync(segment(at, newest)),
      /segments of history are missing: 1|lines of history are missing: \d/,
    ],
    ['one is empty', (at) => fs.truncateSync(segment(at, 2)), /segments of history are missing: 1/],
    [
      'its last line',
      (at) => fs.truncateSync(segment(at, 2), lastLine(segment(at, 2))),
      /lines of history are missing: 1/,
    ],
    ['the last line', (at) => fs.truncateSync(segment(at, newest), lastLine(segment(at, newest))), /missing: 1/],
    ['an output', (at) => fs.rmSync(path.join(at, 'runs', `${id}.stdout`)), /outputs are missing: 1/],
  ]
  t.ok(newest > 3)
  for (const [name, damage, warning] of rows) {
    const directory = path.join(source, 'damaged')
    fs.cpSync(path.join(source, 'history'), path.join(directory, 'history'), { recursive: true })
    fs.cpSync(path.join(source, 'runs'), path.join(directory, 'runs'), { recursive: true })
    t.same(open(t, directory).warnings(), [], `${name}: nothing before`)
    damage(directory)
    for (let start = 0; start < 2; start++) {
      const later = open(t, directory)
      t.match(later.warnings().join(), warning, `${name}, start ${start}`)
      await run(later, [])
      later.close()
    }
    fs.rmSync(directory, { recursive: true })
  }
})

t.test('reports the number of segments when all are missing', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  await run(store, [])
  store.close()
  fs.rmSync(segment(directory))
  t.same(open(t, directory).warnings(), ['segments of history are missing: 1'])
})

t.test('does not report swept output as missing', async (t) => {
  const directory = home(t)
  const store = open(t, directory, { maxSpoolBytes: MIB, minFreeBytes: 0 })
  for (let index = 0; index < 20; index++) await run(store, [['stdout', Buffer.alloc(100_000, 'x')]])
  store.close()
  const later = open(t, directory)
  t.same(later.warnings(), [])
})

t.test('keeps a line with a field of a later version', async (t) => {
  const directory = home(t)
  const store = open(t, directory)
  const { id } = await run(store, [['stdout', bytes('out')]])
  store.close()
  const lines = fs.readFileSync(segment(directory), 'utf8').split('\n')
  const newer = lines.map((line) => {
    const text = line.slice(8).replace(/("status":"completed",)/, '$1"signature":{"by":"next"},')
    return line === '' ? '' : crc32(text).toString(16).padStart(8, '0') + text
  })
  fs.writeFileSync(segment(directory), newer.join('\n'))
  const later = open(t, directory)
  t.same(later.history.interrupted, [])
  t.match(await reply(later, id), { status: 'completed', stdout: 'out' })
})

t.test('a clock change makes nothing old, and is logged', async (t) => {
  const directory = home(t)
  let [laterMs, elapsed] = [0, 0]
  const facts: string[] = []
  const changes = {
    historyMaxAgeDays: 30,
    now: () => Date.now() + laterMs,
    elapsedMs: () => performance.now() + elapsed,
    log: (_: object, message: string) => facts.push(message),
  }
  const claimed = (store: Store) => store.keys.claim('key', DIGEST, newRunId(1)).outcome
  let store = open(t, directory, changes)
  const { id } = await runKeyed(store, [['stdout', Buffer.alloc(100_000, 'x')]], 'key')
  const known = async () => [(await reply(store, id))?.status, claimed(store)]
  laterMs = 40 * DAY_MS
  await run(store, [], { id: newRunId(changes.now()) })
  elapsed += 2 * 3_600_000
  await run(store, [])
  await retained()
  t.same(await known(), ['completed', 'replay'])
  t.ok(facts.some((fact) => /the clock was set/.test(fact)))
  for (const days of [40, 0, -400]) {
    store.close()
    laterMs = days * DAY_MS
    store = open(t, directory, changes)
    await retained()
    t.equal((await reply(store, id))?.status, 'completed', `a start with the clock ${days} days ahead`)
    t.equal(claimed(store), 'replay')
  }
  elapsed += 31 * DAY_MS
  await run(store, [])
  await retained()
  t.equal(await store.history.get(id), null, 'days that went by count')
})
