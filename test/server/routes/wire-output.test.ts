import { createHash } from 'node:crypto'
import t from 'tap'
import { Lease } from '../../../src/server/exec/lease.ts'
import { type ExecRecord, note } from '../../../src/shared/schema/index.ts'
import { openFrames, type Piece } from '../../support/frames.ts'
import { startService, until } from '../../support/helper.ts'
import { createMovedClock } from '../../support/moved-clock.ts'
import { growthDuring, MiB } from '../../support/raw-client.ts'
import { sseEvents } from '../../support/sse.ts'

// the minimum of this setting
const service = await startService({ env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '65536' } })
t.teardown(() => service.stop())

const record = async (id: string, wait = 0) =>
  (await (await service.request(`/runs/${id}?wait_seconds=${wait}`)).json()) as ExecRecord
async function background(body: object): Promise<string> {
  const response = await service.post('/exec', { ...body, background: true })
  return ((await response.json()) as ExecRecord).id
}
const sha256 = (bytes: Buffer[]) => createHash('sha256').update(Buffer.concat(bytes)).digest('hex')

t.test('next_offset counts the received bytes, however they are decoded', async (t) => {
  const command = String.raw`printf 'a\377\376b'; printf 'grüße' >&2`
  const response = await service.post('/exec', { command }, { accept: 'text/event-stream' })
  const seen: [unknown, unknown, unknown][] = []
  for await (const { event, data } of sseEvents(response)) {
    if (event === 'output') seen.push([data.stream, data.offset, data.next_offset])
  }
  const sorted = (pieces: unknown[][]) => pieces.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
  t.strictSame(sorted(seen), [
    ['stderr', 0, 7],
    ['stdout', 0, 4],
  ])
  const socket = await service.socket()
  await socket.exec('a', { command })
  const pieces = socket.messages.filter(({ type }) => type === 'output')
  t.strictSame(sorted(pieces.map(({ stream, next_offset }) => [stream, next_offset])), [
    ['stderr', 7],
    ['stdout', 4],
  ])
  await socket.close()
})

t.test('binary frames carry both streams and many runs, and nothing else changes', async (t) => {
  const pieces: Piece[] = []
  const socket = await openFrames(service, (piece) => pieces.push(piece))
  const commands = [String.raw`printf 'a\377\376b'; printf 'grüße' >&2`, 'head -c 60000 /dev/zero']
  for (const [index, command] of commands.entries()) socket.send({ type: 'exec', ref: `r${index}`, command })
  await until(() => socket.messages.filter(({ type }) => type === 'result').length === 2)
  t.notOk(
    socket.messages.some(({ type }) => type === 'output'),
    'no text of it',
  )
  const idOf = (ref: string) => socket.messages.find((one) => one.type === 'accepted' && one.ref === ref)!.id
  const bytesOf = (id: string | undefined, stream: string) => {
    const own = pieces.filter((piece) => piece.id === id && piece.stream === stream)
    let at = 0
    for (const { offset, bytes } of own) {
      t.equal(offset, at, 'offsets are without a gap')
      at += bytes.length
      t.ok(bytes.length <= 65_536)
    }
    return Buffer.concat(own.map(({ bytes }) => bytes))
  }
  t.strictSame(bytesOf(idOf('r0'), 'stdout'), Buffer.from('a\xff\xfeb', 'latin1'))
  t.strictSame(bytesOf(idOf('r0'), 'stderr').toString(), 'grüße')
  t.equal(bytesOf(idOf('r1'), 'stdout').length, 60_000)
  socket.send({ type: 'frames', frames: 'text' })
  socket.send({ type: 'exec', ref: 'text', command: 'echo text' })
  t.hasStrict(await socket.next(({ type }) => type === 'output'), { data: 'text\n', next_offset: 5 }, 'and back')
  socket.send({ type: 'frames', frames: 'smoke', ref: 'bad' })
  t.hasStrict(await socket.next(({ ref }) => ref === 'bad'), { type: 'error', error: { field: 'frames' } })
  await socket.close()
})

