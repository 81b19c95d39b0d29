/** Whether a text asks too much of the parser, whose time grows with the square of what nests or waits: counted in one pass before it. */

const MAX_BRACKETS = 100
const MAX_HERE_DOCUMENTS = 400
const MAX_PARTS = 40_000

// quotes are not looked at: what they hold counts as well
const signs = /<<|[(){}|;&$`<>\n]/g

/** True: not to be parsed. */
export function isTooMuch(source: string): boolean {
  if (source.length <= MAX_BRACKETS) return false
  let [depth, hereDocuments, parts] = [0, 0, 0]
  for (const [sign] of source.matchAll(signs)) {
    parts += 1
    if (sign === '(' || sign === '{') depth += 1
    else if (sign === ')' || sign === '}') depth = Math.max(0, depth - 1)
    else if (sign === '<<') hereDocuments += 1
    if (depth > MAX_BRACKETS || hereDocuments > MAX_HERE_DOCUMENTS || parts > MAX_PARTS) return true
  }
  return false
}
