import t from 'tap'
import { Blocks } from '../../src/web/output/line-blocks.ts'
import { createReader } from '../../src/web/output/reader.ts'
import type { Stream } from '../../src/web/output/text-style.ts'

/** The lines that the page would show after these pieces, each with its stream. */
function linesAfter(pieces: [stream: Stream, text: string][], blocks = new Blocks()): string[] {
  const readers = {
    stdout: createReader('stdout', blocks.sinkOf('stdout')),
    stderr: createReader('stderr', blocks.sinkOf('stderr')),
  }
  for (const [stream, text] of pieces) readers[stream](text)
  return blocks.all.flatMap(({ lines }) =>
    lines.map(
      ({ stream, spans, hasBreak }) => `${stream}: ${spans.map(({ text }) => text).join('')}${hasBreak ? '⏎' : ''}`,
    ),
  )
}

const cases: [name: string, pieces: [Stream, string][], expected: string[]][] = [
  [
    'the other stream writes in the middle of a line',
    [
      ['stderr', 'cat: '],
      ['stdout', 'ok\n'],
      ['stderr', '/nonexistent: No such file\n'],
    ],
    ['stderr: cat: /nonexistent: No such file⏎', 'stdout: ok⏎'],
  ],
  [
    'a prompt stays visible while the other stream writes',
    [
      ['stdout', 'Continue? '],
      ['stderr', 'warning\n'],
      ['stdout', 'yes\nnext\n'],
    ],
    ['stdout: Continue? yes⏎', 'stderr: warning⏎', 'stdout: next⏎'],
  ],
  [
    'whole lines keep the order of arrival',
    [
      ['stdout', 'a\n'],
      ['stderr', 'b\n'],
      ['stdout', 'c\n'],
    ],
    ['stdout: a⏎', 'stderr: b⏎', 'stdout: c⏎'],
  ],
  ['an unfinished last line has no break', [['stdout', 'a\nb']], ['stdout: a⏎', 'stdout: b']],
  ['an empty line is a line', [['stdout', '\n\n']], ['stdout: ⏎', 'stdout: ⏎']],
]
for (const [name, pieces, expected] of cases) {
  t.test(name, async (t) => {
    t.same(linesAfter(pieces), expected)
  })
}

t.test('an unfinished line that was dropped continues as a line of its own', async (t) => {
  const blocks = new Blocks({ blocks: 1, nodes: 1000, characters: 10_000 })
  const flood = Array.from({ length: 250 }, (_, line): [Stream, string] => ['stdout', `${line}\n`])
  const lines = linesAfter([['stderr', 'begin '], ...flood, ['stderr', 'end\n']], blocks)
  t.equal(lines.at(-1), 'stderr: end⏎')
  t.equal(blocks.count, 252)
  t.equal(blocks.dropped + lines.length, 252)
})
