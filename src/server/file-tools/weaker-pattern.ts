/**
 * Part of a pattern for ripgrep. `fixed`: the least number of bytes in a match for which the part allows only a few values; with too few of
 * them almost every file contains a match.
 */
interface Part {
  source: string
  fixed: number
}

const MIN_FIXED = 2
/** A class with more members counts as if it allowed any byte. */
const MAX_FEW = 10
/** One character or more: a character has up to four bytes, and a byte that is not UTF-8 counts as one for RE2. */
const ANY: Part = { source: '[^\\n]+', fixed: 0 }
const NOTHING: Part = { source: '', fixed: 0 }

/**
 * Returns a pattern of bytes for ripgrep that matches in every line in which RE2 finds a match of `pattern`, and possibly in others; null: the
 * pattern has a part that no row below covers, or almost every file would match. Assertions other than `^` are left out, because RE2 reads
 * lines without their CR and cut at 2000 characters.
 */
export function weakerPattern(pattern: string, isCaseIgnored: boolean): string | null {
  const flag = pattern.startsWith('(?i)') ? 4 : 0
  const reader = new PatternReader(pattern.slice(flag), isCaseIgnored || flag > 0)
  const part = reader.alternatives()
  return part === null || !reader.isAtEnd || part.fixed < MIN_FIXED ? null : part.source
}

class PatternReader {
  #rest: string
  readonly #isCaseIgnored: boolean

  constructor(pattern: string, isCaseIgnored: boolean) {
    this.#rest = pattern
    this.#isCaseIgnored = isCaseIgnored
  }

  get isAtEnd(): boolean {
    return this.#rest === ''
  }

  /** Reads up to the end or the next closing parenthesis. */
  alternatives(): Part | null {
    const sources: string[] = []
    let fixed = Infinity
    do {
      const part = this.#sequence()
      if (part === null) return null
      sources.push(part.source)
      fixed = Math.min(fixed, part.fixed)
    } while (this.#take(/^\|/) !== null)
    return { source: sources.join('|'), fixed }
  }

  #sequence(): Part | null {
    const whole = { ...NOTHING }
    while (!/^(?:$|[|)])/.test(this.#rest)) {
      const atom = this.#atom()
      if (atom === null) return null
      const { source, fixed } = this.#repeated(atom)
      whole.source += source
      whole.fixed += fixed
    }
    return whole
  }

  #repeated(part: Part): Part {
    const found = this.#take(/^([*+?]|\{(\d+)(?:,\d*)?\})\??/)
    if (found === null) return part
    const [, times = '', from] = found
    const least = times === '+' ? 1 : Number(from ?? 0)
    if (part === ANY) return least > 0 ? ANY : { source: '[^\\n]*', fixed: 0 }
    return { source: `(?:${part.source})${times}`, fixed: part.fixed * least }
  }

  #atom(): Part | null {
    if (this.#take(/^\((?:\?:|(?!\?))/) !== null) return this.#group()
    for (const [form, toPart] of atoms) {
      const found = this.#take(form)
      if (found !== null) return toPart(found, this.#isCaseIgnored)
    }
    return null
  }

  #group(): Part | null {
    const part = this.alternatives()
    if (part === null || this.#take(/^\)/) === null) return null
    return { ...part, source: `(?:${part.source})` }
  }

  #take(form: RegExp): RegExpExecArray | null {
    const found = form.exec(this.#rest)
    if (found !== null) this.#rest = this.#rest.slice(found[0].length)
    return found
  }
}

