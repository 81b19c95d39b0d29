/** How far apart samples are. */
export interface Resolution {
  /** the interval of the samples, and how long the count of a sample lasts */
  stepMs: number
  /** samples that are further apart than this are not connected */
  gapMs: number
}

/** The service measures once a minute while only background runs and terminals run, so samples can be that far apart, and a little more. */
export const FIVE_SECONDS: Resolution = { stepMs: 5_000, gapMs: 90_000 }
export const ONE_MINUTE: Resolution = { stepMs: 60_000, gapMs: 120_000 }

export interface Sample {
  atMs: number
  value: number
}

/**
 * What is known between two samples. `held`: the value of the first of them; `counted`: zero, because a sample counts everything that happened
 * since the one before; `measured`: nothing.
 */
export type SampleKind = 'held' | 'counted' | 'measured'

/** The value at a time; null: unknown. */
export function valueAt(
  points: Sample[],
  kind: SampleKind,
  atMs: number,
  { stepMs, gapMs }: Resolution,
): number | null {
  const before = points.findLast((point) => point.atMs <= atMs)
  if (kind === 'held') return before?.value ?? null
  const after = points.find((point) => point.atMs >= atMs)
  if (kind === 'counted') return after && after.atMs - atMs < stepMs ? after.value : before ? 0 : null
  const nearest = after && (!before || after.atMs - atMs < atMs - before.atMs) ? after : before
  return nearest && Math.abs(nearest.atMs - atMs) <= gapMs / 2 ? nearest.value : null
}

/** The lines to draw between two times, each a list of connected points. Where nothing is known, there is no line. */
export function linesOf(
  points: Sample[],
  kind: SampleKind,
  fromMs: number,
  toMs: number,
  resolution: Resolution,
): Sample[][] {
  const first = points[0]
  if (!first) return []
  if (kind === 'measured') return measuredLines(points, fromMs, resolution.gapMs)
  const line = points.flatMap((point, index): Sample[] => {
    const { atMs, value } = point
    if (kind === 'held') return [point, { atMs: points[index + 1]?.atMs ?? toMs, value }]
    const startMs = Math.max(atMs - resolution.stepMs, points[index - 1]?.atMs ?? atMs)
    return [{ atMs: startMs, value: 0 }, { atMs: startMs, value }, point, { atMs, value: 0 }]
  })
  if (kind === 'counted') line.push({ atMs: toMs, value: 0 })
  const start = Math.max(fromMs, first.atMs)
  const shown = line.filter(({ atMs }) => atMs >= start)
  return [[{ atMs: start, value: valueAt(points, kind, start, resolution) ?? 0 }, ...shown]]
}

function measuredLines(points: Sample[], fromMs: number, gapMs: number): Sample[][] {
  const lines: Sample[][] = []
  let lastMs = -Infinity
  for (const point of points.filter(({ atMs }) => atMs >= fromMs)) {
    if (point.atMs - lastMs > gapMs) lines.push([])
    lines.at(-1)!.push(point)
    lastMs = point.atMs
  }
  return lines
}
