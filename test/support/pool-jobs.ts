/** Shared by the fast and the slow suite of the pool: jobs, sinks, and a count of leftover processes. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Job, Outcome, Pool, PoolLimits, Sink } from '../../src/server/pool/index.ts'
import { type Child, MARK_NAME, type SpawnRequest } from '../../src/shared/schema/index.ts'
import { bothSpawners, request } from './spawn/harness.ts'

/** The spawners, each of which must pass the whole suite. */
export const { each } = await bothSpawners()

export const limits: PoolLimits = {
  maxRunning: 8,
  maxQueued: 256,
  maxQueueWaitMs: 60_000,
  killGraceMs: 2000,
  timeoutGraceMs: 500,
  backgroundProcesses: 'end',
  drainMs: 100,
  leftBehindGraceMs: 100,
  platform: 'linux',
}
const home = `pooltest${process.pid}`
let runs = 0

type JobOptions = Partial<Omit<Job, 'spawn'>> & { stdin?: SpawnRequest['stdin']; shell?: string }

export function job(script: string, { stdin = 'null', shell = '/bin/sh', ...more }: JobOptions = {}): Job {
  const mark = `${home}.now.${++runs}`
  return {
    spawn: request(script, { mark, stdin, shell }),
    sharer: null,
    timeoutMs: 3_600_000,
    headBytes: 25_000,
    tailBytes: 25_000,
    signal: new AbortController().signal,
    ...more,
  }
}

export const quiet: Sink = { onStatus: () => {}, output: { append: () => {} } }

/** Resolves when the script has printed `word`. */
export function watch(word: string) {
  let seen = ''
  let child: Child | undefined
  let resolve: (child: Child) => void
  const printed = new Promise<Child>((settle) => {
    resolve = settle
  })
  const sink: Sink = {
    onStatus: (_, started) => {
      child = started
    },
    output: {
      append: (_, chunk) => {
        seen += chunk
        if (seen.includes(word)) resolve(child!)
      },
    },
  }
  return { sink, printed }
}

export const brief = ({ ending, exitCode, signal }: Outcome) => ({ ending, exitCode, signal })
export const text = (outcome: Outcome, stream: 'stdout' | 'stderr' = 'stdout') =>
  Buffer.concat([outcome[stream].head, outcome[stream].tail]).toString()

/** The outcome with the first deadline that was long enough for the script to print `printed`. */
export async function atDeadline(pool: Pool, script: string, printed: string) {
  for (const timeoutMs of [300, 3000]) {
    const outcome = await pool.run(job(script, { timeoutMs }), quiet)
    if (text(outcome) === printed) return { outcome, timeoutMs }
  }
  const timeoutMs = 60_000
  return { outcome: await pool.run(job(script, { timeoutMs }), quiet), timeoutMs }
}

/** The number of live processes of this test file's runs. */
export async function countMarked(): Promise<number> {
  const script = `grep -lz "^${MARK_NAME}=${home}[.]" /proc/[0-9]*/environ 2>/dev/null | wc -l`
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script])
  return Number(stdout)
}
