import { ShellphoneError } from '../schema/index.ts'

interface Named {
  /** the phone's */
  name: string
}

export const offline = ({ name }: Named) =>
  new ShellphoneError('PHONE_OFFLINE', `${name} is not connected: nothing was sent`, { retryAfterSeconds: 5 })
export const silent = ({ name }: Named, why: string) =>
  new ShellphoneError(
    'PHONE_SILENT',
    `${name} was asked and did not answer (${why}): with the same Idempotency-Key it can be asked again`,
  )
export const garbled = ({ name }: Named, what: string) =>
  new ShellphoneError('PHONE_GARBLED', `${name} gave an answer that is none: ${what}`)
