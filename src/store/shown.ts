import type { Collected, Shown, Stream } from '../schema/index.ts'
import { type EndLine, fromText } from './history-line.ts'
import { readRunFile } from './run-files.ts'

const none: Collected = { bytes: 0, lines: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) }

/** A run without output. */
export const nothingShown: Shown = { encoding: 'utf8', stdout: none, stderr: none }

/** A character of UTF-8 has at most 4 bytes. */
const BYTES_A_CHARACTER = 4

const fromLine = (text: Parameters<typeof fromText>[0] | undefined): Buffer | null =>
  text === undefined ? null : fromText(text)

/** What the file, or the line, holds of either end: as much as a reply can show. Throws where the file was swept or cut. */
const readEnds = async (folder: string | null, { record, kept, out }: EndLine, stream: Stream): Promise<Collected> => {
  const { bytes, keptBytes, lines = 0 } = kept[stream]
  const most = record.max_length * BYTES_A_CHARACTER
  const read = async (offset: number, length: number): Promise<Buffer> => {
    if (length === 0) return Buffer.alloc(0)
    const part = await readRunFile(folder!, record.id, stream, offset, length)
    if (part.length === length) return part
    throw new Error('the file was cut')
  }
  const head = fromLine(out?.[stream]?.head) ?? (await read(0, Math.min(keptBytes, most)))
  const left = bytes - head.length
  const tail = fromLine(out?.[stream]?.tail) ?? (await read(bytes - Math.min(left, most), Math.min(left, most)))
  return { bytes, lines, head, tail: tail.subarray(Math.max(0, tail.length - left)) }
}

const readStream = async (folder: string | null, line: EndLine, stream: Stream): Promise<Collected | null> => {
  const { bytes, lines } = line.kept[stream]
  if (bytes === 0) return none
  const isKnown = line.kept.where === 'line' || lines !== undefined
  // what is left of a swept file would make another reply
  return isKnown ? readEnds(folder, line, stream).catch(() => null) : null
}

/** What the reply of an ended run was made of; null: it is no longer kept. */
export const readShown = async (folder: string | null, line: EndLine): Promise<Shown | null> => {
  const stdout = await readStream(folder, line, 'stdout')
  const stderr = await readStream(folder, line, 'stderr')
  return stdout && stderr && { encoding: line.kept.encoding, stdout, stderr }
}
