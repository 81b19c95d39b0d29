import { fstatSync, statSync } from 'node:fs'
import type { OutputEvent, Run } from '../../sdk/index.ts'

const STDIN = 0

/** Whether there is something to feed: neither a terminal nor /dev/null. */
export function hasStdin(): boolean {
  if (process.stdin.isTTY) return false
  try {
    const { rdev } = fstatSync(STDIN)
    return rdev === 0 || rdev !== statSync('/dev/null').rdev
  } catch {
    return false // it is closed
  }
}

/** Feeds our stdin to the run, byte for byte, as fast as it reads; ends with either. */
export async function feed(run: Run): Promise<void> {
  try {
    for await (const chunk of process.stdin) await run.write(chunk)
    run.end()
  } catch {
    // the command has ended, or reads no more: as with a pipe, that is no trouble of ours
  }
  process.stdin.destroy()
}

/** The reader of our output has gone. */
export class BrokenPipe extends Error {}

/** Writes output to our own stream of that name; done when it is taken. Throws BrokenPipe. */
export const pass = ({ stream, bytes }: OutputEvent): Promise<void> => writeOut(stream, bytes)

/** An 'error' that nobody listens to ends the process. */
function toldToTheWrite(): void {}

/** The same for bytes of our own. */
export function writeOut(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
  const out = process[stream]
  if (!out.listeners('error').includes(toldToTheWrite)) out.on('error', toldToTheWrite)
  return new Promise((resolve, reject) => {
    out.write(bytes, (error) => (error ? reject(new BrokenPipe()) : resolve()))
  })
}
