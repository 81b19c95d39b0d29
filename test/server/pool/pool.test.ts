import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { noteExit } from '../../../src/server/pool/notes.ts'
import { createPool, type PoolLimits, type Sink } from '../../../src/server/pool/index.ts'
import { createCollector } from '../../../src/server/pool/collected-output.ts'
import { note, type Spawner } from '../../../src/shared/schema/index.ts'
import { createMovedClock } from '../../support/moved-clock.ts'
import { atDeadline, brief, countMarked, each, job, limits, quiet, text, watch } from '../../support/pool-jobs.ts'

each('a pool', (t, spawner) => {
  const pool = createPool(limits, spawner)
  const poolOf = (more: Partial<PoolLimits>) => createPool({ ...limits, ...more }, spawner)

  t.test('reports how a command ended', async (t) => {
    const rows: [script: string, ending: object, stdout: string, stderr: string][] = [
      ['echo hi', { ending: 'completed', exitCode: 0, signal: null }, 'hi\n', ''],
      ['echo o; echo e >&2; exit 3', { ending: 'failed', exitCode: 3, signal: null }, 'o\n', 'e\n'],
      ['kill -TERM $$', { ending: 'failed', exitCode: null, signal: 'SIGTERM' }, '', ''],
      ['nosuchcommand 2>/dev/null', { ending: 'failed', exitCode: 127, signal: null }, '', ''],
      ['cat; echo end', { ending: 'completed', exitCode: 0, signal: null }, 'end\n', ''],
    ]
    for (const [script, ending, stdout, stderr] of rows) {
      const before = Date.now()
      const outcome = await pool.run(job(script), quiet)
      t.same(brief(outcome), ending, script)
      t.same([text(outcome), text(outcome, 'stderr')], [stdout, stderr])
      t.same([outcome.notes, outcome.leftBehind], [[], { ended: 0, survivors: [] }])
      t.ok(outcome.startedAt! >= before && outcome.endedAt >= outcome.startedAt! && outcome.durationMs > 0)
    }
    const long = await pool.run(job(`# ${'€'.repeat(400_000)}\necho long`), quiet)
    t.equal(text(long), 'long\n', 'a script of more than 1 MiB')
    await t.rejects(pool.run(job('true', { shell: '/nonexistent/sh' }), quiet), {
      code: 'NOT_STARTED',
      message: /^Failed to start process: .*ENOENT/,
    })
    t.same(pool.stats().running, 0, 'the slot of a refused start is free again')
  })

  t.test('reports statuses in order, with the child', async (t) => {
    const seen: unknown[] = []
    await pool.run(job('echo hi'), {
      onStatus: (status, child) => seen.push(status, child ? child.pid > 1 : null),
      output: { append: (stream, chunk) => void seen.push(stream, chunk.toString()) },
    })
    t.same(seen, ['starting', null, 'running', true, 'stdout', 'hi\n'])
  })

  t.test('a sink that throws leaves nothing running', async (t) => {
    const onStatus = (status: string) => {
      if (status === 'running') throw new Error('a bug')
    }
    await t.rejects(pool.run(job('setsid sleep 60 & sleep 60'), { ...quiet, onStatus }), { message: 'a bug' })
    t.same([pool.stats().running, await countMarked()], [0, 0])
  })

  t.test('a background process that holds the pipes open delays nothing', async (t) => {
    const stubborn = 'sh -c "trap \\"\\" TERM; echo; sleep 60; sleep 60"'
    const rows: [script: string, ended: number][] = [
      ['sleep 60 & echo hi', 1],
      ['setsid sleep 60 & echo hi', 1],
      [`{ ${stubborn} & } | read word; echo hi`, 2],
      ['while :; do echo x >&2; done & echo hi', 1],
      ['sleep 60 >/dev/null 2>&1 & echo hi', 1],
    ]
    for (const [script, ended] of rows) {
      const outcome = await pool.run(job(script), quiet)
      t.equal(outcome.ending, 'completed', script)
      t.equal(text(outcome), 'hi\n')
      t.ok(outcome.leftBehind.ended >= ended, `${outcome.leftBehind.ended} were still alive, and ended`)
      t.match(outcome.notes, [{ code: 'BACKGROUND_ENDED', text: /left in the background w.* killed$/ }])
    }
    t.equal(await countMarked(), 0)
  })

  t.test('keeps output that processes print while they are being killed', async (t) => {
    const polite = 'sh -c "trap \\"echo late >&2; exit\\" TERM; echo up; while :; do sleep 0.01; done"'
    const patient = poolOf({ leftBehindGraceMs: 60_000 })
    const outcome = await patient.run(job(`{ ${polite} & } | read word`), quiet)
    t.match(text(outcome, 'stderr'), /late\n/)
  })

  t.test('keeps background processes if the setting says so', async (t) => {
    const outcome = await poolOf({ backgroundProcesses: 'keep' }).run(job('sleep 60 & echo $!'), quiet)
    t.same(outcome.notes, [note('BACKGROUND_KEPT', 1)])
    t.same(outcome.leftBehind, { ended: 0, survivors: [] })
    t.equal(await countMarked(), 1)
    process.kill(Number(text(outcome)), 'SIGKILL')
  })

  t.test('the deadline kills the whole tree and keeps partial output', async (t) => {
    const tree = `(sleep 301 &); sleep 302 & setsid sleep 303 & sh -c 'setsid sh -c "sleep 304 &"'; trap "" TERM; sleep 305 & echo before; wait`
    const hasty = poolOf({ timeoutGraceMs: 500 })
    const { outcome, timeoutMs } = await atDeadline(hasty, tree, 'before\n')
    t.ok(outcome.durationMs >= timeoutMs + 500, 'SIGTERM is ignored, so the grace passes')
    t.same(brief(outcome), { ending: 'timed_out', exitCode: null, signal: 'SIGKILL' })
    t.equal(text(outcome), 'before\n')
    t.same(outcome.leftBehind, { ended: 5, survivors: [] })
    t.equal(await countMarked(), 0)
  })

  t.test('a day-long deadline, its grace and an hour in the queue follow the clock', async (t) => {
    const clock = createMovedClock()
    const pool = createPool({ ...limits, maxRunning: 1, maxQueueWaitMs: 3_600_000 }, spawner, clock)
    const first = watch('up')
    const day = pool.run(job('echo up; sleep 60', { timeoutMs: 86_400_000 }), first.sink)
    await first.printed
    const waits = t.rejects(pool.run(job('true'), quiet), { code: 'POOL_FULL', message: /within 3600000 ms/ })
    clock.move(3_600_000)
    await waits
    clock.move(82_800_000 - 1)
    t.equal(pool.stats().running, 1)
    clock.move(1)
    const { ending, durationMs } = await day
    t.same([ending, durationMs], ['timed_out', 86_400_000])
    t.equal(clock.waiting(), 0, 'no timer is left')
  })

  t.test('the spawner enforces the deadline without the service', async (t) => {
    const spawn: Spawner['spawn'] = async (...asked) => {
      const child = await spawner.spawn(...asked)
      return Object.assign(child, { exited: child.exited.then((exit) => ({ ...exit, timedOut: true })) })
    }
    t.match(await createPool(limits, { ...spawner, spawn }).run(job('exit 3'), quiet), { ending: 'timed_out' })
  })

  t.test('the deadline ends the shell however it handles SIGTERM', async (t) => {
    const patient = [60_000]
    /** tries the times in turn; in the first case, the first signal already kills the shell */
    const hasty = [200, 5000, 60_000]
    const rows: [
      what: string,
      graces: number[],
      script: string,
      exit: { exitCode: number | null; signal: string | null },
    ][] = [
      ['dies', patient, 'echo up; sleep 60', { exitCode: null, signal: 'SIGTERM' }],
      [
        'exits within the grace',
        patient,
        'trap "exit 0" TERM; echo up; while :; do sleep 0.01; done',
        { exitCode: 0, signal: null },
      ],
      [
        'dies, its child does not',
        hasty,
        'sh -c "trap \\"\\" TERM; echo up; sleep 60; sleep 60" & wait',
        { exitCode: null, signal: 'SIGTERM' },
      ],
      ['is stopped', hasty, 'echo up; kill -STOP $$', { exitCode: null, signal: 'SIGKILL' }],
    ]
    for (const [what, graces, script, exit] of rows) {
      let { outcome } = await atDeadline(poolOf({ timeoutGraceMs: graces[0]! }), script, 'up\n')
      for (const timeoutGraceMs of graces.slice(1)) {
        if (outcome.signal === exit.signal) break
        outcome = (await atDeadline(poolOf({ timeoutGraceMs }), script, 'up\n')).outcome
      }
      t.same(brief(outcome), { ending: 'timed_out', ...exit }, what)
      t.equal(text(outcome), 'up\n')
      t.equal(await countMarked(), 0)
    }
  })

  t.test('cancels a run in the queue, while starting, running, draining, and after its end', async (t) => {
    const one = poolOf({ maxRunning: 1, killGraceMs: 100 })
    const first = watch('up')
    const stopFirst = new AbortController()
    const running = one.run(job('trap "" TERM; echo up; sleep 60; sleep 60', { signal: stopFirst.signal }), first.sink)
    await first.printed
    const stopQueued = new AbortController()
    const queued = one.run(job('echo never', { signal: stopQueued.signal }), quiet)
    t.same([one.stats().running, one.stats().queued], [1, 1])
    stopQueued.abort()
    const left = await queued
    t.same([left.ending, left.startedAt, left.stdout.bytes], ['canceled', null, 0])
    t.same([one.stats().running, one.stats().queued], [1, 0])
    stopFirst.abort()
    t.same(brief(await running), { ending: 'canceled', exitCode: null, signal: 'SIGKILL' })

    const before = new AbortController()
    before.abort()
    t.equal((await one.run(job('echo never', { signal: before.signal }), quiet)).startedAt, null)

    const starting = new AbortController()
    const sink = { ...quiet, onStatus: (status: string) => status === 'starting' && starting.abort() }
    t.equal((await one.run(job('sleep 60', { signal: starting.signal }), sink)).ending, 'canceled')

    const after = new AbortController()
    const done = await one.run(job('echo done', { signal: after.signal }), quiet)
    after.abort()
    t.equal(done.ending, 'completed')
    t.equal(await countMarked(), 0)
  })

  t.test('the queue is first come, first served, and limits number and waiting time', async (t) => {
    const small = poolOf({ maxRunning: 1, maxQueued: 2, maxQueueWaitMs: 60_000 })
    const first = watch('up')
    const hold = new AbortController()
    const running = small.run(job('echo up; sleep 60', { signal: hold.signal }), first.sink)
    await first.printed
    const order: number[] = []
    const waiting = [1, 2].map((n) =>
      small.run(job('true'), { ...quiet, onStatus: (s) => s === 'running' && order.push(n) }),
    )
    await t.rejects(small.run(job('true'), quiet), {
      code: 'POOL_FULL',
      status: 503,
      extra: { retryAfterSeconds: Number },
    })
    t.same(small.stats(), { running: 1, queued: 2, accepted: 3, refused: 1 })
    hold.abort()
    const [held, ...served] = await Promise.all([running, ...waiting])
    t.equal(held!.ending, 'canceled')
    t.same(order, [1, 2])
    t.ok(served.every(({ queuedMs }) => queuedMs > 0))
    t.same(small.stats(), { running: 0, queued: 0, accepted: 3, refused: 1 })

    const impatient = poolOf({ maxRunning: 1, maxQueueWaitMs: 50 })
    const other = new AbortController()
    const long = impatient.run(job('sleep 60', { signal: other.signal }), quiet)
    await t.rejects(impatient.run(job('true'), quiet), { code: 'POOL_FULL', message: /within 50 ms/ })
    t.same([impatient.stats().running, impatient.stats().queued], [1, 0])
    other.abort()
    await long
  })

  t.test('close refuses new runs, cancels queued ones, ends the others and waits for them', async (t) => {
    const closing = poolOf({ maxRunning: 1 })
    const first = watch('up')
    const running = closing.run(job('trap "" TERM; setsid sleep 60 & echo up; sleep 60; sleep 60'), first.sink)
    const queued = closing.run(job('echo never'), quiet)
    await first.printed
    await closing.close(100)
    t.equal(await countMarked(), 0, 'nothing runs when close resolves')
    t.same([(await running).ending, (await queued).ending], ['canceled', 'canceled'])
    await t.rejects(closing.run(job('true'), quiet), { code: 'POOL_FULL', message: 'The service is stopping' })
  })

  t.test('writes stdin, then closes it or leaves it open', async (t) => {
    const bytes = Buffer.alloc(3 * 1024 * 1024, 'stdin\n')
    const fed = await pool.run(job('cat | md5sum; echo', { stdin: 'pipe', stdinData: bytes }), quiet)
    t.match(text(fed), /^[0-9a-f]{32} /)
    const counted = await pool.run(job('wc -c', { stdin: 'pipe', stdinData: bytes }), quiet)
    t.equal(text(counted).trim(), String(bytes.length))
    const empty = await pool.run(job('wc -c', { stdin: 'pipe', stdinData: null }), quiet)
    t.equal(text(empty).trim(), '0')
    const deaf = await pool.run(job('exec <&-; echo deaf', { stdin: 'pipe', stdinData: bytes }), quiet)
    t.equal(text(deaf), 'deaf\n', 'a command need not read what it is fed')
    const open = watch('first')
    const running = pool.run(
      job('cat', { stdin: 'pipe', stdinData: Buffer.from('first\n'), stdinOpen: true }),
      open.sink,
    )
    const child = await open.printed
    await child.write(Buffer.from('second\n'))
    child.endStdin()
    t.equal(text(await running), 'first\nsecond\n')
  })

  t.test('passes bytes unchanged', async (t) => {
    const all = await pool.run(
      job('for i in $(seq 0 255); do printf "\\\\$(printf %03o $i)"; done; printf € >&2'),
      quiet,
    )
    t.same(
      [...all.stdout.head],
      Array.from({ length: 256 }, (_, i) => i),
    )
    t.equal(text(all, 'stderr'), '€')
    const split = await pool.run(job('printf "\\342"; sleep 0.02; printf "\\202"; sleep 0.02; printf "\\254"'), quiet)
    t.equal(text(split), '€')
  })

  t.test('a slow sink slows the command and loses no output', async (t) => {
    let inSink = 0
    let most = 0
    let received = 0
    const slow: Sink = {
      onStatus: () => {},
      output: {
        append: async (_, chunk) => {
          received += chunk.length
          most = Math.max(most, ++inSink)
          for (let turns = 0; turns < 20; turns++) await nextTurn() // meanwhile more output arrives
          inSink--
        },
      },
    }
    const outcome = await pool.run(job("head -c 4M /dev/zero | tr '\\0' x; sleep 60 & true"), slow)
    t.same([outcome.ending, received], ['completed', 4 << 20])
    t.ok(most <= 4, `${most} chunks at once`)
    const stuck = new AbortController()
    const blocked = pool.run(job('yes', { timeoutMs: 200 }), {
      ...quiet,
      output: { append: () => new Promise<void>((r) => stuck.signal.addEventListener('abort', () => r())) },
    })
    t.equal((await blocked).ending, 'timed_out', 'a sink that is stuck does not hold the deadline up')
    stuck.abort()
  })
  t.end()
})

