import { createInterface } from 'node:readline'
import type { ReadStream } from 'node:tty'

/** Ctrl-C, Ctrl-D and q leave the view. */
const leaving = ['\x03', '\x04', 'q', 'Q']

/**
 * A person's answers: single keys from a terminal, lines (`y`, `n`, `a`, each with an id or without) from anything else. The end of
 * a pipe is no answer and no end: the view goes on showing. Returns what stops the reading and gives the terminal back.
 */
export function readAnswers(input: ReadStream, answer: (word: string) => void, quit: () => void): () => void {
  const take = (word: string) => (leaving.includes(word) ? quit() : answer(word))
  return input.isTTY ? readKeys(input, take) : readLines(input, take)
}

function readKeys(input: ReadStream, take: (key: string) => void): () => void {
  // a pasted text, or the codes of an arrow key, come as one piece of several characters: no answer
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
