import { inBytes, type Range } from '../../http/index.ts'
import { ShellphoneError, type Stream } from '../../shared/schema/index.ts'
import type { RunOutput } from '../exec/index.ts'

/** The part of a stream that a response contains. */
export interface OutputSlice {
  from: number
  to: number
  total: number
  isFinished: boolean
}

/**
 * The part of a stream that can be read now. Throws OUT_OF_RANGE if a range begins after the end, and EXPIRED if a request for all of the
 * rest would get only a part, because some bytes were not stored.
 */
export function partOf(
  output: RunOutput,
  stream: Stream,
  query: { offset?: number; limit?: number },
  range: Range | null,
): OutputSlice {
  const isFinished = output.finished()
  const total = output.size(stream)
  const stored = output.keptBytes(stream)
  const wanted = range
    ? inBytes(range, total)
    : { from: query.offset ?? 0, to: (query.offset ?? 0) + (query.limit ?? total) }
  const asksForAll = range === null && query.limit === undefined
  if (asksForAll && stored < total && output.available(stream, wanted.from) < stored)
    throw partlyStored(stream, stored, total)
  const end = wanted.from < stored ? stored : total // there may be a gap after the stored bytes
  return { from: wanted.from, to: Math.max(wanted.from, Math.min(wanted.to, end)), total, isFinished }
}

function partlyStored(stream: Stream, stored: number, total: number): ShellphoneError {
  const remedy = 'read them with a limit or a range'
  return new ShellphoneError('EXPIRED', `${stream}: only the first ${stored} of ${total} bytes were stored; ${remedy}`)
}

/** The headers of a response with this part. */
export function headersOf(
  id: string,
  { from, to, total, isFinished }: OutputSlice,
  isRange: boolean,
): Record<string, string | number> {
  const headers = {
    'accept-ranges': 'bytes',
    'run-id': id,
    'run-offset': from,
    'run-total': total,
    'run-eof': String(isFinished && to >= total),
  }
  const length = isFinished ? total : '*'
  return isRange ? { ...headers, 'content-range': `bytes ${from}-${to - 1}/${length}` } : headers
}