t.test('head and tail do not depend on how the output is cut into chunks', (t) => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 })
  fc.assert(
    fc.property(
      chunks,
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      (parts, headBytes, tailBytes) => {
        const collector = createCollector(headBytes, tailBytes)
        for (const part of parts) collector.add(Buffer.from(part))
        const all = Buffer.concat(parts)
        const rest = all.subarray(headBytes)
        const { bytes, head, tail } = collector.collected()
        assert.equal(bytes, all.length)
        assert.ok(head.equals(all.subarray(0, headBytes)))
        assert.ok(tail.equals(rest.subarray(Math.max(0, rest.length - tailBytes))))
      },
    ),
    { numRuns: 500 },
  )
  t.end()
})

t.test('explains exits in plain words', (t) => {
  const rows: [exitCode: number | null, signal: string | null, platform: string, notes: RegExp][] = [
    [0, null, 'linux', /^$/],
    [137, null, 'linux', /^$/],
    [137, null, 'android', /^exit code 137.*perhaps by Android/],
    [null, 'SIGKILL', 'linux', /^killed by SIGKILL; not by the service$/],
    [
      null,
      'SIGKILL',
      'android',
      /^killed by SIGKILL, probably by Android \(phantom process killer\); not by the service$/,
    ],
    [null, 'SIGSYS', 'android', /^the kernel refused a system call \(SIGSYS\)$/],
    [null, 'SIGXCPU', 'linux', /^it reached the limit of CPU time/],
    [153, null, 'linux', /^it reached the limit of file size/],
    [159, null, 'linux', /^the kernel refused a system call \(SIGSYS\)$/],
  ]
  for (const [exitCode, signal, platform, notes] of rows) {
    t.match(
      noteExit({ exitCode, signal }, platform)
        .map(({ text }) => text)
        .join(),
      notes,
      `${exitCode} ${signal} ${platform}`,
    )
  }
  const died = note('LAUNCHER_DIED')
  t.same(noteExit({ exitCode: null, signal: null, note: died }, 'linux'), [died])
  t.end()
})
