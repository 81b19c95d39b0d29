/**
 * Long drills of the pool with child_process. Prints figures and exits with 1 if a bound is exceeded.
 *
 *     npx tsx scripts/drills/drill-pool.ts [flood] [cancel] [speed]
 *
 * flood   1 GiB of output in one line and in many lines: memory, counts, head and tail
 * cancel  2000 runs, 64 at once, half of them canceled at random: no process and no descriptor may be left
 * speed   `true` through the pool compared with a bare child_process.spawn, and 256 MiB compared with `| cat > /dev/null`, interleaved
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createPool, type Job, type Sink } from '../../src/server/pool/index.ts'
import { MARK_NAME, noLimits } from '../../src/shared/schema/index.ts'
import { createChildProcessSpawner } from '../../src/server/spawn/index.ts'

const MiB = 1024 * 1024
const home = `drill${process.pid}`
const spawner = createChildProcessSpawner()
const limits = {
  maxQueueWaitMs: 120_000,
  killGraceMs: 500,
  timeoutGraceMs: 500,
  backgroundProcesses: 'end',
  drainMs: 100,
  leftBehindGraceMs: 100,
  platform: process.platform,
} as const
const pool = createPool({ ...limits, maxRunning: 8, maxQueued: 256 }, spawner)
const quiet: Sink = { onStatus: () => {}, output: { append: () => {} } }
let runs = 0

function job(script: string, signal = new AbortController().signal): Job {
  const mark = `${home}.now.${++runs}`
  return {
    spawn: {
      script,
      shell: '/bin/sh',
      cwd: '/',
      env: { PATH: process.env.PATH! },
      mark,
      stdin: 'null',
      terminal: null,
      sandbox: { name: 'none', network: true, writable: [], hidden: [] },
      limits: noLimits,
    },
    timeoutMs: 120_000,
    sharer: null,
    headBytes: 25_000,
    tailBytes: 25_000,
    signal,
  }
}

const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1000).toFixed(2)} s`
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

function countMarked(): number {
  const isOurs = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK_NAME}=${home}.`)
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d/.test(name) && isOurs(name)).length
}

async function flood() {
  const rows: [name: string, script: string, lines: number, line: string][] = [
    ['one line', "head -c 1024M /dev/zero | tr '\\0' x; printf END", 0, 'x'],
    ['many lines', 'yes | head -c 1024M; printf END', 512 * MiB, 'y\n'],
  ]
  await pool.run(job('true'), quiet) // loads the code that runs commands
  for (const [name, script, lines, line] of rows) {
    const began = performance.now()
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 5)
    const { stdout } = await pool.run(job(script), quiet)
    clearInterval(watch)
    const grown = Math.round((peak - before) / MiB)
    console.log(`flood, ${name}: ${stdout.bytes} bytes, ${stdout.lines} lines, ${seconds(began)}, RSS +${grown} MiB`)
    assert.deepEqual([stdout.bytes, stdout.lines], [1024 * MiB + 3, lines])
    assert.equal(stdout.head.toString(), line.repeat(25_000).slice(0, 25_000))
    assert.ok(stdout.tail.toString().endsWith(`${line}END`) && stdout.tail.length === 25_000)
    assert.ok(grown < 64)
  }
}

async function cancel() {
  const scripts = [
    'true',
    'echo x; exit 1',
    'sleep 0.02',
    'sleep 60',
    '(sleep 60 &); sleep 0.01',
    'setsid sleep 60 & sleep 60',
    'yes',
    'trap "" TERM; sleep 0.3; sleep 60',
  ]
  const wide = createPool({ ...limits, maxRunning: 64, maxQueued: 4096 }, spawner)
  await wide.run(job('true'), quiet)
  const before = readdirSync('/proc/self/fd').length
  const began = performance.now()
  const endings = await Promise.all(
    Array.from({ length: 2000 }, async (_, n) => {
      const stop = new AbortController()
      const script = scripts[n % scripts.length]!
      const mustStop = n % 2 === 0 || /60|yes/.test(script)
      const onStatus = () => mustStop && setTimeout(() => stop.abort(), Math.random() * 100)
      return (await wide.run(job(script, stop.signal), { ...quiet, onStatus })).ending
    }),
  )
  const tally = Object.fromEntries([...new Set(endings)].map((one) => [one, endings.filter((e) => e === one).length]))
  await new Promise((resolve) => setTimeout(resolve, 100)) // destroyed pipes are closed in the next turn of the event loop
  const left = [countMarked(), readdirSync('/proc/self/fd').length - before, wide.stats().running, wide.stats().queued]
  console.log(
    `cancel: ${JSON.stringify(tally)}, ${seconds(began)}; processes, descriptors, running, queued left: ${left}`,
  )
  assert.deepEqual(left, [0, 0, 0, 0])
}

/** The milliseconds per call of `count` calls, `atOnce` at a time. */
async function block(call: () => Promise<unknown>, count: number, atOnce: number): Promise<number> {
  const began = performance.now()
  let left = count
  const loop = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  return (performance.now() - began) / count
}

const bare = (script: string, output: 'pipe' | 'ignore' = 'pipe') =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', output, output] })
    child.stdout?.resume()
    child.stderr?.resume()
    child.on('close', resolve)
  })

async function compare(name: string, rounds: number, ours: () => Promise<number>, theirs: () => Promise<number>) {
  const times: [number, number][] = []
  for (let round = 0; round < rounds; round++) times.push([await theirs(), await ours()])
  const [their, our] = [median(times.map(([a]) => a)), median(times.map(([, b]) => b))]
  const ratio = median(times.map(([a, b]) => b / a))
  console.log(`speed, ${name}: yardstick ${their.toFixed(2)} ms, pool ${our.toFixed(2)} ms, x${ratio.toFixed(2)}`)
}

async function speed() {
  for (const atOnce of [1, 8]) {
    const ours = () => block(() => pool.run(job('true'), quiet), 100, atOnce)
    await compare(`true, ${atOnce} at once`, 15, ours, () => block(() => bare('true'), 100, atOnce))
  }
  const script = "head -c 256M /dev/zero | tr '\\0' x"
  const ours = () => block(() => pool.run(job(script), quiet), 1, 1)
  await compare('256 MiB', 5, ours, () => block(() => bare(`${script} | cat > /dev/null`, 'ignore'), 1, 1))
}

const drills = { flood, cancel, speed }
const chosen = process.argv.slice(2)
for (const [name, drill] of Object.entries(drills)) if (chosen.length === 0 || chosen.includes(name)) await drill()
await pool.close(0)
await spawner.close()
