import { createHash } from 'node:crypto'
import { isRunOf, note, OWNER, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import type { RunKey, Store } from '../store/index.ts'
import { endedRun } from './ended.ts'
import type { CancelOutcome, Run, Watched } from './run.ts'

/** The Idempotency-Key of this caller; `body`: the body that it is bound to. */
export const keyOf = (key: string, body: unknown, who: Who): RunKey => ({
  key: ownKey(key, who),
  digest: digestOf(body),
})

/** Each token has its own name space for keys. */
const ownKey = (key: string, { id }: Who): string => (id === OWNER.id ? key : `${id}/${key}`)

/** Returns the run that a key stands for: this one, or the one that first used it. Throws CONFLICT for another body. */
export function claim({ key, digest }: RunKey, id: string, { keys }: Store): string {
  const { outcome, runId } = keys.claim(key, digest, id)
  if (outcome !== 'conflict') return runId
  throw new ShellphoneError(
    'CONFLICT',
    `Idempotency-Key: this key was already used with another body, for run ${runId}`,
  )
}

/** The run of a key from before tokens had ids, when all keys shared one name space and the digest included the token's name. */
export async function olderRun(key: string, body: unknown, who: Who, { keys, history }: Store): Promise<string | null> {
  const id = who.id === OWNER.id ? null : keys.find(key, digestOf(body, `${who.name}\0`))
  const run = id === null ? null : await history.get(id)
  return run && run.record.token_id === undefined && isRunOf(run.record, who) ? id : null
}

/** Frees the key for another try if nothing can have run. */
export function freeKey(id: string, key: RunKey | undefined, error: unknown, { keys }: Store): void {
  if (key && error instanceof ShellphoneError) keys.release(key.key, id)
}

/** The ended run of a key. Throws EXPIRED if the key has outlived the record. */
export async function replay(id: string, store: Store): Promise<Watched> {
  if (await store.history.get(id)) return endedRun(id, store)
  throw new ShellphoneError(
    'EXPIRED',
    `Idempotency-Key: this key belongs to run ${id}, whose record is no longer stored`,
  )
}

/**
 * Leaves the live run of a key for good, as a disconnect does for a run without one: a run in the foreground is canceled. Throws NOT_FOUND
 * if this caller has no such run, CONFLICT if it is in the background.
 */
export async function leaveKeyed(key: string, who: Who, live: Iterable<Run>): Promise<CancelOutcome> {
  const run = [...live].find((one) => one.key?.key === ownKey(key, who))
  if (run === undefined) throw new ShellphoneError('NOT_FOUND', 'Idempotency-Key: no live run has this key')
  await run.begun
  if (!run.command.background) return run.cancel(note('CLIENT_WENT_AWAY'))
  throw new ShellphoneError('CONFLICT', `Idempotency-Key: run ${run.id} is in the background`)
}

/** Sorts the fields of the body, so that equal requests have equal digests. */
function digestOf(body: unknown, whose = ''): string {
  const ordered = JSON.stringify(body, (_name, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
  return createHash('sha256').update(whose).update(ordered).digest('hex')
}
