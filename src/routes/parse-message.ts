import { ShellphoneError } from '../schema/index.ts'
import { jsonTrouble } from './json-size.ts'

/** A WebSocket message as the object that it is; throws VALIDATION_ERROR. */
export function parseMessage(bytes: Buffer): Record<string, unknown> {
  const trouble = jsonTrouble(bytes)
  if (trouble) throw new ShellphoneError('VALIDATION_ERROR', `message: ${trouble}`)
  const message = parse(bytes)
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return message as Record<string, unknown>
  }
  throw new ShellphoneError('VALIDATION_ERROR', 'message: expected a JSON object')
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new ShellphoneError('VALIDATION_ERROR', 'message: expected JSON')
  }
}
