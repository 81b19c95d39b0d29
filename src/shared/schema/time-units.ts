/** The units in which texts give times, largest first. */
export const timeUnits: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** Whole seconds, at least one, in their largest unit and the next: 45 s, 4 min 31 s, 3 d 4 h. */
export function inTwoUnits(seconds: number): string {
  const at = timeUnits.findIndex(([, size]) => seconds >= size)
  const [unit, size] = timeUnits[at]!
  const [smaller, smallerSize] = timeUnits[Math.min(at + 1, timeUnits.length - 1)]!
  const rest = Math.floor((seconds % size) / smallerSize)
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${smaller}` : ''}`
}
