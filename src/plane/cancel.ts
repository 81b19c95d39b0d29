import { setTimeout as pause } from 'node:timers/promises'
import type { Asking } from './ask.ts'

const TRIES = 3
const AGAIN_MS = 1_000

/** Ends a run there. False: the phone could not be told. */
export async function cancelRun(
  asking: Asking,
  who: { name: string; by: string; home?: string | undefined },
  runId: string,
): Promise<boolean> {
  const question = { ...who, callClass: 'run', method: 'DELETE', path: `/runs/${runId}`, isRepeatable: true } as const
  for (let tries = 1; ; tries++) {
    const told = await asking.whole(question).then(
      ({ status }) => status !== 0,
      () => false,
    )
    if (told || tries === TRIES) return told
    await pause(AGAIN_MS)
  }
}
