import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../../sdk/index.ts'
import { createEscapes, ESCAPE_HELP } from './escape-keys.ts'

/** The size of our terminal. */
export const sizeOf = ({ rows = 24, columns = 80 } = process.stdout) => ({ rows, columns })

/** Whether stdin and stdout are both terminals. */
export const isTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY)

/** Before it leaves, the client waits this long for a program to read what was typed. */
const FLUSH_MS = 2000

/** Sends the keys and the size of our terminal to the run. The returned function stops this and restores the terminal. */
export function connectTerminal(run: Run): () => void {
  const { stdin, stdout } = process
  const take = createEscapes({
    send: (text) => void run.write(Buffer.from(text, 'latin1')).catch(() => {}), // the run has ended, and this process will end too
    leave: () => void leave(),
    help: () => void stdout.write(['', ...ESCAPE_HELP, ''].join('\r\n')),
  })
  const type = (keys: Buffer) => take(keys.toString('latin1'))
  const leave = async () => {
    stdin.off('data', type)
    await Promise.race([run.flush(), sleep(FLUSH_MS, undefined, { ref: false })])
    run.leave()
  }
  const resize = () => void run.resize(sizeOf()).catch(() => {}) // the run has ended
  const giveBack = () => {
    stdin.setRawMode(false)
    stdin.off('data', type)
    stdin.pause()
    stdout.off('resize', resize)
    process.off('exit', giveBack)
  }
  stdin.setRawMode(true)
  stdin.on('data', type)
  stdin.resume() // an earlier prompt may have paused it
  stdout.on('resize', resize)
  resize() // another client may have opened the terminal, with its own size; full-screen programs also draw again
  process.once('exit', giveBack) // restores the terminal however the process ends
  return giveBack
}
