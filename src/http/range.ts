import { invalid, ShellphoneError } from '../shared/schema/index.ts'

/** A byte range (RFC 9110, 14.1.2): `first` to `last` inclusive, `first` to the end, or the last `suffix` bytes. */
export type Range = { first: number; last: number } | { suffix: number }

/** Parses a Range header; null: no header, or one that is ignored because it is unsupported. `last` may be less than `first`. */
export function rangeIn(header: string | undefined): Range | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  if (first === '') return { suffix: Number(last) }
  return { first: Number(first), last: last === '' ? Infinity : Number(last) }
}

/** Like `rangeIn`, but also ignores a range that ends before it begins. Throws VALIDATION_ERROR if the query has offset, limit or follow. */
export function rangeOf(header: string | undefined, query: object): Range | null {
  const range = rangeIn(header?.replaceAll(' ', ''))
  if (range === null) return null
  const other = ['offset', 'limit', 'follow'].find((name) => name in query)
  if (other) throw invalid(`Range: expected no Range header together with ${other}`, 'Range')
  return 'first' in range && range.last < range.first ? null : range
}

/** The offsets of the range within `total` bytes; throws OUT_OF_RANGE if it contains none of them. */
export function inBytes(range: Range, total: number): { from: number; to: number } {
  const from = 'suffix' in range ? Math.max(0, total - range.suffix) : range.first
  const to = 'suffix' in range ? total : Math.min(range.last + 1, total)
  if (from < to) return { from, to }
  throw new ShellphoneError('OUT_OF_RANGE', `Range: expected bytes 0 to ${total - 1}, got ${from}`, {
    field: 'Range',
    totalBytes: total,
  })
}
