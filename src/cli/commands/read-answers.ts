import { createInterface } from 'node:readline'
import type { ReadStream } from 'node:tty'

/** The keys that leave the view: Ctrl-C, Ctrl-D and q. */
const leaving = ['\x03', '\x04', 'q', 'Q']

/**
 * Reads a person's answers: single keys from a terminal, or lines (`y`, `n` or `a`, optionally with an id) from any other input, whose end it
 * reports with `end`. Returns a function that stops reading and restores the terminal.
 */
export function readAnswers(
  input: ReadStream,
  { answer, quit, end }: { answer(word: string): void; quit(): void; end(): void },
): () => void {
  const take = (word: string) => (leaving.includes(word) ? quit() : answer(word))
  return input.isTTY ? readKeys(input, take) : readLines(input, take, end)
}

function readKeys(input: ReadStream, take: (key: string) => void): () => void {
  // ignores pasted text and arrow keys, which arrive as several characters at once
  const onData = (piece: Buffer) => void (piece.length === 1 && take(piece.toString()))
  input.setRawMode(true)
  input.on('data', onData)
  return () => {
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
  }
}

function readLines(input: ReadStream, take: (line: string) => void, end: () => void): () => void {
  const lines = createInterface({ input })
  lines.on('line', (line) => take(line.trim()))
  lines.on('close', end)
  return () => {
    lines.off('close', end)
    lines.close()
    input.destroy()
  }
}
