import { codeOfSignal } from './exit-code.ts'

/**
 * Makes this process die by a signal that it has received, when it exits: a shell that waits for it then ends its loop or script too, which it
 * would continue after an exit with 130. The exit code is for a process that no signal can end, such as the first one in a container.
 */
export function endBySignal(signal: NodeJS.Signals): void {
  process.exitCode = codeOfSignal(signal)
  process.once('exit', () => {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
