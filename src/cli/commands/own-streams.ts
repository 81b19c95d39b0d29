import { fstatSync, statSync } from 'node:fs'
import { isClosedOutput } from '../print/index.ts'
import type { OutputEvent, Run } from '../../sdk/index.ts'

const STDIN = 0

/** Whether stdin is open and neither a terminal nor /dev/null. */
export function hasStdin(): boolean {
  if (process.stdin.isTTY) return false
  try {
    const { rdev } = fstatSync(STDIN)
    return rdev === 0 || rdev !== statSync('/dev/null').rdev
  } catch {
    return false // stdin is closed
  }
}

/** Sends our stdin to the run, byte for byte, as fast as the run reads it, until stdin or the run ends. Never rejects. */
export async function sendStdin(run: Run): Promise<void> {
  try {
    for await (const chunk of process.stdin) await run.write(chunk)
    run.end()
  } catch {
    // the command has ended or stopped reading, which is no error, just as in a pipe
  }
  process.stdin.destroy()
}

/** Our output cannot be written. `isClosed`: because its reader has closed it. */
export class OutputError extends Error {
  readonly isClosed: boolean
  constructor(cause: Error) {
    super('write error', { cause })
    this.isClosed = isClosedOutput(cause)
  }
}

/** Writes output to our own stream of the same name. Resolves when the stream has accepted it; rejects with OutputError. */
export const writeOutput = ({ stream, bytes }: OutputEvent): Promise<void> => writeOut(stream, bytes)

/** Without a listener, an 'error' event would end the process. The callback of the write reports the error. */
function ignoreStreamError(): void {}

/** Like `writeOutput`, for other bytes. */
export function writeOut(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
  const out = process[stream]
  if (!out.listeners('error').includes(ignoreStreamError)) out.on('error', ignoreStreamError)
  return new Promise((resolve, reject) => {
    out.write(bytes, (error) => (error ? reject(new OutputError(error)) : resolve()))
  })
}
