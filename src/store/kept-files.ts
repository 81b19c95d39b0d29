import { ShellphoneError, type Stream } from '../schema/index.ts'
import { readChecked } from './block-sums.ts'
import type { EndLine } from './history-line.ts'
import { readRunFile } from './run-files.ts'
import type { Warnings } from './warnings.ts'

/** Reads of an ended run's file, block by block against their checksums. Throws as fs does; EXPIRED where they do not match. */
export const readKeptFile = async (
  folder: string,
  { e: id, kept, out }: EndLine,
  stream: Stream,
  offset: number,
  length: number,
  warnings: Warnings,
): Promise<Buffer> => {
  const read = (from: number, bytes: number): Promise<Buffer> => readRunFile(folder, id, stream, from, bytes)
  const sums = out?.sums?.[stream]
  // nobody sealed what a crash cut off
  if (sums === undefined) return read(offset, length)
  const bytes = await readChecked(read, { sums, total: kept[stream].keptBytes }, offset, length)
  if (bytes !== null) return bytes
  warnings.count('outputs are damaged', 1, id)
  throw new ShellphoneError('EXPIRED', `The output of run ${id} is damaged on the disk: ${stream}, at byte ${offset}`)
}
