import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { useReconnect } from '../parts/use-reconnect.ts'
import { followRun, type RunFollower } from './run-follower.ts'
import type { Stream } from './text-style.ts'

/** A run that a view follows, and a way to follow only one of its streams. */
export type FollowedRun = RunFollower & { show(stream: Stream | null): void }

/** Follows a run while a view shows it. If the service was unreachable, follows the run again when the service is back. */
export function useRun(id: string): FollowedRun {
  const round = useSignal(0)
  const only = useSignal<Stream | null>(null)
  const last = useRef<RunFollower | null>(null)
  const follower = useMemo(
    () => ({
      ...followRun(id, only.value, last.current),
      show: (stream: Stream | null) => void (only.value = stream),
    }),
    [id, only.value, round.value],
  )
  last.current = follower
  useReconnect(() => {
    if (follower.isUnreachable()) round.value++
  })
  return follower
}
