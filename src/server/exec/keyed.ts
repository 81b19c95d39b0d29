import { createHash } from 'node:crypto'
import { isRunOf, note, OWNER, ShellphoneError, type Who } from '../../shared/schema/index.ts'
import type { RunKey, Store } from '../store/index.ts'
import { endedRun } from './ended.ts'
import type { CancelOutcome, Run, Watched } from './run.ts'

/** An Idempotency-Key of this caller, whose own it is; `body`: what came with it, in the caller's own words. */
export const keyOf = (key: string, body: unknown, who: Who): RunKey => ({
  key: ownKey(key, who),
  digest: digestOf(body),
})

/** Keys have a name space for each token. */
const ownKey = (key: string, { id }: Who): string => (id === OWNER.id ? key : `${id}/${key}`)

/** The run that a key stands for: this one, or the one that it came with first. Throws CONFLICT. */
export function claim({ key, digest }: RunKey, id: string, { keys }: Store): string {
  const { outcome, runId } = keys.claim(key, digest, id)
  if (outcome !== 'conflict') return runId
  throw new ShellphoneError(
    'CONFLICT',
    `Idempotency-Key: this key was already used with another body, for run ${runId}`,
  )
}

/** The run of a key that is older than the ids of tokens: all had one name space, and the digest held the token's name. */
export async function olderRun(key: string, body: unknown, who: Who, { keys, history }: Store): Promise<string | null> {
  const id = who.id === OWNER.id ? null : keys.find(key, digestOf(body, `${who.name}\0`))
  const run = id === null ? null : await history.get(id)
  return run && run.record.token_id === undefined && isRunOf(run.record, who) ? id : null
}

/** It may be tried again where nothing can have run. */
export function freeKey(id: string, key: RunKey | undefined, error: unknown, { keys }: Store): void {
  if (key && error instanceof ShellphoneError) keys.release(key.key, id)
}

/** The run of a key that has ended; the key may outlive its record: EXPIRED. */
export async function replay(id: string, store: Store): Promise<Watched> {
  if (await store.history.get(id)) return endedRun(id, store)
  throw new ShellphoneError(
    'EXPIRED',
    `Idempotency-Key: this key belongs to run ${id}, whose record is no longer stored`,
  )
}

/**
 * Does for the live run of a key what leaving does for a run without one: the caller will not ask again, so a run in the foreground is
 * canceled. Throws NOT_FOUND where this caller has no such run, CONFLICT where it is in the background.
 */
export async function leaveKeyed(key: string, who: Who, live: Iterable<Run>): Promise<CancelOutcome> {
  const run = [...live].find((one) => one.key?.key === ownKey(key, who))
  if (run === undefined) throw new ShellphoneError('NOT_FOUND', 'Idempotency-Key: no live run has this key')
  await run.begun
  if (!run.command.background) return run.cancel(note('CLIENT_WENT_AWAY'))
  throw new ShellphoneError('CONFLICT', `Idempotency-Key: run ${run.id} is in the background`)
}

/** Of the body with its fields in one order, so that the same request has the same digest. */
function digestOf(body: unknown, whose = ''): string {
  const ordered = JSON.stringify(body, (_name, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )
  return createHash('sha256').update(whose).update(ordered).digest('hex')
}
