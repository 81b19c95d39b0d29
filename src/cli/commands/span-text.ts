const spans: [unit: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** Milliseconds in one or two units, such as `0.25 s`, `4 min 31 s` or `1 h 30 min`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`
  const at = spans.findIndex(([, size]) => seconds >= size)
  const [[unit, size], [smaller, smallerSize]] = [spans[at]!, spans[at + 1]!]
  const rest = Math.floor((seconds % size) / smallerSize)
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${smaller}` : ''}`
}
