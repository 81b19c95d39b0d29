/** A run's id begins with its time: 10 digits of 5 bits, milliseconds. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 10

/** An id that every run of that moment and later sorts behind. */
export function idAt(epochMs: number): string {
  let text = ''
  for (let rest = epochMs; text.length < TIME_DIGITS; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32]! + text
  return text
}

/** The first moment of a day as an input has it (2026-11-22), and of the next, where this person is. */
export function daySpan(day: string): { from: number; to: number } {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return { from: new Date(year, month - 1, date).getTime(), to: new Date(year, month - 1, date + 1).getTime() }
}
