import t from 'tap'
import { spanText } from '../../src/cli/commands/span-text.ts'

t.test('durations have at most two units', async (t) => {
  const cases: [ms: number, text: string][] = [
    [250, '0.25 s'],
    [9_999, '10.00 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [271_000, '4 min 31 s'],
    [3_600_000, '1 h'],
    [5_430_000, '1 h 30 min'],
    [90_000_000, '1 d 1 h'],
  ]
  for (const [ms, text] of cases) t.equal(spanText(ms), text, String(ms))
})
