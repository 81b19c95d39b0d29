import type { Run } from '../../sdk/index.ts'

/** The size of our terminal. */
export const sizeOf = ({ rows = 24, columns = 80 } = process.stdout) => ({ rows, columns })

/** Whether stdin and stdout are both terminals. */
export const isTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY)

/** Typed at the beginning of a line, it detaches and leaves the terminal running, as in ssh. */
const ESCAPE_SEQUENCE = '\r~.'

/** Sends the keys and the size of our terminal to the run. The returned function stops this and restores the terminal. */
export function connectTerminal(run: Run): () => void {
  const { stdin, stdout } = process
  let [before, held] = ['\r', ''] // the last key sent, and a key that may begin the escape sequence
  const type = (keys: Buffer) => {
    const typed = before + held + keys.toString('latin1')
    if (typed.endsWith(ESCAPE_SEQUENCE)) return run.leave()
    held = typed.endsWith('\r~') ? '~' : ''
    const text = typed.slice(before.length, typed.length - held.length)
    before = text.at(-1) ?? before
    if (text !== '') void run.write(Buffer.from(text, 'latin1')).catch(() => {}) // the run has ended, and this process will end too
  }
  const resize = () => void run.resize(sizeOf()).catch(() => {})
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
  process.once('exit', giveBack) // restores the terminal however the process ends
  return giveBack
}
