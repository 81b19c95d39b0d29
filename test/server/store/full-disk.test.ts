import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import type { Store } from '../../../src/server/store/index.ts'
import { LineQueue } from '../../../src/server/store/append-file.ts'
import { until } from '../../support/helper.ts'
import { mountSmall } from '../../support/small-disk.ts'
import { home, MIB, open, record, reply, run } from './world.ts'

/** A folder on a small disk; `skip`: the reason why the system has no small disk. */
function disk(t: Test): { directory: string; skip: string | null } {
  const directory = path.join(home(t), 'disk')
  fs.mkdirSync(directory)
  return { directory, skip: mountSmall(t, directory) }
}

const stdoutsOf = (store: Store, runs: ExecRecord[]) =>
  Promise.all(runs.map(async ({ id }) => (await reply(store, id))?.stdout))

t.test('on a full disk stores what fits, counts the rest, and queues records', async (t) => {
  const { directory, skip } = disk(t)
  if (skip !== null) return t.pass('full', { skip })
  const facts: string[] = []
  const log = (fields: object, message: string) => facts.push(`${message} ${JSON.stringify(fields)}`)
  // no minimum of free space: the disk itself reports that it is full
  const store = open(t, directory, { minFreeBytes: Number.MIN_SAFE_INTEGER, log })
  const all = Buffer.alloc(3 * MIB, 'abcdefg')
  const { id, notes, stdout_bytes } = await run(store, [['stdout', all]])
  t.match(notes, [{ code: 'OUTPUT_NOT_KEPT', text: /is not stored: ENOSPC/ }])
  t.equal(stdout_bytes, all.length)
  const output = await store.output(id)
  const kept = output.keptBytes('stdout')
  t.ok(kept > MIB / 2 && kept < MIB, `${kept} bytes are kept`)
  const head = Buffer.concat([await output.read('stdout', 0, MIB)])
  t.ok(head.equals(all.subarray(0, head.length)))
  await t.rejects(output.read('stdout', kept, 1), { code: 'EXPIRED' })

  await run(store, [['stdout', Buffer.from('records matter more than old output')]])
  const readUntilSwept = async (): Promise<never> => {
    for (;;) await output.read('stdout', 0, 1)
  }
  await t.rejects(readUntilSwept(), { code: 'EXPIRED' })
  t.ok(await until(() => store.warnings().length === 0))
  t.throws(() => fs.appendFileSync(path.join(directory, 'filler'), Buffer.alloc(2 * MIB)), { code: 'ENOSPC' })
  const during = []
  for (let index = 0; index < 40; index++) {
    during.push(await run(store, [['stdout', Buffer.from(`small ${index} ${'x'.repeat(500)}`)]]))
  }
  t.match(store.warnings(), [/history cannot be written: ENOSPC/])
  const fresh = open(t, directory, { minFreeBytes: Number.MIN_SAFE_INTEGER })
  t.match(await reply(fresh, id), { status: 'completed' }, 'a service that starts on a full disk knows what was')
  t.match(facts, [/history cannot be written/])
  t.same(
    await stdoutsOf(store, during),
    during.map(({ stdout }) => stdout),
  )
  const unended = record()
  await store.history.begin(unended)

  fs.rmSync(path.join(directory, 'filler'))
  const after = await run(store, [['stdout', Buffer.from('after')]])
  t.same(store.warnings(), [], 'the warning goes when the disk takes lines again')
  store.close()
  const reopened = open(t, directory, { minFreeBytes: 0 })
  t.same(
    reopened.history.interrupted.map(({ id }) => id),
    [unended.id],
  )
  t.same(
    await stdoutsOf(reopened, [...during, after]),
    [...during, after].map(({ stdout }) => stdout),
  )
})

t.test('keeps the minimum of free space during a run', async (t) => {
  const { directory, skip } = disk(t)
  if (skip !== null) return t.pass('full', { skip })
  const store = open(t, directory, { minFreeBytes: 400_000 })
  const { notes } = await run(store, [['stdout', Buffer.alloc(3 * MIB)]])
  t.match(notes, [{ code: 'OUTPUT_NOT_KEPT', text: /less than 400000 bytes of disk space would be free/ }])
  const { bavail, bsize } = fs.statfsSync(directory)
  t.ok(bavail * bsize > 380_000, `${bavail * bsize} bytes are free`)
})

