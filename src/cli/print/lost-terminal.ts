import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'

const STANDARD_STREAMS = [0, 1, 2]

/**
 * Lets this process exit after its terminal was closed. At exit, Node restores the terminal's mode; if the terminal no longer exists, Node
 * aborts or never ends, unless the descriptors are closed.
 */
export function tolerateLostTerminal(): void {
  const terminals = STANDARD_STREAMS.filter((descriptor) => isatty(descriptor))
  process.once('exit', () => terminals.filter((descriptor) => !isatty(descriptor)).forEach(closeIfOpen))
}

function closeIfOpen(descriptor: number): void {
  try {
    closeSync(descriptor)
  } catch {
    // it is closed
  }
}
