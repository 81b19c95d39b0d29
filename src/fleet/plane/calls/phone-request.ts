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
  /** the most bytes of one response; the rest needs another request. Absent: the maximum */
  window?: number
  /** the phone responds within this many milliseconds, even if there is nothing to send. Absent: the maximum */
  waitMs?: number
  /** ends the wait; the phone may have received the request */
  signal?: AbortSignal
  /** the channel on the phone, and what to do with it */
  channel?: CallHead['channel']
  /** it may be sent again, so the wait ends at once when the phone reconnects */
  isRepeatable?: boolean
}
