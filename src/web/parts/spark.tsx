const WIDTH = 120
const HEIGHT = 32
/** Samples further apart than this have quiet between them. */
const GAP_MS = 15_000

interface Sample {
  atMs: number
  value: number
}

/** The last `spanMs` up to `nowMs` as a line; where there are no points it was quiet, and `quiet` is what holds then (null: nobody knows). */
export function Spark({
  points,
  spanMs,
  nowMs,
  quiet,
}: {
  points: Sample[]
  spanMs: number
  nowMs: number
  quiet: number | null
}) {
  const highest = Math.max(1e-9, ...points.map(({ value }) => value))
  const x = (atMs: number) => Math.max(0, WIDTH * (1 - (nowMs - atMs) / spanMs)).toFixed(1)
  const y = (value: number) => (HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1)
  const line = withQuiet(points, nowMs - spanMs, quiet)
    .map(({ atMs, value }) => `${x(atMs)},${y(value)}`)
    .join(' ')
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={line} />
    </svg>
  )
}

/** Points with what held between those that are far apart; an unknown value is that of the next point. */
function withQuiet(points: Sample[], fromMs: number, quiet: number | null): Sample[] {
  let lastMs = fromMs - GAP_MS
  return points.flatMap((point) => {
    const [leftMs, value] = [lastMs + 1, quiet ?? point.value]
    const isGap = point.atMs - lastMs > GAP_MS
    lastMs = point.atMs
    return isGap ? [{ atMs: leftMs, value }, { atMs: point.atMs - 1, value }, point] : [point]
  })
}
