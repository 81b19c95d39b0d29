import { createHash } from 'node:crypto'
import t from 'tap'
import type { ExecRecord } from '../src/schema/index.ts'
import { openFrames, type Piece } from './frames.ts'
import { startService, until } from './helper.ts'
import { growthDuring, MiB, pause } from './raw-client.ts'
import { sseEvents } from './sse.ts'

// the least that a run may keep
const service = await startService({ env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '65536' } })
t.teardown(() => service.stop())

const record = async (id: string, wait = 0) =>
  (await (await service.request(`/runs/${id}?wait_seconds=${wait}`)).json()) as ExecRecord
async function background(body: object): Promise<string> {
  const response = await service.post('/exec', { ...body, background: true })
  return ((await response.json()) as ExecRecord).id
}
const sha256 = (bytes: Buffer[]) => createHash('sha256').update(Buffer.concat(bytes)).digest('hex')

t.test('next_offset counts the bytes that came, whatever became of them as text', async (t) => {
  const command = String.raw`printf 'a\377\376b'; sleep 0.2; printf 'grüße' >&2`
  const response = await service.post('/exec', { command }, { accept: 'text/event-stream' })
  const seen: [unknown, unknown, unknown][] = []
  for await (const { event, data } of sseEvents(response)) {
    if (event === 'output') seen.push([data.stream, data.offset, data.next_offset])
  }
  t.strictSame(seen.at(-1), ['stderr', 0, 7])
  t.strictSame(seen.filter(([stream]) => stream === 'stdout').at(-1)![2], 4)
  const socket = await service.socket()
  await socket.exec('a', { command })
  t.strictSame(
    socket.messages.filter(({ type }) => type === 'output').map(({ stream, next_offset }) => [stream, next_offset]),
    [
      ['stdout', 4],
      ['stderr', 7],
    ],
  )
  await socket.close()
})

t.test('binary frames carry both streams and many runs, and nothing else changes', async (t) => {
  const pieces: Piece[] = []
  const socket = await openFrames(service, (piece) => pieces.push(piece))
  const commands = [String.raw`printf 'a\377\376b'; sleep 0.2; printf 'grüße' >&2`, 'head -c 60000 /dev/zero']
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
  const id = await background({ command, when_full: 'wait', lease_seconds: 30 })
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

t.test('when_full: wait holds the command up, and only so far', async (t) => {
  const id = await background({ command: 'head -c 20000000 /dev/zero; echo end >&2', when_full: 'wait' })
  await until(async () => (await record(id)).stdout_bytes > MiB)
  await pause(500)
  const { status, stdout_bytes } = await record(id)
  t.equal(status, 'running')
  t.ok(stdout_bytes < 3 * MiB, `${stdout_bytes} bytes came`)
  t.strictSame(await (await service.request(`/runs/${id}`, { method: 'DELETE' })).json(), {
    outcome: 'cancel_requested',
  })
  t.hasStrict(await record(id, 20), { status: 'canceled' }, 'a cancel does not wait for a reader')

  const dropped = await background({ command: 'head -c 20000000 /dev/zero' })
  t.hasStrict(
    await record(dropped, 20),
    { status: 'completed', stdout_bytes: 20_000_000 },
    'the usual: none is waited for',
  )

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

t.test('a lease: canceled when nobody has watched for so long', async (t) => {
  const canceled = /^canceled: its client was not seen for 1 s$/
  const alone = await background({ command: 'sleep 61', lease_seconds: 1 })
  const watched = await background({ command: 'sleep 62', lease_seconds: 1 })
  const socket = await service.socket()
  socket.send({ type: 'attach', id: watched })
  const began = performance.now()
  const ended = await record(alone, 20)
  t.equal(ended.status, 'canceled', 'nobody came')
  t.ok(
    ended.notes.some((note) => canceled.test(note)),
    ended.notes.join(),
  )
  t.ok(performance.now() - began > 900, 'not before')
  await pause(500)
  t.hasStrict(await record(watched), { status: 'running' }, 'somebody watches')
  socket.raw.terminate()
  await pause(500)
  const again = await service.socket()
  again.send({ type: 'attach', id: watched })
  await pause(1500)
  t.hasStrict(await record(watched), { status: 'running' }, 'who comes back in time goes on')
  again.raw.terminate()
  t.hasStrict(await record(watched, 20), { status: 'canceled' })

  const held = await service.socket()
  held.send({ type: 'exec', ref: 'a', command: 'sleep 63', background: true, lease_seconds: 1 })
  const { id } = await held.next(({ type }) => type === 'accepted')
  await pause(1500)
  t.hasStrict(await record(id!), { status: 'running' }, 'who started it is there')
  held.raw.terminate()
  t.hasStrict(await record(id!, 20), { status: 'canceled' })

  for (const body of [
    { lease_seconds: 30 },
    { lease_seconds: 0, background: true },
    { lease_seconds: 3601, background: true },
  ]) {
    const bad = await service.post('/exec', { command: 'true', ...body })
    t.hasStrict([bad.status, await bad.json()], [400, { error: { field: 'lease_seconds' } }])
  }
})

t.test('output_taken is harmless elsewhere', async (t) => {
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
