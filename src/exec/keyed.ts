import { createHash } from 'node:crypto'
import { OWNER, ShellphoneError, type Who } from '../schema/index.ts'
import type { RunKey, Store } from '../store/index.ts'
import { endedRun } from './ended.ts'
import type { Run, Watched } from './run.ts'

/** An Idempotency-Key of this caller; `body`: what came with it, in the caller's own words. */
export const keyOf = (key: string, body: unknown, who: Who): RunKey => ({ key, digest: digestOf(body, who) })

/** The run that a key stands for: this one, or the one that it came with first. Throws CONFLICT. */
export function claim({ key, digest }: RunKey, id: string, { keys }: Store): string {
  const { outcome, runId } = keys.claim(key, digest, id)
  if (outcome !== 'conflict') return runId
  throw new ShellphoneError('CONFLICT', `Idempotency-Key: was used with another body, for run ${runId}`)
}

/** It may be tried again where nothing can have run. */
export function freeKey({ id, key }: Run, error: unknown, { keys }: Store): void {
  if (key && error instanceof ShellphoneError) keys.release(key.key, id)
}

/** The run of a key that has ended; the key may outlive its record: EXPIRED. */
export async function replay(id: string, store: Store): Promise<Watched> {
  if (await store.history.get(id)) return endedRun(id, store)
  throw new ShellphoneError('EXPIRED', `Idempotency-Key: stands for run ${id}, whose record is no longer kept`)
}

/** Of the body with its fields in one order, so that the same request has the same digest; of another's token it never has. */
function digestOf(body: unknown, { name }: Who): string {
  const ordered = JSON.stringify(body, (_name, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
  const whose = name === OWNER.name ? '' : `${name}\0`
  return createHash('sha256').update(whose).update(ordered).digest('hex')
}
