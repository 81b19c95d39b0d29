/** The shell's patterns (* ? [ ]): whether one matches a text, and what the # and % expansions leave of a value. */

/** Longer patterns match everything, to be safe: UTF-16 units. */
const MAX_PATTERN = 256

type Piece = { kind: 'many' } | { kind: 'one'; accepts: (character: string) => boolean }

function pieces(pattern: string): Piece[] {
  const found: Piece[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!
    const set = character === '[' ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(at)) : null
    if (character === '*') {
      if (found.at(-1)?.kind !== 'many') found.push({ kind: 'many' })
    } else if (character === '?') found.push({ kind: 'one', accepts: () => true })
    else if (set) {
      found.push({ kind: 'one', accepts: toSet(set[2]!, set[1] !== '') })
      at += set[0].length - 1
    } else found.push({ kind: 'one', accepts: (other) => other === character })
  }
  return found
}

// a class like [:alpha:] is taken for anything
function toSet(members: string, negated: boolean): (character: string) => boolean {
  if (members.startsWith('[')) return () => true
  return (character) => {
    let inside = false
    for (let at = 0; at < members.length; at += 1) {
      const isRange = members[at + 1] === '-' && at + 2 < members.length
      if (isRange ? members[at]! <= character && character <= members[at + 2]! : members[at] === character) {
        inside = true
      }
      if (isRange) at += 2
    }
    return inside !== negated
  }
}

/** Whether a shell pattern matches a whole text; a slash is a character like any other. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.length > MAX_PATTERN) return true
  const wanted = pieces(pattern)
  let [at, from, star, retry] = [0, 0, -1, 0]
  while (from < text.length) {
    const piece = wanted[at]
    if (piece?.kind === 'many') {
      star = at
      at += 1
      retry = from
    } else if (piece?.accepts(text[from]!)) {
      at += 1
      from += 1
    } else if (star < 0) return false
    else {
      // the last star takes one more
      at = star + 1
      retry += 1
      from = retry
    }
  }
  return wanted.slice(at).every((piece) => piece.kind === 'many')
}

const MAX_VALUE = 512

/** `${value#pattern}`, `##`, `%`, `%%`: the value without its shortest or longest matching head or tail; null: too long to try. */
export function affixPattern(value: string, pattern: string, operator: string): string | null {
  if (value.length > MAX_VALUE || pattern.length > 64) return null
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  for (const length of lengths) {
    const isHead = operator.startsWith('#')
    const cut = isHead ? value.slice(0, length) : value.slice(value.length - length)
    if (matchesPattern(pattern, cut)) return isHead ? value.slice(length) : value.slice(0, value.length - length)
  }
  return value
}
