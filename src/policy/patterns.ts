/**
 * Regular expressions of owners and callers, matched in linear time: every state that a text can lead to is followed at once, so that
 * no pattern runs away. Literals, classes, groups, alternatives, repetitions, ^ $ \b \B; no back references and no look-around.
 */
const MAX_PATTERN_LENGTH = 500
const MAX_STATES = 4_000

type Accepts = (character: string) => boolean
type Node =
  | { is: 'empty' }
  | { is: 'one'; accepts: Accepts }
  | { is: 'edge'; holds: (text: string, at: number) => boolean }
  | { is: 'all'; parts: Node[] }
  | { is: 'any'; parts: Node[] }
  | { is: 'repeat'; part: Node; least: number; most: number }

type State =
  | { is: 'one'; accepts: Accepts; next: number }
  | { is: 'edge'; holds: (text: string, at: number) => boolean; next: number }
  | { is: 'split'; next: number[] }
  | { is: 'end' }

class Trouble extends Error {}

const word = /\w/
const isWordAt = (text: string, at: number) => at >= 0 && at < text.length && word.test(text[at]!)
const edges: Readonly<Record<string, (text: string, at: number) => boolean>> = {
  '^': (_text, at) => at === 0,
  $: (text, at) => at === text.length,
  '\\b': (text, at) => isWordAt(text, at - 1) !== isWordAt(text, at),
  '\\B': (text, at) => isWordAt(text, at - 1) === isWordAt(text, at),
}

interface Cursor {
  pattern: string
  at: number
}

const more = ({ pattern, at }: Cursor) => at < pattern.length
function take(cursor: Cursor, expected: string): boolean {
  if (!cursor.pattern.startsWith(expected, cursor.at)) return false
  cursor.at += expected.length
  return true
}

function any(cursor: Cursor): Node {
  const parts = [all(cursor)]
  while (take(cursor, '|')) parts.push(all(cursor))
  return parts.length === 1 ? parts[0]! : { is: 'any', parts }
}

function all(cursor: Cursor): Node {
  const parts: Node[] = []
  while (more(cursor) && cursor.pattern[cursor.at] !== '|' && cursor.pattern[cursor.at] !== ')') {
    parts.push(repeated(cursor, atom(cursor)))
  }
  return { is: 'all', parts }
}

function repeated(cursor: Cursor, part: Node): Node {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(cursor.pattern.slice(cursor.at, cursor.at + 16))
  if (!found) return part
  cursor.at += found[0].length
  const [sign, low, comma, high] = found
  const least = low === undefined ? Number(sign.startsWith('+')) : Number(low)
  const many = low === undefined ? !sign.startsWith('?') : comma !== '' && high === ''
  const most = many ? Infinity : low === undefined ? 1 : Number(high || low)
  if (most < least) throw new Trouble('a repetition of less than its least')
  return repeated(cursor, { is: 'repeat', part, least, most })
}

// a class, an escape, or one character
const pieces = /\[\^?(?:\\[^]|[^\\\]])*\]|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^])|[^]/y

function atom(cursor: Cursor): Node {
  if (take(cursor, '(')) return group(cursor)
  pieces.lastIndex = cursor.at
  const [piece] = pieces.exec(cursor.pattern)!
  cursor.at += piece.length
  const edge = edges[piece]
  if (edge) return { is: 'edge', holds: edge }
  if (/^[*+?]/.test(piece)) throw new Trouble('nothing to repeat')
  if (piece === '[') throw new Trouble('a bracket is open')
  if (piece === '\\') throw new Trouble('a backslash at the end')
  if (/^\\[1-9k]/.test(piece)) throw new Trouble('can run away (a back reference)')
  return { is: 'one', accepts: acceptsFor(piece) }
}

function acceptsFor(piece: string): Accepts {
  if (piece.length === 1 && piece !== '.') return (other) => other === piece
  try {
    const one = new RegExp(`^${piece}$`)
    return (other) => one.test(other)
  } catch {
    throw new Trouble('a range out of order')
  }
}

