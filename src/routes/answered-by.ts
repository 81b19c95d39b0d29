import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { CLI_KEY_HEADER } from '../schema/index.ts'

/** `cli` where it shows what only our own command line can: that it reads the home. What a caller says of itself counts for nothing. */
export function answeredBy(headers: IncomingHttpHeaders, cliKey: string): 'cli' | null {
  const expected = Buffer.from(cliKey)
  const given = Buffer.from(String(headers[CLI_KEY_HEADER] ?? ''))
  return given.length === expected.length && timingSafeEqual(given, expected) ? 'cli' : null
}