/** The parts that mean the same to RE2 and in this module. To cover another one, add a row, and patterns to preselect.test.ts. */
const atoms: readonly [form: RegExp, toPart: (found: RegExpExecArray, isCaseIgnored: boolean) => Part | null][] = [
  [/^\^/, () => ({ source: '(?m:^)', fixed: 0 })],
  [/^(?:\$|\\[bBAz])/, () => NOTHING],
  [/^(?:\.|\\[DWS])/, () => ANY],
  [/^\\([dws])/, ([, name], isCaseIgnored) => members(perlClasses[name!]!, isCaseIgnored)],
  [/^\\([trfv])/, ([, name], isCaseIgnored) => members([controls[name!]!], isCaseIgnored)],
  [/^\\([!-/:-@[-`{-~])/, ([, sign], isCaseIgnored) => members([sign!.charCodeAt(0)], isCaseIgnored)],
  [/^\[(\^?)((?:\\[dwsDWS]|\\[tnrfv]|\\[!-/:-@[-`{-~]|[ -Z^-~])+)\]/, toClass],
  // RE2 reads a brace that begins no repetition as itself
  [/^\{(?![\d,])/, () => members([0x7b], false)],
  [/^[^\\^$.|?*+()[{\n]/u, ([character], isCaseIgnored) => toLiteral(character, isCaseIgnored)],
]

const codes = (from: string, to: string): number[] =>
  Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, at) => from.charCodeAt(0) + at)

const controls: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13 }
const perlClasses: Record<string, number[]> = {
  d: codes('0', '9'),
  w: [...codes('0', '9'), ...codes('A', 'Z'), 0x5f, ...codes('a', 'z')],
  s: [9, 11, 12, 13, 32],
}

function toLiteral(character: string, isCaseIgnored: boolean): Part | null {
  const code = character.codePointAt(0)!
  if (code < 0x80) return members([code], isCaseIgnored)
  // other letters may fold to characters of other lengths, and RE2 reads bytes that are not UTF-8 as U+FFFD
  if (isCaseIgnored || /[\ufffd\p{Surrogate}]/u.test(character)) return null
  const bytes = [...Buffer.from(character)]
  return { source: `(?:${bytes.map(shown).join('')})`, fixed: bytes.length }
}

function toClass([, negation, content]: RegExpExecArray, isCaseIgnored: boolean): Part | null {
  const found: number[] = []
  let isAny = negation === '^'
  const items = content!.match(/\\?[^]/g)!
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!
    const name = item.length === 2 ? item[1]! : ''
    if (/[DWS]/.test(name)) isAny = true
    else if (/[dws]/.test(name)) found.push(...perlClasses[name]!)
    else {
      const isRange = items[at + 1] === '-' && at + 2 < items.length
      const last = isRange ? items[(at += 2)]! : item
      if (/^\\[a-z]/i.test(last) && isRange) return null
      const from = controls[name] ?? item.charCodeAt(item.length - 1)
      const to = isRange ? last.charCodeAt(last.length - 1) : from
      for (let code = from; code <= to; code++) found.push(code)
    }
  }
  return isAny ? ANY : members(found, isCaseIgnored)
}

/** A class of ASCII characters. Ignoring case, RE2 takes the Kelvin sign for a k and the long s for an s. */
function members(found: number[], isCaseIgnored: boolean): Part | null {
  const all = new Set(found.filter((code) => code !== controls.n))
  if (isCaseIgnored) for (const code of all) for (const other of otherCase(code)) all.add(other)
  if (all.size === 0) return null
  const isPlain = (code: number) => all.has(code) && !all.has(code - 1)
  const ranges = [...all].filter(isPlain).map((from) => {
    let to = from
    while (all.has(to + 1)) to++
    return to === from ? shown(from) : `${shown(from)}-${shown(to)}`
  })
  const folded = isCaseIgnored ? [...(all.has(0x6b) ? [KELVIN_SIGN] : []), ...(all.has(0x73) ? [LONG_S] : [])] : []
  const source = all.size === 1 ? ranges[0]! : `[${ranges.join('')}]`
  const fixed = all.size > MAX_FEW ? 0 : 1
  return { source: folded.length === 0 ? source : `(?:${[source, ...folded].join('|')})`, fixed }
}

const KELVIN_SIGN = String.raw`\xE2\x84\xAA`
const LONG_S = String.raw`\xC5\xBF`

function otherCase(code: number): number[] {
  return /[a-z]/i.test(String.fromCharCode(code)) ? [code ^ 0x20] : []
}

/** A byte as ripgrep's patterns write it. */
const shown = (code: number): string =>
  /[0-9A-Za-z_]/.test(String.fromCharCode(code))
    ? String.fromCharCode(code)
    : `\\x${code.toString(16).padStart(2, '0')}`
