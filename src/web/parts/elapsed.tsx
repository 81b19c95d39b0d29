import type { RunSummary } from '../../sdk/index.ts'
import { isLive } from '../live.ts'
import { toSpan } from './format.ts'
import { AsOf } from './lost.tsx'
import { useNow } from './use-now.ts'

/** How long a run took or has been running; renders nothing before it has started. */
export function Elapsed({ record }: { record: Pick<RunSummary, 'started_at' | 'ended_at' | 'duration_ms'> }) {
  const now = useNow(isLive(record) ? 1000 : null)
  if (!record.started_at) return null
  const ms = isLive(record) ? Math.max(0, now - Date.parse(record.started_at)) : record.duration_ms
  return (
    <span class="dim">
      {toSpan(ms)}
      {isLive(record) && <AsOf />}
    </span>
  )
}
