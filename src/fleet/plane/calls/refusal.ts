import { type ErrorCode, errorTable, ShellphoneError } from '../../../shared/schema/index.ts'

/** A phone's words for why it took something not. */
export interface Refusal {
  status: number
  type: string
  message: string
}

/** The same as an error. */
export function toError(status: number, body: Buffer): ShellphoneError {
  const { type, message } = toRefusal(status, body)
  const code = (Object.keys(errorTable) as ErrorCode[]).find((one) => errorTable[one].type === type)
  return new ShellphoneError(code ?? 'EXECUTION_ERROR', message)
}

/** Why a phone did not take it, in its own words. */
export function toRefusal(status: number, body: Buffer): Refusal {
  try {
    const { type, message } = JSON.parse(body.toString()).error
    return { status, type: String(type), message: String(message) }
  } catch {
    return { status, type: 'execution_error', message: `The phone responded with HTTP ${status}` }
  }
}
