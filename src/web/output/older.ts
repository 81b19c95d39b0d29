import type { Blocks } from './line-blocks.ts'
import { createReader } from './reader.ts'
import type { Stream } from './text-style.ts'

/** The byte that ends a line. */
export const NEW_LINE = 10

/** A part of one stream, read from the service again. */
export interface StreamPart {
  blocks: Blocks
  stream: Stream
  /** where the part ends, in bytes of the stream */
  to: number
  /** whether it ended where the output ended when it was read */
  isLast: boolean
  /** index of the line at the requested position */
  line: number
}

/** A part of the output with its description. */
export interface OlderPart extends StreamPart {
  /** which part of the output it is */
  text: string
}

/** The number of the line at the end of an older part, which may end in the middle of a line; null: unknown. */
export function numberAfter({ all, firstNumber, count, isMixed }: Blocks): number | null {
  if (firstNumber === null || isMixed) return null
  return firstNumber + count - (all.at(-1)!.lines.at(-1)?.hasBreak ? 0 : 1)
}

/** Returns a function that decodes the bytes of a stream into lines; pass null after the last bytes. */
export function createDecoder(stream: Stream, blocks: Blocks): (bytes: Uint8Array | null) => void {
  const decoder = new TextDecoder()
  const read = createReader(stream, blocks.sinkOf(stream))
  return (bytes) => read(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode())
}