t.test('when_full: wait: the command waits for its reader, over many connections', async (t) => {
  const total = 24 * MiB
  const command = `seq 1 100000000 | head -c ${total} | tee /dev/stderr 2>/dev/null; seq 1 20000 >&2`
  const id = await background({ command, when_full: 'wait', lease_seconds: 300 })
  const seen: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  const at = { stdout: 0, stderr: 0 }
  let cuts = 0
  const grown = await growthDuring(service, async () => {
    for (let isOver = false; !isOver;) {
      let here = 0
      const socket = await openFrames(service, ({ stream, offset, bytes }) => {
        if (socket.raw.readyState !== socket.raw.OPEN) return
        if (offset !== at[stream]) t.fail(`${stream}: expected ${at[stream]}, got ${offset}`)
        seen[stream].push(bytes)
        at[stream] += bytes.length
        here += bytes.length
        socket.send({ type: 'output_taken', id, ...at })
        if (here > 3 * MiB) socket.raw.terminate()
      })
      socket.send({ type: 'attach', id, ...at })
      isOver = await Promise.race([
        socket.result().then(() => true),
        socket.next(({ type }) => type === 'error').then((error) => Promise.reject(new Error(JSON.stringify(error)))),
        new Promise<boolean>((resolve) => socket.raw.on('close', () => resolve(false))),
      ])
      if (!isOver) cuts++
      socket.raw.terminate()
    }
  })
  const ended = await record(id)
  t.hasStrict(ended, { status: 'completed', stdout_bytes: total })
  t.equal(sha256(seen.stdout), ended.stdout_sha256)
  t.equal(sha256(seen.stderr), ended.stderr_sha256)
  t.ok(cuts > 5, `${cuts} cuts`)
  t.ok(grown < 96, `memory grew by ${grown.toFixed(0)} MiB`)
})

t.test('when_full: wait stops the command once it is far enough ahead of its readers', async (t) => {
  const id = await background({ command: 'head -c 20000000 /dev/zero; echo end >&2', when_full: 'wait' })
  await until(async () => (await record(id)).stdout_bytes > MiB)
  const dropped = await background({ command: 'head -c 20000000 /dev/zero' })
  t.hasStrict(
    await record(dropped, 300),
    { status: 'completed', stdout_bytes: 20_000_000 },
    'the usual: none is waited for',
  )
  const { status, stdout_bytes } = await record(id)
  t.equal(status, 'running')
  t.ok(stdout_bytes < 3 * MiB, `${stdout_bytes} bytes came`)
  t.strictSame(await (await service.request(`/runs/${id}`, { method: 'DELETE' })).json(), {
    outcome: 'cancel_requested',
  })
  t.hasStrict(await record(id, 300), { status: 'canceled' }, 'a cancel does not wait for a reader')

  const events = await background({ command: 'seq 1 400000', when_full: 'wait' })
  const response = await service.request(`/runs/${events}/events`)
  let text = ''
  for await (const { event, data } of sseEvents(response)) if (event === 'output') text += data.data
  t.equal(text.length, 2_688_895, 'over SSE what was handed over counts')

  for (const body of [{ when_full: 'block' }, { when_full: true }]) {
    const bad = await service.post('/exec', { command: 'true', ...body })
    t.equal(bad.status, 400)
  }
})

t.test('a command whose output is not stored does not wait for its reader forever', async (t) => {
  const quicker = `const slow = globalThis.setTimeout
    globalThis.setTimeout = (call, ms, ...more) => slow(call, ms === 30_000 ? 100 : ms, ...more)`
  const quick = await startService({
    env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '65536', SHELLPHONE_TIMEOUT_SECONDS: '600' },
    node: [`--import=data:text/javascript,${encodeURIComponent(quicker)}`],
  })
  t.teardown(() => quick.stop())
  const body = { command: 'head -c 300000 /dev/zero', background: true, when_full: 'wait' }
  const { id } = (await (await quick.post('/exec', body)).json()) as ExecRecord
  const ended = async () => (await (await quick.request(`/runs/${id}?wait_seconds=60`)).json()) as ExecRecord
  t.ok(await until(async () => (await ended()).status === 'completed'), 'although nobody came')
})

