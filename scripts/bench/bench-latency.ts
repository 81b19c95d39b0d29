import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Contender } from './bench-contenders.ts'

/** In each of `rounds` rounds, every contender runs a block of commands, one after another on each of `atOnce` connections. */
export interface Phase {
  rounds: number
  perBlock: number
  atOnce: number
  /** the pause before each command */
  gapMs?: number
}

/** The times of one contender: milliseconds for each command, and for all its blocks. */
export interface Taken {
  name: string
  times: number[]
  wallMs: number
}

export const percentile = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!
export const median = (times: number[]) => percentile(times, 0.5)
const perSecond = ({ times, wallMs }: Taken) => (times.length / wallMs) * 1000

/** Measures in a small separate process. Returns one list of contenders for each phase. */
export async function measure(contenders: Contender[], phases: Phase[]): Promise<Taken[][]> {
  const client = fileURLToPath(new URL('bench-client.mjs', import.meta.url))
  const job = {
    contenders: contenders.map(({ name, port, message, token }) => ({ name, port, message, token })),
    phases,
  }
  const options = { maxBuffer: 1 << 28 }
  const { stdout } = await promisify(execFile)(process.execPath, [client, JSON.stringify(job)], options)
  return JSON.parse(stdout) as Taken[][]
}

/** The figures of a contender, compared with those of the baseline, which is the first contender. */
function toCells(taken: Taken, yardstick: Taken, atOnce: number): string[] {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(taken.times, share)) as [number, number]
  const ratio = (own: number, bare: number) => `×${(own / bare).toFixed(2)}`
  return [
    `${p50.toFixed(2)} ms`,
    ratio(p50, median(yardstick.times)),
    ratio(p99, percentile(yardstick.times, 0.99)),
    atOnce === 1 ? '' : ratio(perSecond(taken), perSecond(yardstick)),
  ]
}

/** Prints one table row for each contender. */
export function printPhase(what: string, phase: Phase, taken: Taken[]): void {
  for (const one of taken) {
    console.log(`| ${[what, phase.atOnce, one.name, ...toCells(one, taken[0]!, phase.atOnce)].join(' | ')} |`)
  }
}
