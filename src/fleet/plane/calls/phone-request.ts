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
  /** the home that is meant; another answers 409 wrong_home */
  home?: string | undefined
  /** bytes of one answer; what is left is asked for again. Absent: as many as can be */
  window?: number
  /** it is over within this, even where nothing was to be said. Absent: as long as can be */
  waitMs?: number
  /** ends the wait; the phone may have got it all the same */
  signal?: AbortSignal
  /** what is kept open for it, there */
  channel?: CallHead['channel']
  /** it may be asked again: a new connection of the phone ends the wait at once */
  isRepeatable?: boolean
}