function group(cursor: Cursor): Node {
  const head = /^\?(?::|<[A-Za-z_]\w*>|(.{1,2}))/.exec(cursor.pattern.slice(cursor.at, cursor.at + 64))
  if (head?.[1]) throw new Trouble('look-around and flags cannot be had')
  cursor.at += head?.[0].length ?? 0
  const inside = any(cursor)
  if (!take(cursor, ')')) throw new Trouble('a bracket is open')
  return inside
}

function readPattern(pattern: string): Node {
  const cursor = { pattern, at: 0 }
  const whole = any(cursor)
  if (more(cursor)) throw new Trouble('a bracket is closed that was not open')
  return whole
}

// each part knows where it leads, so they are laid out from the end
function compile(node: Node, next: number, states: State[]): number {
  if (states.length > MAX_STATES) throw new Trouble('too large (repetitions of repetitions)')
  const add = (state: State) => states.push(state) - 1
  if (node.is === 'empty') return next
  if (node.is === 'one') return add({ is: 'one', accepts: node.accepts, next })
  if (node.is === 'edge') return add({ is: 'edge', holds: node.holds, next })
  if (node.is === 'all') return node.parts.reduceRight((to, part) => compile(part, to, states), next)
  if (node.is === 'any') return add({ is: 'split', next: node.parts.map((part) => compile(part, next, states)) })
  let to = next
  if (node.most === Infinity) {
    const loop: State = { is: 'split', next: [next] }
    to = add(loop)
    loop.next.push(compile(node.part, to, states))
  } else {
    for (let more = node.least; more < node.most; more += 1) {
      to = add({ is: 'split', next: [next, compile(node.part, to, states)] })
    }
  }
  for (let must = 0; must < node.least; must += 1) to = compile(node.part, to, states)
  return to
}

function matches(states: readonly State[], start: number, text: string): boolean {
  let now = new Set<number>()
  for (let at = 0; ; at += 1) {
    if (enter(start, now, states, text, at)) return true
    if (at >= text.length) return false
    const then = new Set<number>()
    for (const place of now) {
      const state = states[place]!
      if (state.is === 'one' && state.accepts(text[at]!) && enter(state.next, then, states, text, at + 1)) return true
    }
    now = then
  }
}

// whether the end was reached without reading on
function enter(start: number, into: Set<number>, states: readonly State[], text: string, at: number): boolean {
  const waiting = [start]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (into.has(place)) continue
    into.add(place)
    const state = states[place]!
    if (state.is === 'end') return true
    if (state.is === 'split') waiting.push(...state.next)
    else if (state.is === 'edge' && state.holds(text, at)) waiting.push(state.next)
  }
  return false
}

const known = new Map<string, ((text: string) => boolean) | Trouble>()
const MAX_KNOWN = 2_000

function read(pattern: string): ((text: string) => boolean) | Trouble {
  try {
    if (pattern.length > MAX_PATTERN_LENGTH) throw new Trouble(`longer than ${MAX_PATTERN_LENGTH} characters`)
    const states: State[] = [{ is: 'end' }]
    const start = compile(readPattern(pattern), 0, states)
    return (text) => matches(states, start, text)
  } catch (error) {
    return error instanceof Trouble ? error : new Trouble('nested too deep')
  }
}

function readOnce(pattern: string): ((text: string) => boolean) | Trouble {
  const before = known.get(pattern)
  if (before) return before
  if (known.size >= MAX_KNOWN) known.clear()
  const made = read(pattern)
  known.set(pattern, made)
  return made
}

/** What tries a pattern on a text, anywhere in it; null where the pattern cannot be had. */
export function toMatcher(pattern: string): ((text: string) => boolean) | null {
  const made = readOnce(pattern)
  return made instanceof Trouble ? null : made
}

/** What is wrong with a pattern, in words; null: nothing. */
export function patternTrouble(pattern: string): string | null {
  const made = readOnce(pattern)
  if (!(made instanceof Trouble)) return null
  return /run away|longer|too large/.test(made.message) ? made.message : `does not compile (${made.message})`
}
