const WIDTH = 120
const HEIGHT = 32
/** Between samples that are further apart than this, the service was idle. */
const GAP_MS = 15_000

interface Sample {
  atMs: number
  value: number
}

/** A line chart of the last `spanMs` before `nowMs`; `idleValue` is drawn where samples are missing (null: unknown). */
export function Spark({
  points,
  spanMs,
  nowMs,
  idleValue,
}: {
  points: Sample[]
  spanMs: number
  nowMs: number
  idleValue: number | null
}) {
  const highest = Math.max(1e-9, ...points.map(({ value }) => value))
  const x = (atMs: number) => Math.max(0, WIDTH * (1 - (nowMs - atMs) / spanMs)).toFixed(1)
  const y = (value: number) => (HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1)
  const line = fillGaps(points, nowMs - spanMs, idleValue)
    .map(({ atMs, value }) => `${x(atMs)},${y(value)}`)
    .join(' ')
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={line} />
    </svg>
  )
}

/** Adds points for idle periods; an unknown idle value is drawn as the value of the next sample. */
function fillGaps(points: Sample[], fromMs: number, idleValue: number | null): Sample[] {
  let lastMs = fromMs - GAP_MS
  return points.flatMap((point) => {
    const [afterLastMs, value] = [lastMs + 1, idleValue ?? point.value]
    const isGap = point.atMs - lastMs > GAP_MS
    lastMs = point.atMs
    return isGap ? [{ atMs: afterLastMs, value }, { atMs: point.atMs - 1, value }, point] : [point]
  })
}
