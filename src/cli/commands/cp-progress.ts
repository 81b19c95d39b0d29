import type { WriteStream } from 'node:tty'
import type { CopyProgress } from '../../sdk/client-node.ts'
import { visible } from '../../shared/schema/index.ts'

const EVERY_MS = 250
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A line that shows the progress of a transfer on a terminal. */
interface Progress extends CopyProgress {
  /** of the current file */
  bytes(): number
  /** Shows from now on whether the transfer waits for approval, in place of its rate. */
  waits(isWaiting: boolean): void
  /** Prints a message in place of the line, which follows with the next bytes. */
  print(text: string): void
  /** Ends the line. `isDone`: the file is copied; otherwise the line says how far it came. */
  end(isDone: boolean): void
}

export function createProgress(output: WriteStream, isQuiet: boolean): Progress {
  const isShown = output.isTTY && !isQuiet
  let [name, total, bytes, began, shownAt, isWaiting] = ['', null as number | null, 0, 0, 0, false]
  const show = (end?: 'done' | 'stopped') => {
    shownAt = performance.now()
    const seconds = (shownAt - began) / 1000
    const share = total ? `${Math.floor((bytes / total) * 100)}% ` : ''
    const rate = seconds > 0.2 ? `${sized(bytes / seconds)}/s` : ''
    const remaining = total && bytes > 0 ? `${Math.ceil((seconds / bytes) * (total - bytes))} s left` : ''
    const left = end === 'done' ? `${seconds.toFixed(1)} s` : remaining
    const sent = bytes > 0 ? `${(share || sized(bytes)).trim()} sent, ` : ''
    const waiting = `${sent}waiting for approval`
    const running = isWaiting && end === undefined ? waiting : `${share}${sized(bytes)}  ${rate}  ${left}`
    const state = end === 'stopped' ? `${share}${sized(bytes)}  stopped` : running
    const line = `${visible(name)}  ${state}`
    output.write(`\r\x1b[K${line.slice(0, (output.columns || 80) - 1)}`)
  }
  return {
    begin(next, size) {
      ;[name, total, bytes, began] = [next, size, 0, performance.now()]
    },
    at(now) {
      bytes = now
      if (isShown && performance.now() - shownAt > EVERY_MS) show()
    },
    bytes: () => bytes,
    waits(isNow) {
      const hasChanged = isWaiting !== (isWaiting = isNow)
      if (isShown && name !== '' && (isNow || hasChanged)) show()
    },
    print(text) {
      if (isShown) output.write('\r\x1b[K')
      console.error(`shellphone: ${text}`)
    },
    end(isDone) {
      if (!isShown || name === '') return
      // the last byte has been sent, but is not stored: a percentage would say that it is
      if (!isDone && (bytes === total || bytes === 0)) output.write('\r\x1b[K')
      else {
        show(isDone ? 'done' : 'stopped')
        output.write('\n')
      }
      name = ''
    },
  }
}

function sized(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
