import { PhoneError } from '../../sdk/client-node.ts'
import { inTwoUnits, UsageError } from '../../shared/schema/index.ts'

/** The options and operands of `fleet exec`, by the fields of the request that it sends. */
const typedNames: Record<string, string> = {
  phones: 'SELECTOR',
  command: 'COMMAND',
  pick: '--pick',
  queue_seconds: '--queue',
  wait_seconds: '--wait',
  timeout_seconds: '--timeout',
}
const SECONDS_FIELD = /\b[a-z]+_seconds\b/g

/** For an error about a field of the request of `fleet exec`, returns one that names the option or operand instead. Any other error stays as it is. */
export function nameAsTyped(error: unknown): unknown {
  if (!(error instanceof UsageError) || !(error.cause instanceof PhoneError)) return error
  const { field } = error.cause
  if (field === null || !Object.hasOwn(typedNames, field)) return error
  const reason = error.message.replace(`${field}: `, '').replace(SECONDS_FIELD, (name) => typedNames[name] ?? name)
  const text = field.endsWith('_seconds') ? inUnits(reason) : reason
  return new UsageError(`fleet exec: ${typedNames[field]}: ${text}`, {
    cause: error.cause,
  })
}

/** Writes the seconds in a reason with their units, as they are typed. */
const inUnits = (reason: string): string =>
  reason
    .replace('a number', 'a time')
    .replace(/\d+\b/g, (text) => (Number(text) < 60 ? `${text} s` : inTwoUnits(Number(text))))