t.test('a lease: cancels the run when nobody has watched it for that time', async (t) => {
  const starter = await service.socket()
  starter.send({ type: 'exec', command: 'sleep 62', background: true, lease_seconds: 1 })
  const { id: watched } = await starter.next(({ type }) => type === 'accepted')
  const alone = await background({ command: 'sleep 61', lease_seconds: 1 })
  const { status, notes, duration_ms } = await record(alone, 300)
  t.equal(status, 'canceled', 'nobody came')
  t.same(notes.at(-1), note('CLIENT_NOT_SEEN', 1)) // without the launcher, a note about killing comes first
  t.ok(duration_ms! > 900, 'not before')
  t.hasStrict(await record(watched!), { status: 'running' }, 'who started it is there')

  const watcher = await service.socket()
  watcher.send({ type: 'attach', id: watched })
  await watcher.next(({ type }) => type === 'status')
  await starter.close()
  // this later lease ends first, because a connection holds the other one
  const later = await background({ command: 'sleep 63', lease_seconds: 1 })
  t.hasStrict(await record(later, 300), { status: 'canceled' })
  t.hasStrict(await record(watched!), { status: 'running' }, 'somebody watches')
  watcher.raw.terminate()
  t.hasStrict(await record(watched!, 300), { status: 'canceled' }, 'nobody watches any longer')

  for (const body of [
    { lease_seconds: 30 },
    { lease_seconds: 0, background: true },
    { lease_seconds: 3601, background: true },
  ]) {
    const bad = await service.post('/exec', { command: 'true', ...body })
    t.hasStrict([bad.status, await bad.json()], [400, { error: { field: 'lease_seconds' } }])
  }
})

t.test('a lease: a client that returns in time keeps the run', async (t) => {
  const clock = createMovedClock()
  let expired = 0
  const expire = () => void expired++
  const lease = new Lease(1000, expire, clock)
  const first = new AbortController()
  lease.hold(first.signal)
  clock.move(5000)
  first.abort()
  clock.move(999)
  const second = new AbortController()
  lease.hold(second.signal)
  clock.move(5000)
  t.equal(expired, 0, 'it came back')
  second.abort()
  clock.move(1000)
  t.equal(expired, 1)

  const watched = new Lease(1000, expire, clock)
  const [leaves, stays] = [new AbortController(), new AbortController()]
  watched.hold(leaves.signal)
  watched.hold(stays.signal)
  leaves.abort()
  clock.move(5000)
  t.equal(expired, 1, 'another still watches')
  stays.abort()
  clock.move(1000)
  t.equal(expired, 2)

  new Lease(1000, expire, clock).hold(AbortSignal.abort())
  clock.move(1000)
  t.equal(expired, 3, 'who has gone before it was held is not there')

  const unwatched = new Lease(1000, expire, clock)
  unwatched.hold(AbortSignal.abort())
  unwatched.close()
  const over = new Lease(1000, expire, clock)
  over.close()
  over.hold(AbortSignal.abort())
  clock.move(5000)
  t.same([expired, clock.waiting()], [3, 0], 'a run that has ended has no lease')
})

t.test('output_taken has no effect on a run that does not wait', async (t) => {
  const socket = await service.socket()
  const { id } = await service.exec({ command: 'echo done' })
  socket.send({ type: 'output_taken', id, stdout: 99 })
  socket.send({ type: 'output_taken', ref: 'none', id: '01m808gre5000mhvbe2gtwpcnj', stdout: 1 })
  t.hasStrict(await socket.next(({ ref }) => ref === 'none'), { error: { type: 'not_found' } })
  socket.send({ type: 'output_taken', ref: 'bad', id, stdout: -1 })
  t.hasStrict(await socket.next(({ ref }) => ref === 'bad'), { error: { type: 'validation_error' } })
  t.equal(socket.messages.length, 2)
  await socket.close()
})
