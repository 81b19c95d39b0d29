import type { CallClass, CallHead } from '../../../shared/schema/index.ts'

/** One HTTP request for a phone. */
export interface PhoneRequest {
  name: string
  callClass: CallClass
  by: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: Uint8Array
  /** the id of the phone's home; a phone with another home responds with 409 wrong_home */
  home?: string | undefined
  /** the maximum size of one response in bytes; the rest needs another request (default: the maximum of the fleet) */
  window?: number
  /** the phone responds within this many milliseconds, even if it has nothing to send (default: the maximum of the fleet) */
  waitMs?: number
  /** aborted to stop waiting; the phone may still have received the request */
  signal?: AbortSignal
  /** the channel on the phone, and the action on it */
  channel?: CallHead['channel']
  /** the request may be sent again, so the wait ends at once when the phone reconnects */
  isRepeatable?: boolean
}
