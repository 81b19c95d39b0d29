import type { Stream } from '../schema/index.ts'
import { toRunOutput } from './follow.ts'
import { type EndLine, fromText } from './history-line.ts'
import { createOrderList } from './order-list.ts'
import { checkOffset, MAX_READ_BYTES, notKept, type RunOutput, readOrExpired, type StreamSummary } from './output.ts'
import { readRunFile } from './run-files.ts'

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

const inLine = (bytes: number) => ({ bytes, keptBytes: bytes })

/** The output of an ended run: in its line, in files (EXPIRED when they were swept), or not kept. */
export const endedOutput = (folder: string | null, { e: id, kept, out }: EndLine): RunOutput => {
  const order = out?.order ?? []
  const { stdout, stderr } = kept
  if (kept.where === 'file' && folder !== null) {
    return toOutput(kept, order, (stream, offset, limit) =>
      readOrExpired(id, readRunFile(folder, id, stream, offset, limit)),
    )
  }
  const lost = kept.where === 'line' ? {} : { keptBytes: 0 }
  const sizes = { stdout: { ...inLine(stdout.bytes), ...lost }, stderr: { ...inLine(stderr.bytes), ...lost } }
  const bytesOf = (stream: Stream): Buffer => fromText(out?.[stream]?.head ?? '')
  return toOutput(sizes, order, async (stream, offset, limit) => bytesOf(stream).subarray(offset, offset + limit))
}
