/** Sequences that a terminal answers as if its user had typed: device attributes, status, modes, sizes, colours and the clipboard. */
const QUERY =
  // eslint-disable-next-line no-control-regex
  /\x05|\x1bZ|\x1b\[(?:[>=?]?[\d;]*c|\??[\d;]*n|>[\d;]*q|\??[\d;]*\$p|\?u|(?:1[1-9]|2[01])(?:;\d+)*t|\d*x|[\d;]*\*y|\?[\d;]*S)|\x1bP[$+]q[^\x1b]*\x1b\\|\x1b\][1-9]\d*;(?:\w+;)*\?(?:\x07|\x1b\\)/g
/** The beginning of such a sequence at the end of a piece. */
// eslint-disable-next-line no-control-regex
const BEGINNING = /\x1b(?:\[[\d;>=?$*]*|\][\w;?]*\x1b?|P(?:[$+](?:q[^\x1b]*\x1b?)?)?)?$/
/** A longer beginning is no query. */
const MAX_BEGINNING = 4096

/** Removes the queries from output that a terminal shows again: its answers would be typed into the program that runs now. */
export function createReplayFilter(): { pass(bytes: Uint8Array): Buffer; rest(): Buffer } {
  let held = ''
  const rest = () => {
    const bytes = Buffer.from(held, 'latin1')
    held = ''
    return bytes
  }
  const pass = (bytes: Uint8Array) => {
    const text = held + Buffer.from(bytes).toString('latin1')
    const plain = text.replaceAll(QUERY, '')
    const [beginning = ''] = BEGINNING.exec(plain.slice(-MAX_BEGINNING)) ?? []
    held = beginning
    return Buffer.from(plain.slice(0, plain.length - beginning.length), 'latin1')
  }
  return { pass, rest }
}
