import type { Stream } from '../schema/index.ts'
import { toRunOutput } from './follow.ts'
import { createOrderList } from './order-list.ts'
import {
  checkOffset,
  MAX_READ_BYTES,
  notKept,
  type RunOutput,
  readOrExpired,
  type SmallOutput,
  type StreamSummary,
} from './output.ts'
import { readOrderFile, readRunFile } from './run-files.ts'

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

/** The output of an ended run that lies in its history line. */
export const smallOutput = (sizes: Sizes, small: SmallOutput): RunOutput =>
  toOutput(sizes, small.order, async (stream, offset, limit) => small[stream].subarray(offset, offset + limit))

/** The output of an ended run that lies in files; reading it is EXPIRED when they were swept. */
export const fileOutput = async (folder: string, id: string, sizes: Sizes): Promise<RunOutput> =>
  toOutput(sizes, await readOrderFile(folder, id), (stream, offset, limit) =>
    readOrExpired(id, readRunFile(folder, id, stream, offset, limit)),
  )

/** The output of an ended run of which nothing was kept. */
export const unkeptOutput = (sizes: Sizes): RunOutput => {
  const { stdout, stderr } = sizes
  const unkept = { stdout: { bytes: stdout.bytes, keptBytes: 0 }, stderr: { bytes: stderr.bytes, keptBytes: 0 } }
  return smallOutput(unkept, { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), order: [] })
}
