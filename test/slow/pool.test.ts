import { readdirSync } from 'node:fs'
import { createPool, type PoolLimits } from '../../src/server/pool/index.ts'
import { until } from '../support/helper.ts'
import { countMarked, each, job, limits, quiet } from '../support/pool-jobs.ts'

const countDescriptors = () => readdirSync('/proc/self/fd').length
/** child_process starts a shell ahead of the next run, which may exist at the end but not at the start. */
const WAITING_SHELL_DESCRIPTORS = 3

each('a pool', (t, spawner) => {
  const pool = createPool(limits, spawner)
  const poolOf = (more: Partial<PoolLimits>) => createPool({ ...limits, ...more }, spawner)

  t.test('counts a flood completely and stores both ends, in bounded memory', async (t) => {
    const megabytes = 128
    const rows: [script: string, lines: number, line: string][] = [
      [`head -c ${megabytes}M /dev/zero | tr '\\0' x; printf END`, 0, 'x'],
      [`yes | head -c ${megabytes}M; printf END`, (megabytes << 20) / 2, 'y\n'],
    ]
    for (const [script, lines, line] of rows) {
      const before = process.memoryUsage.rss()
      let peak = before
      const outcome = await pool.run(job(script), {
        ...quiet,
        output: {
          append: () => {
            peak = Math.max(peak, process.memoryUsage.rss())
          },
        },
      })
      const { stdout } = outcome
      t.same([stdout.bytes, stdout.lines], [(megabytes << 20) + 3, lines])
      t.same([stdout.head.length, stdout.tail.length], [25_000, 25_000])
      t.equal(stdout.head.toString(), line.repeat(25_000).slice(0, 25_000))
      t.ok(stdout.tail.toString().endsWith(`${line}END`))
      t.ok(peak - before < 64 << 20, `${(peak - before) >> 20} MiB more`)
    }
    const { stdout } = await pool.run(job('seq 1 300000; sleep 0.1; seq 1 99'), quiet)
    const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${from + n + 1}\n`)
    const end = [...numbers(295_000, 300_000), ...numbers(0, 99)].join('')
    t.equal(stdout.tail.toString(), end.slice(-25_000), 'the tail is in order')
  })

  t.test('200 runs with cancels at random leave no process and no descriptor', async (t) => {
    await pool.run(job('true'), quiet)
    const before = countDescriptors()
    const scripts = [
      'true',
      'echo x; exit 1',
      'sleep 0.02',
      'sleep 60',
      '(sleep 60 &); sleep 0.01',
      'setsid sleep 60 & sleep 60',
      'yes',
      'exec >&- 2>&-; sleep 60',
    ]
    const busy = poolOf({ killGraceMs: 50 })
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const stop = new AbortController()
        const isLeft = n % (2 * scripts.length) === 0 // some may end on their own, however slow the machine is
        const asked = { signal: stop.signal, timeoutMs: isLeft ? 60_000 : 150 }
        const onStatus = () => void (isLeft || setTimeout(() => stop.abort(), Math.random() * 100))
        return (await busy.run(job(scripts[n % scripts.length]!, asked), { ...quiet, onStatus })).ending
      }),
    )
    t.equal(outcomes.length, 200)
    t.ok(outcomes.includes('canceled') && outcomes.includes('completed'))
    t.same([busy.stats().running, busy.stats().queued, await countMarked()], [0, 0, 0])
    t.ok(await until(() => countDescriptors() <= before + WAITING_SHELL_DESCRIPTORS), 'no descriptor is left')
  })
  t.end()
})
