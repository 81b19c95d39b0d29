/**
 * Long drills of the store. Prints figures.
 *
 *     npx tsx scripts/drills/drill-store.ts [crash|rot|overhead|readers|sweep] [rounds]
 *
 * crash: kill -9 during 20 runs, 200 times. rot: one flipped, cut or deleted piece of a home, 300 times. overhead: the cost of a short run.
 * readers: 50 readers of one large output, 45 of them stalled. sweep: 1000 runs with a limit on stored output.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { createStore, newRunId, type Spool, type Store } from '../../src/server/store/index.ts'
import { crash } from '../../test/server/store/crash.ts'
import { rot } from '../../test/server/store/rot.ts'
import { MIB, options, run } from '../../test/server/store/world.ts'

const print = (text: string): void => console.log(text)

const inFolder = async <T>(work: (directory: string) => Promise<T>): Promise<T> => {
  const directory = mkdtempSync(path.join(tmpdir(), 'shellphone-drill-'))
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const percentile = (sorted: number[], share: number): string => sorted[Math.floor(sorted.length * share)]!.toFixed(1)

const timeRuns = async (store: Store, count: number): Promise<number[]> => {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const startMs = performance.now()
    await run(store, [['stdout', Buffer.from('hello world\n')]])
    times.push((performance.now() - startMs) * 1000)
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return times.sort((a, b) => a - b)
}

const overhead = (): Promise<void> =>
  inFolder(async (directory) => {
    for (const enabled of [false, true]) {
      const store = createStore(options(path.join(directory, String(enabled)), { enabled }))
      await timeRuns(store, 500)
      const times = await timeRuns(store, 10_000)
      print(`overhead, enabled ${enabled}: p50 ${percentile(times, 0.5)} µs, p99 ${percentile(times, 0.99)} µs a run`)
      store.close()
    }
    const startMs = performance.now()
    const store = createStore(options(path.join(directory, 'true')))
    print(`opening 10 500 records: ${(performance.now() - startMs).toFixed(1)} ms`)
    const searchMs = performance.now()
    await store.history.list({ limit: 50, q: 'nothing has this' })
    print(`a search of all records: ${(performance.now() - searchMs).toFixed(1)} ms`)
    store.close()
  })

const flood = (bytes: number): ChildProcessByStdio<null, Readable, null> =>
  spawn('head', ['-c', String(bytes), '/dev/zero'], { stdio: ['ignore', 'pipe', 'ignore'] })

const pour = async (child: ReturnType<typeof flood>, spool: Spool | null): Promise<number> => {
  const startMs = performance.now()
  const take = async (chunk: Buffer) => {
    const room = spool?.append('stdout', chunk)
    if (!room) return
    child.stdout.pause()
    await room
    child.stdout.resume()
  }
  child.stdout.on('data', (chunk: Buffer) => void take(chunk))
  await new Promise((resolve) => child.on('close', resolve))
  await spool?.finish()
  return performance.now() - startMs
}

const readAll = async (spool: Spool): Promise<number> => {
  let total = 0
  for await (const { data } of spool.follow({ stdout: 0, stderr: 0 })) total += data.length
  return total
}

const readers = (): Promise<void> =>
  inFolder(async (directory) => {
    const bytes = 256 * MIB
    const store = createStore(options(directory, { maxRunSpoolBytes: bytes }))
    const aloneMs = await pour(flood(bytes), null)
    const spooledMs = await pour(flood(bytes), store.spool(newRunId(Date.now())))
    const spool = store.spool(newRunId(Date.now()))
    for (let index = 0; index < 45; index++) void spool.follow({ stdout: 0, stderr: 0 })[Symbol.asyncIterator]().next()
    const five = Array.from({ length: 5 }, () => readAll(spool))
    let mostBytes = 0
    const watch = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage().rss)
    }, 5)
    const watchedMs = await pour(flood(bytes), spool)
    clearInterval(watch)
    const whole = (await Promise.all(five)).filter((total) => total === bytes).length
    print(
      `256 MiB: read and dropped ${aloneMs.toFixed(0)} ms, spooled ${spooledMs.toFixed(0)} ms, with 50 readers ${watchedMs.toFixed(0)} ms`,
    )
    print(
      `ratio with readers to without: ${(watchedMs / spooledMs).toFixed(2)}; ${whole} of 5 got every byte; most resident ${(mostBytes / MIB).toFixed(0)} MiB`,
    )
    store.close()
  })

const sweep = (): Promise<void> =>
  inFolder(async (directory) => {
    const store = createStore(options(directory, { maxSpoolBytes: 64 * MIB }))
    const startMs = performance.now()
    let mostBytes = 0
    for (let index = 0; index < 1000; index++) {
      await run(store, [['stdout', Buffer.alloc(Math.ceil(Math.random() * MIB), index)]])
      mostBytes = Math.max(mostBytes, store.spoolBytes())
    }
    print(
      `1000 runs of up to 1 MiB under a limit of 64 MiB: at most ${(mostBytes / MIB).toFixed(1)} MiB, ${(performance.now() - startMs).toFixed(0)} ms`,
    )
    store.close()
  })

const crashes = (rounds: number): Promise<void> =>
  inFolder(async (directory) => {
    const figures = await crash(directory, rounds, print)
    print(JSON.stringify(figures))
    if (figures.wrong.length > 0) process.exitCode = 1
  })

const rots = (rounds: number): Promise<void> =>
  inFolder(async (directory) => {
    const figures = await rot(directory, rounds, print)
    print(JSON.stringify(figures))
    if (figures.wrong.length > 0) process.exitCode = 1
  })

const [only, rounds] = process.argv.slice(2)
const drills: Record<string, () => Promise<void>> = {
  overhead,
  readers,
  sweep,
  crash: () => crashes(Number(rounds ?? 200)),
  rot: () => rots(Number(rounds ?? 300)),
}

for (const [name, drill] of Object.entries(drills)) if (only === undefined || only === name) await drill()
