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
 * Credentials for the requests that this process sends to itself over loopback on behalf of a fleet's caller. They name the caller and contain a
 * secret that is new at each start and never leaves the process. They are not stored in any file, and become invalid when the service stops.
 */
export interface FleetCredentials {
  of(callClass: CallClass, caller: string): string
  /** for requests that the process itself sends, as the owner */
  own: string
  /** the caller that a credential names; null: the text is not such a credential */
  who(text: string): Who | null
}

export function createFleetCredentials(): FleetCredentials {
  const secret = Buffer.from(randomBytes(32).toString('base64url'))
  const own = randomBytes(32).toString('base64url')
  const ownDigest = hash('sha256', own)
  return {
    own,
    of: (callClass, caller) => `${secret}.${callClass}.${caller}`,
    who(text) {
      if (hash('sha256', text) === ownDigest) return OWNER
      const prefix = Buffer.from(text.slice(0, secret.length))
      if (prefix.length !== secret.length || !timingSafeEqual(prefix, secret)) return null
      const [, word, ...caller] = text.slice(secret.length).split('.')
      const callClass = callClasses.find((one) => one === word)
      return callClass ? rightsOf(callClass, caller.join('.')) : null
    },
  }
}

/** Only a caller whose class is `answer` counts as a person and can read the runs of others. */
const rightsOf = (callClass: CallClass, caller: string): Who => ({
  ...DEFAULT_RIGHTS,
  id: callerTokenName(caller),
  name: callerTokenName(caller),
  created_at: ALWAYS,
  approves: callClass === 'answer' ? 'all' : 'none',
  read: callClass === 'answer' ? 'all' : 'own',
  shell: true,
})
