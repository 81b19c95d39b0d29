import { linesOf, type Resolution, type Sample, type SampleKind } from './samples.ts'

const WIDTH = 120
const HEIGHT = 32

interface Props {
  points: Sample[]
  kind: SampleKind
  resolution: Resolution
  fromMs: number
  toMs: number
  /** the value at the top of the chart */
  highest: number
  /** a time to mark; null: none */
  markMs: number | null
}

/** A line chart of the samples between two times. */
export function Spark({ points, kind, resolution, fromMs, toMs, highest, markMs }: Props) {
  const x = (atMs: number) => ((WIDTH * (atMs - fromMs)) / (toMs - fromMs)).toFixed(1)
  const y = (value: number) => (HEIGHT - (value / Math.max(highest, 1e-9)) * HEIGHT).toFixed(1)
  const lines = linesOf(points, kind, fromMs, toMs, resolution)
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {lines.map((line) => (
        // two equal points draw a dot for a single sample
        <polyline
          key={line[0]!.atMs}
          style={line.length === 1 ? 'stroke-width: 6' : undefined}
          points={[...line, line.at(-1)!].map(({ atMs, value }) => `${x(atMs)},${y(value)}`).join(' ')}
        />
      ))}
      {markMs !== null && <line class="mark" x1={x(markMs)} x2={x(markMs)} y1={0} y2={HEIGHT} />}
    </svg>
  )
}
