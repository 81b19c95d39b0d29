import { invalid } from './errors.ts'

/** The maximum number of commas in one body or message, and of nested levels. Both are far more than any request needs. */
const MAX_VALUES = 20_000
const MAX_DEPTH = 64

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/** An error message for JSON that has too many values or levels to parse quickly; null if it is acceptable. The length of strings is not limited. */
export function jsonError(bytes: Uint8Array): string | null {
  let [values, depth] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
    } else if (byte === comma) values++
    else if (opening.has(byte)) depth++
    else if (closing.has(byte)) depth--
    if (values > MAX_VALUES) return `expected at most ${MAX_VALUES} values`
    if (depth > MAX_DEPTH) return `expected at most ${MAX_DEPTH} levels of lists and objects`
  }
  return null
}

/** Parses UTF-8 JSON with a bounded number of values and levels. Throws VALIDATION_ERROR, with `name` in the message. */
export function boundedJson(bytes: Uint8Array, name: string): unknown {
  const error = jsonError(bytes)
  if (error !== null) throw invalid(`${name}: ${error}`)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw invalid(`${name}: expected JSON: ${(error as Error).message}`)
  }
}
