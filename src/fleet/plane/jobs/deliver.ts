import { PLANE_CALLER } from '../../../shared/schema/index.ts'
import type { Canceler } from '../calls/cancel.ts'
import { deliverJob, type DeliveryParts } from './deliver-job.ts'
import type { JobState } from './row-states.ts'

interface Delivery {
  /** Does what is to be done for a phone. Resolves with whether it is away. */
  deliver(name: string): Promise<boolean>
  /** The job's row says that it is canceled: whatever is followed here is ended; the rest is, when it is delivered. */
  cancel(name: string, job: string): void
}

/** `signal`: no more is begun, and nothing is followed. */
export function createDelivery(
  parts: DeliveryParts,
  onSettled: (state: JobState) => void,
  signal: AbortSignal,
): Delivery {
  const { index } = parts
  const following = new Map<string, Canceler>()
  return {
    async deliver(name) {
      let isThere: boolean | null = null
      const probe = async () => (isThere ??= await listens(parts, name))
      for (const job of index.of(name)) {
        const pair = `${name} ${job.id}`
        if (signal.aborted) return true
        if (following.has(pair)) continue
        let onWaits = () => {}
        const waits = new Promise<'passed'>((resolve) => (onWaits = () => resolve('passed')))
        const { canceler, over } = deliverJob(parts, { name, job, signal, probe, onWaits, onSettled })
        following.set(pair, canceler)
        void over.catch(() => {}).finally(() => following.delete(pair))
        if ((await Promise.race([over, waits])) === 'away') return true
      }
      return false
    },
    cancel: (name, job) => following.get(`${name} ${job}`)?.want(),
  }
}

/** Asks for nothing: whether the phone listens, and is the one that is meant. */
async function listens({ asking, phones }: DeliveryParts, name: string): Promise<boolean> {
  const who = { name, by: PLANE_CALLER, home: phones.homeOf(name), isRepeatable: true }
  return asking.whole({ ...who, callClass: 'read', method: 'GET', path: '/health' }).then(
    ({ status }) => status === 200,
    () => false,
  )
}
