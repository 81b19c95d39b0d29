import { getSystemErrorMap } from 'node:util'

/** The exit code after the reader has closed the output: that of a program that SIGPIPE ended. */
export const OUTPUT_CLOSED = 141

/** Whether an error of a write means that the reader has closed the output. */
export const isClosedOutput = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE'

/**
 * Says once why stdout cannot be written, unless its reader has closed it. A subcommand that listens for 'error' itself then ends in its own way; any other one ends at
 * once, with the code that `failedCode` returns.
 */
export function endOnWriteError(failedCode: () => number): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    const isClosed = isClosedOutput(error)
    if (!isClosed) console.error(`shellphone: write error: ${reasonOf(error)}`)
    if (process.stdout.listenerCount('error') === 0) process.exit(isClosed ? OUTPUT_CLOSED : failedCode())
  })
}

/** The reason as other programs print it, such as `No space left on device`. */
function reasonOf({ errno = 0, message }: NodeJS.ErrnoException): string {
  const [, text = message] = getSystemErrorMap().get(errno) ?? []
  return text.charAt(0).toUpperCase() + text.slice(1)
}
