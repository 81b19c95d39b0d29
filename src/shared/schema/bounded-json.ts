import { invalid } from './errors.ts'

/** Values in one body or message, and lists or objects in each other: far more than any request has. */
const MAX_VALUES = 20_000
const MAX_DEPTH = 64

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/** What would take long to parse, too many values or too deep, in words; null for the rest. Strings are as long as they like. */
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

/** JSON of a bounded number of values and levels, in UTF-8. Throws VALIDATION_ERROR; `name`: what it is, for the message. */
export function boundedJson(bytes: Uint8Array, name: string): unknown {
  const trouble = jsonError(bytes)
  if (trouble !== null) throw invalid(`${name}: ${trouble}`)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw invalid(`${name}: expected JSON: ${(error as Error).message}`)
  }
}
