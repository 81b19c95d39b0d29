/** Shell patterns (* ? [ ]): tests whether a pattern matches a text, and applies the # and % expansions to a value. */

/** Maximum length of a pattern in UTF-16 units. To be safe, a longer pattern matches everything. */
const MAX_PATTERN = 256

// a run of stars, a question mark, a set, or one character
const pieces = /\*+|\?|\[[!^]?\]?[^\]]*\]|[^]/g

function accepts(piece: string, character: string): boolean {
  if (piece.length === 1) return piece === '?' || piece === character
  const [, negated, members] = /^\[([!^]?)([^]*)\]$/.exec(piece)!
  // a class like [:alpha:] counts as any character
  if (members!.startsWith('[')) return true
  const isIn = members!
    .match(/[^]-[^]|[^]/g)
    ?.some(([low, dash, high]) => (dash ? low! <= character && character <= high! : low === character))
  return (isIn ?? false) !== (negated !== '')
}

/** Returns whether a shell pattern matches a whole text; a slash is a character like any other. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.length > MAX_PATTERN) return true
  const wanted = pattern.match(pieces) ?? []
  let [at, from, star, retry] = [0, 0, -1, 0]
  while (from < text.length) {
    const piece = wanted[at]
    if (piece?.startsWith('*')) {
      star = at
      at += 1
      retry = from
    } else if (piece && accepts(piece, text[from]!)) {
      at += 1
      from += 1
    } else if (star < 0) return false
    else {
      // let the last star match one more character
      at = star + 1
      retry += 1
      from = retry
    }
  }
  return wanted.slice(at).every((piece) => piece.startsWith('*'))
}

const MAX_VALUE = 512

/** Applies `${value#pattern}`, `##`, `%` or `%%`: removes the shortest or longest matching prefix or suffix; null: too long to try. */
export function affixPattern(value: string, pattern: string, operator: string): string | null {
  if (value.length > MAX_VALUE || pattern.length > 64) return null
  const isHead = operator.startsWith('#')
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  const matches = (length: number) =>
    matchesPattern(pattern, isHead ? value.slice(0, length) : value.slice(value.length - length))
  const cut = lengths.find(matches) ?? 0
  return isHead ? value.slice(cut) : value.slice(0, value.length - cut)
}
