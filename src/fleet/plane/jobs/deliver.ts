import { PLANE_CALLER } from '../../../shared/schema/index.ts'
import type { Canceler } from '../calls/cancel.ts'
import { deliverJob, type DeliveryParts } from './deliver-job.ts'
import type { JobState } from './row-states.ts'

interface Delivery {
  /** Delivers the jobs of a phone in order. Resolves with true if the phone is away. */
  deliver(name: string): Promise<boolean>
  /** Call this when a cancellation was written to the job's row. Cancels the run if this plane follows it; otherwise the next delivery does so. */
  cancel(name: string, job: string): void
}

/** `signal`: aborted to stop deliveries. Runs then continue unobserved. */
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

/** Requests GET /health. Resolves with true if the phone responds and still has the same home. */
async function listens({ phoneRequests, phones }: DeliveryParts, name: string): Promise<boolean> {
  const target = { name, by: PLANE_CALLER, home: phones.homeOf(name), isRepeatable: true }
  return phoneRequests.fetch({ ...target, callClass: 'read', method: 'GET', path: '/health' }).then(
    ({ status }) => status === 200,
    () => false,
  )
}
