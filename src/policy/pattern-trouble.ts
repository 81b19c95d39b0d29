/**
 * What is wrong with a regular expression that an operator wrote: it does not compile, or it can run away (take exponential or
 * high polynomial time). Static and careful: it may refuse a harmless one, and says what to change.
 */
const MAX_PATTERN_LENGTH = 500
const MAX_UNBOUNDED = 3
const BIG_REPEAT = 10

interface Group {
  /** an unbounded or big repetition stands inside */
  repeats: boolean
  alternates: boolean
  lookaround: boolean
}

/** The trouble in words, or null. */
export function patternTrouble(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return `longer than ${MAX_PATTERN_LENGTH} characters`
  try {
    new RegExp(pattern)
  } catch (error) {
    return `does not compile (${(error as Error).message})`
  }
  if (/\\[1-9]|\\k</.test(pattern.replace(/\\\\/g, ''))) return 'can run away (a back reference)'
  return runsAway(pattern)
}

function runsAway(pattern: string): string | null {
  const open: Group[] = [{ repeats: false, alternates: false, lookaround: false }]
  let unbounded = 0
  let closed: Group | null = null
  for (let at = 0; at < pattern.length; at += 1) {
    const top = open.at(-1)!
    const rest = pattern.slice(at)
    const token = /^(?:\\(?:u\{[^}]*\}|[\s\S])|\[\^?(?:\\[\s\S]|[^\]\\])*\])/.exec(rest)?.[0]
    const repeat = token ? null : readRepeat(rest)
    if (token) {
      closed = null
      at += token.length - 1
    } else if (repeat) {
      if (repeat.big) {
        if (closed && (closed.repeats || closed.alternates)) {
          return 'can run away (a repetition of a group that repeats or has alternatives)'
        }
        unbounded += 1
        top.repeats = true
      }
      closed = null
      at += repeat.length - 1
    } else if (rest[0] === '(') {
      open.push({ repeats: false, alternates: false, lookaround: /^\(\?<?[=!]/.test(rest) })
      const head = /^\((?:\?(?:[:=!]|<[=!]|<\w+>|[a-z-]+:))?/.exec(rest)![0]
      at += head.length - 1
      closed = null
    } else if (rest[0] === ')') {
      closed = open.pop()!
      const outer = open.at(-1)
      if (outer) {
        outer.repeats ||= closed.repeats
        outer.alternates ||= closed.alternates && closed.repeats
      }
    } else {
      if (rest[0] === '|') top.alternates = true
      closed = null
    }
  }
  return unbounded > MAX_UNBOUNDED ? `can run away (more than ${MAX_UNBOUNDED} unbounded repetitions)` : null
}

function readRepeat(rest: string): { length: number; big: boolean } | null {
  const simple = /^[*+?]\??/.exec(rest)
  if (simple) return { length: simple[0].length, big: rest[0] !== '?' }
  const counted = /^\{(\d+)(,?)(\d*)\}\??/.exec(rest)
  if (!counted) return null
  const most =
    counted[2] === '' ? Number(counted[1]) : counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3])
  return { length: counted[0].length, big: most > BIG_REPEAT }
}
