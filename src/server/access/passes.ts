import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  ALWAYS,
  type CallClass,
  callClasses,
  callerTokenName,
  OWNER,
  DEFAULT_RIGHTS,
  type Who,
} from '../../shared/schema/index.ts'

/**
 * What the door of a fleet shows on loopback: who asks, behind a secret of this start that never leaves the process. No file holds one,
 * and none outlives the service.
 */
export interface Passes {
  of(callClass: CallClass, caller: string): string
  /** with it this process calls itself, as the owner */
  own: string
  /** null: it is none */
  who(text: string): Who | null
}

export function createPasses(): Passes {
  const secret = Buffer.from(randomBytes(32).toString('base64url'))
  const own = randomBytes(32).toString('base64url')
  const ownDigest = hash('sha256', own)
  return {
    own,
    of: (callClass, caller) => `${secret}.${callClass}.${caller}`,
    who(text) {
      if (hash('sha256', text) === ownDigest) return OWNER
      const given = Buffer.from(text.slice(0, secret.length))
      if (given.length !== secret.length || !timingSafeEqual(given, secret)) return null
      const [, word, ...caller] = text.slice(secret.length).split('.')
      const callClass = callClasses.find((one) => one === word)
      return callClass ? rightsOf(callClass, caller.join('.')) : null
    },
  }
}

/** Only a caller that answers for a person is one here, and sees the runs of others. */
const rightsOf = (callClass: CallClass, caller: string): Who => ({
  ...DEFAULT_RIGHTS,
  id: callerTokenName(caller),
  name: callerTokenName(caller),
  created_at: ALWAYS,
  approves: callClass === 'answer' ? 'all' : 'none',
  read: callClass === 'answer' ? 'all' : 'own',
  shell: true,
})