t.test('handles a disk that becomes read-only and one that is read-only from the start', async (t) => {
  const { directory, skip } = disk(t)
  if (skip !== null) return t.pass('full', { skip })
  const store = open(t, directory, { minFreeBytes: 0 })
  const before = await run(store, [['stdout', Buffer.from('before')]])
  store.close()
  spawnSync('mount', ['-o', 'remount,ro', directory])
  for (const blocked of [store, open(t, directory, { minFreeBytes: 0 })]) {
    const large = await run(blocked, [['stdout', Buffer.alloc(400_000)]])
    t.match(large.notes, [{ code: 'OUTPUT_NOT_KEPT' }])
    t.match(blocked.warnings().at(-1), /history cannot be written: EROFS/)
    t.match(await reply(blocked, before.id), { stdout: 'before' })
    const small = await run(blocked, [['stdout', Buffer.from('small')]])
    t.match(await reply(blocked, small.id), { stdout: 'small' })
  }
  spawnSync('mount', ['-o', 'remount,rw', directory])
  t.match(await reply(open(t, directory), before.id), { status: 'completed', stdout: 'before' })
})

t.test('limits memory while the disk is full, and still knows what is on it', async (t) => {
  const { directory, skip } = disk(t)
  if (skip !== null) return t.pass('full', { skip })
  const store = open(t, directory, { minFreeBytes: 0 })
  const before = await run(store, [['stdout', Buffer.from('before')]])
  t.throws(() => fs.writeFileSync(path.join(directory, 'filler'), Buffer.alloc(2 * MIB)), { code: 'ENOSPC' })
  const runs = []
  for (let index = 0; index < 240; index++) runs.push(await run(store, [['stdout', Buffer.alloc(60_000, 'x')]]))
  const known = (await stdoutsOf(store, runs)).filter((stdout) => stdout !== undefined)
  t.ok(known.length > 20 && known.length < 200, `${known.length} of 240 are known`)
  t.match(await reply(store, runs.at(-1)!.id), { status: 'completed' })
  t.match(await reply(store, before.id), { stdout: 'before' })
})

t.test('writes queued begin lines before other queued lines', (t) => {
  const written: string[] = []
  let isFull = true
  const write = (line: string) => {
    if (isFull) throw new Error('no room')
    return written.push(line)
  }
  const lines = new LineQueue(write, { onRefused: () => {}, onRecovered: () => {} })
  for (const line of ['end 1', 'begin 2', 'end 2', 'begin 3']) lines.append(line, line.startsWith('begin'), () => {})
  isFull = false
  lines.close()
  t.same(written, ['begin 2', 'begin 3', 'end 1', 'end 2'])
  t.end()
})

t.test('a queued line is not lost with the segments before its own', async (t) => {
  const directory = home(t)
  let laterMs = 0
  const elapsedMs = () => performance.now() + laterMs
  const store = open(t, directory, { historyMaxCount: 5, minFreeBytes: 0, elapsedMs })
  const segment = (number: number) => path.join(directory, 'history', `0000000${number}.jsonl`)
  const large: [['stdout', Buffer]] = [['stdout', Buffer.alloc(60_000, 'x')]]
  while (fs.statSync(segment(1)).size < MIB - 50_000) await run(store, large)
  const { writeSync, rm } = fs
  fs.writeSync = () => {
    throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' })
  }
  // a forgotten segment is removed at once, so the test need not wait for something that must not happen
  Object.assign(fs, { rm: fs.rmSync })
  t.teardown(() => Object.assign(fs, { writeSync, rm }))
  const unended = record()
  await store.history.begin(unended)
  const waited = await run(store, large)
  t.match(store.warnings(), [/history cannot be written: EIO/])
  fs.writeSync = writeSync
  // the first one writes the queued lines, which fill the first segment
  for (let index = 0; index < 4; index++) await run(store, [['stdout', Buffer.from('small')]])
  t.same(store.warnings(), [])
  t.ok(fs.existsSync(segment(2)))
  laterMs += 2 * 3_600_000
  await store.history.begin(record())
  await new Promise((resolve) => setImmediate(resolve))
  store.close()
  const reopened = open(t, directory)
  t.match(await reply(reopened, waited.id), { status: 'completed' })
  t.ok(reopened.history.interrupted.some(({ id }) => id === unended.id))
})
