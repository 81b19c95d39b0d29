import { COMMAND_REQUIRED, ShellphoneError } from '../schema/index.ts'

/** FEAT-029's own words for a missing command, before the schema's. */
export function requireCommand(body: unknown): void {
  const command = typeof body === 'object' && body !== null ? (body as { command?: unknown }).command : body
  if (command !== undefined && command !== null) return
  throw new ShellphoneError('VALIDATION_ERROR', COMMAND_REQUIRED, { field: 'command' })
}
