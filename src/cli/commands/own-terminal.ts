import type { Run } from '../../sdk/index.ts'

/** How large our terminal is. */
export const sizeOf = ({ rows = 24, columns = 80 } = process.stdout) => ({ rows, columns })

/** Whether there is a terminal at both ends. */
export const isTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY)

/** Typed at the beginning of a line, as with ssh: we leave, and it goes on. */
const LEAVING = '\r~.'

/** Our terminal's keys and its size go to the run's, as they are, until the returned function gives it back. */
export function lend(run: Run): () => void {
  const { stdin, stdout } = process
  let [before, held] = ['\r', ''] // the last key that was sent; what may be the beginning of LEAVING
  const type = (keys: Buffer) => {
    const typed = before + held + keys.toString('latin1')
    if (typed.endsWith(LEAVING)) return run.leave()
    held = typed.endsWith('\r~') ? '~' : ''
    const text = typed.slice(before.length, typed.length - held.length)
    before = text.at(-1) ?? before
    if (text !== '') void run.write(Buffer.from(text, 'latin1')).catch(() => {}) // it has ended: so do we, at once
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
  stdin.resume() // a question that was asked before has paused it
  stdout.on('resize', resize)
  process.once('exit', giveBack) // whatever ends us
  return giveBack
}
