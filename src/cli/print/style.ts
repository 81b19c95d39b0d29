import type { WriteStream } from 'node:tty'

/** How to print on a stream: its width, and functions that add colour if it is a terminal that shows colours. */
export interface Style {
  isTerminal: boolean
  /** Infinity: not a terminal, so that nothing is cut or wrapped */
  columns: number
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

/** The style of a stream. Node answers `hasColors` from NO_COLOR, FORCE_COLOR and TERM. */
export function styleOf(stream: WriteStream): Style {
  const isColoured = stream.isTTY && stream.hasColors()
  const paint = ([on, off]: readonly [number, number]) =>
    isColoured ? (text: string) => `\x1b[${on}m${text}\x1b[${off}m` : (text: string) => text
  return {
    isTerminal: stream.isTTY === true, // undefined for a pipe
    columns: stream.isTTY ? stream.columns : Infinity,
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
  }
}

/** Wraps words at `columns`; lines after the first begin at `indent`. */
export function wrap(text: string, columns: number, indent: number): string {
  let [lines, used] = ['', indent]
  for (const word of text.split(' ')) {
    const isFirst = used === indent
    const fits = used + word.length + (isFirst ? 0 : 1) <= columns
    if (fits || isFirst) {
      lines += isFirst ? word : ` ${word}`
      used += word.length + (isFirst ? 0 : 1)
    } else {
      lines += `\n${' '.repeat(indent)}${word}`
      used = indent + word.length
    }
  }
  return lines
}
