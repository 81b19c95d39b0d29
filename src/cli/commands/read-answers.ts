import { createInterface } from 'node:readline'
import type { ReadStream } from 'node:tty'

/** Ctrl-C, Ctrl-D and q leave the view. */
const leaving = ['\x03', '\x04', 'q', 'Q']

/**
 * A person's answers: single keys from a terminal, lines (`y`, `n`, `a`, each with an id or without) from anything else. The end
 * of a pipe answers nothing, and the view continues. Returns a function that stops reading and restores the terminal.
 */
export function readAnswers(input: ReadStream, answer: (word: string) => void, quit: () => void): () => void {
  const take = (word: string) => (leaving.includes(word) ? quit() : answer(word))
  return input.isTTY ? readKeys(input, take) : readLines(input, take)
}

function readKeys(input: ReadStream, take: (key: string) => void): () => void {
  // pasted text and arrow keys arrive as several characters at once and are ignored
  const onData = (piece: Buffer) => void (piece.length === 1 && take(piece.toString()))
  input.setRawMode(true)
  input.on('data', onData)
  return () => {
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
  }
}

function readLines(input: ReadStream, take: (line: string) => void): () => void {
  const lines = createInterface({ input })
  lines.on('line', (line) => take(line.trim()))
  return () => {
    lines.close()
    input.destroy()
  }
}
