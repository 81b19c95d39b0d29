import { note, type Stream, toIso, type RunSummary } from '../../shared/schema/index.ts'
import { BLOCK_BYTES, BlockSums, DIGITS } from './block-sums.ts'
import { type EndLine, parseBegun, toEndLine } from './history-line.ts'
import { readPiece, readSums, runFileBytes } from './run-files.ts'
import { MAX_WRITE_BYTES } from './spool.ts'
import type { StreamSummary } from './spool-stream.ts'
import type { Warnings } from './warnings.ts'

/** Maximum number of bytes without a checksum: one write plus the block in which it starts. */
const MAX_UNSEALED_BYTES = MAX_WRITE_BYTES + BLOCK_BYTES

/** The end line of a run that a crash interrupted; null if its begin line cannot be read. `folder`: the folder of output files. */
export function endCutOff(line: Buffer, folder: string, nowMs: number, warnings: Warnings): EndLine | null {
  const begun = parseBegun(line)
  if (begun === null) return null
  const toSummary = (stream: Stream) => summaryOf(begun.id, stream, folder, warnings)
  const [stdout, stderr] = [toSummary('stdout'), toSummary('stderr')]
  const bytes = stdout.bytes + stderr.bytes
  const record: RunSummary = {
    ...begun,
    status: 'failed',
    exit_code: -1,
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    truncated: bytes > 0,
    ended_at: toIso(nowMs),
    notes: [...begun.notes, note('SERVICE_STOPPED')],
  }
  const where = bytes > 0 ? 'file' : 'line'
  const { out, ...rest } = toEndLine(record, { stdout, stderr, order: [], where, notes: [], small: null }, null)
  return { ...rest, cutOff: true, out }
}

/** Summarises the file of a stream. Computes the missing checksums of the last blocks from their current content; too many or too few such blocks mean a loss. */
function summaryOf(id: string, stream: Stream, folder: string, warnings: Warnings): StreamSummary {
  const bytes = runFileBytes(folder, id, stream)
  const summary = { bytes, keptBytes: bytes, sha256: null }
  try {
    const sums = readSums(folder, id, stream)
    const unsealed = bytes - ((sums?.length ?? 0) / DIGITS) * BLOCK_BYTES
    if (sums === null && unsealed > MAX_UNSEALED_BYTES) return summary
    if (unsealed >= 0 && unsealed <= MAX_UNSEALED_BYTES) {
      const rest = new BlockSums()
      if (unsealed > 0) rest.add(readPiece(folder, id, stream, bytes - unsealed, unsealed))
      return { ...summary, sums: (sums ?? '') + rest.text() }
    }
    warnings.count('DAMAGED_OUTPUTS', 1, id)
    return { ...summary, sums: sums ?? '' }
  } catch (error) {
    warnings.set('CUT_OFF_UNCHECKED', error)
    return summary
  }
}
