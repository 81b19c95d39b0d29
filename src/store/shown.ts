import type { Collected, Shown, Stream } from '../schema/index.ts'
import { type EndLine, fromText } from './history-line.ts'
import { readKeptFile } from './kept-files.ts'
import type { Warnings } from './warnings.ts'

const none: Collected = { bytes: 0, lines: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) }

/** A run without output. */
export const nothingShown: Shown = { encoding: 'utf8', stdout: none, stderr: none }

/** A character of UTF-8 has at most 4 bytes. */
const BYTES_A_CHARACTER = 4

const fromLine = (text: Parameters<typeof fromText>[0] | undefined): Buffer | null =>
  text === undefined ? null : fromText(text)

/** What the files, or the line, hold of either end: as much as a reply can show. Throws where files were swept or damaged. */
const readEnds = async (line: EndLine, stream: Stream, read: (offset: number, length: number) => Promise<Buffer>) => {
  const { bytes, keptBytes, lines = 0 } = line.kept[stream]
  const ends = line.out?.[stream]
  const most = line.record.max_length * BYTES_A_CHARACTER
  const head = fromLine(ends?.head) ?? (await read(0, Math.min(keptBytes, most)))
  const left = bytes - head.length
  const tail = fromLine(ends?.tail) ?? (await read(bytes - Math.min(left, most), Math.min(left, most)))
  return { bytes, lines, head, tail: tail.subarray(Math.max(0, tail.length - left)) }
}

/** What the reply of an ended run was made of; null: it is no longer kept. */
export const readShown = async (folder: string | null, line: EndLine, warnings: Warnings): Promise<Shown | null> => {
  const readStream = async (stream: Stream): Promise<Collected | null> => {
    const { bytes, lines } = line.kept[stream]
    if (bytes === 0) return none
    if (line.kept.where !== 'line' && lines === undefined) return null
    const read = async (offset: number, length: number): Promise<Buffer> =>
      length === 0 ? Buffer.alloc(0) : readKeptFile(folder!, line, stream, offset, length, warnings)
    // what is left of swept files would make another reply
    return readEnds(line, stream, read).catch(() => null)
  }
  const [stdout, stderr] = [await readStream('stdout'), await readStream('stderr')]
  return stdout && stderr && { encoding: line.kept.encoding, stdout, stderr }
}
