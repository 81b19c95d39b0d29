import { type ErrorCode, errorTable, ShellphoneError } from '../../../shared/schema/index.ts'

/** The error in a phone's response. */
export interface Refusal {
  status: number
  type: string
  message: string
}

/** Converts a phone's error response to a ShellphoneError. */
export function toError(status: number, body: Buffer): ShellphoneError {
  const { type, message } = toRefusal(status, body)
  const code = (Object.keys(errorTable) as ErrorCode[]).find((one) => errorTable[one].type === type)
  return new ShellphoneError(code ?? 'EXECUTION_ERROR', message)
}

/** Parses a phone's error response. Without a readable body, the type is execution_error. */
export function toRefusal(status: number, body: Buffer): Refusal {
  try {
    const { type, message } = JSON.parse(body.toString()).error
    return { status, type: String(type), message: String(message) }
  } catch {
    return { status, type: 'execution_error', message: `The phone responded with HTTP ${status}` }
  }
}
