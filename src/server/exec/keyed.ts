import { createHash } from 'node:crypto'
import { isRunOf, note, OWNER, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import type { RunKey, Store } from '../store/index.ts'
import { endedRun } from './ended.ts'
import type { CancelOutcome, Run, Watched } from './run.ts'

/** Creates the Idempotency-Key of this caller. `body`: the body to which it is bound. */
export const keyOf = (key: string, body: unknown, who: Who): RunKey => ({
  key: ownKey(key, who),
  digest: digestOf(body),
})

/** Each token has its own name space for keys. */
const ownKey = (key: string, { id }: Who): string => (id === OWNER.id ? key : `${id}/${key}`)

/** Claims a key for a run. Returns the id of the run that first used the key, or else this id. Throws CONFLICT for another body. */
export function claim({ key, digest }: RunKey, id: string, { keys }: Store): string {
  const { outcome, runId } = keys.claim(key, digest, id)
  if (outcome !== 'conflict') return runId
  throw new ShellphoneError(
    'CONFLICT',
    `Idempotency-Key: this key was already used with another body, for run ${runId}; use a new key`,
  )
}

/** Finds the run of a key from before tokens had ids, when all keys shared one name space and digests included the token's name. */
export async function olderRun(key: string, body: unknown, who: Who, { keys, history }: Store): Promise<string | null> {
  const id = who.id === OWNER.id ? null : keys.find(key, digestOf(body, `${who.name}\0`))
  const run = id === null ? null : await history.get(id)
  return run && run.record.token_id === undefined && isRunOf(run.record, who) ? id : null
}

/** Frees a key for another attempt if nothing can have run. */
export function freeKey(id: string, key: RunKey | undefined, error: unknown, { keys }: Store): void {
  if (key && error instanceof ShellphoneError) keys.release(key.key, id)
}

/** Returns the ended run of a key. Throws EXPIRED if the key has outlived the record. */
export async function replay(id: string, store: Store): Promise<Watched> {
  if (await store.history.get(id)) return endedRun(id, store)
  throw new ShellphoneError(
    'EXPIRED',
    `Idempotency-Key: this key belongs to run ${id}, whose record is no longer stored`,
  )
}

/**
 * Cancels the foreground run of a key, as a disconnect does for a run without a key. Throws NOT_FOUND if this caller has no live run with
 * the key, and CONFLICT if the run is in the background.
 */
export async function leaveKeyed(key: string, who: Who, live: Iterable<Run>): Promise<CancelOutcome> {
  const run = [...live].find((one) => one.key?.key === ownKey(key, who))
  if (run === undefined) throw new ShellphoneError('NOT_FOUND', 'Idempotency-Key: no live run has this key')
  await run.begun
  if (!run.command.background) return run.cancel(note('CLIENT_WENT_AWAY'))
  throw new ShellphoneError('CONFLICT', `Idempotency-Key: run ${run.id} is in the background`)
}

/** Hashes a body with sorted fields, so that equal requests have equal digests. */
function digestOf(body: unknown, whose = ''): string {
  const ordered = JSON.stringify(body, (_name, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
  return createHash('sha256').update(whose).update(ordered).digest('hex')
}
