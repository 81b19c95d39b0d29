import type { Stream } from '../schema/index.ts'
import { toRunOutput } from './follow.ts'
import { type EndLine, fromText } from './history-line.ts'
import { readKeptFile } from './kept-files.ts'
import { createOrderList } from './order-list.ts'
import { checkOffset, MAX_READ_BYTES, notKept, type RunOutput, readOrExpired, type StreamSummary } from './output.ts'
import type { Warnings } from './warnings.ts'

type Sizes = Record<Stream, Pick<StreamSummary, 'bytes' | 'keptBytes'>>

const toOutput = (sizes: Sizes, lengths: number[], readKept: RunOutput['read']): RunOutput =>
  toRunOutput({
    order: createOrderList(lengths, true),
    end: (stream) => sizes[stream].bytes,
    keptBytes: (stream) => sizes[stream].keptBytes,
    available: (stream, offset) => (offset < sizes[stream].keptBytes ? offset : sizes[stream].bytes),
    read: async (stream, offset, limit) => {
      const { bytes, keptBytes } = sizes[stream]
      checkOffset(offset, bytes)
      if (offset === bytes) return Buffer.alloc(0)
      if (offset >= keptBytes) throw notKept(stream, keptBytes)
      return readKept(stream, offset, Math.min(limit, MAX_READ_BYTES, keptBytes - offset))
    },
    changed: () => null,
    finished: () => true,
  })

/** The output of an ended run: in its line, in files (EXPIRED when they were swept), or not kept. */
export const endedOutput = (folder: string | null, line: EndLine, warnings: Warnings): RunOutput => {
  const { e: id, kept, out } = line
  const order = out?.order ?? []
  if (kept.where === 'file' && folder !== null) {
    return toOutput(kept, order, (stream, offset, limit) =>
      readOrExpired(id, readKeptFile(folder, line, stream, offset, limit, warnings)),
    )
  }
  const isKept = kept.where === 'line'
  const sizeOf = ({ bytes }: StreamSummary) => ({ bytes, keptBytes: isKept ? bytes : 0 })
  const bytesOf = (stream: Stream): Buffer => fromText(out?.[stream]?.head ?? '')
  return toOutput({ stdout: sizeOf(kept.stdout), stderr: sizeOf(kept.stderr) }, order, async (stream, offset, limit) =>
    bytesOf(stream).subarray(offset, offset + limit),
  )
}
