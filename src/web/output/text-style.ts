export const streams = ['stdout', 'stderr'] as const
export type Stream = (typeof streams)[number]

/** The style of a piece of output: CSS classes, and colours that a program chose by number. */
export interface TextStyle {
  classes: string
  /** CSS values of the text and background colours; empty for none */
  colour: string
  ground: string
}

/** The attributes that the escape sequences of a stream have set. */
interface Pen {
  colour: string
  ground: string
  marks: ReadonlySet<string>
}

export const freshPen: Pen = { colour: '', ground: '', marks: new Set() }

/** Plain text on stdout. */
export const PLAIN: TextStyle = { classes: '', colour: '', ground: '' }

const on: Record<number, string> = {
  1: 'bold',
  2: 'faint',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  8: 'hidden',
  9: 'strikethrough',
}
const off: Record<number, string[]> = {
  22: ['bold', 'faint'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  28: ['hidden'],
  29: ['strikethrough'],
}

/** The pen after `ESC [ … m` (SGR; ECMA-48, 8.3.117). */
export function penAfter(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = pen
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!
    if (code === 38 || code === 48) {
      const [colour, length] = extendedColour(codes, at + 1)
      next = { ...next, [code === 38 ? 'colour' : 'ground']: colour }
      at += length
    } else next = afterCode(next, code)
  }
  return next
}

function afterCode(pen: Pen, code: number): Pen {
  if (code === 0) return freshPen
  if (on[code]) return { ...pen, marks: new Set([...pen.marks, on[code]]) }
  if (off[code]) return { ...pen, marks: new Set([...pen.marks].filter((mark) => !off[code]!.includes(mark))) }
  if (code === 39) return { ...pen, colour: '' }
  if (code === 49) return { ...pen, ground: '' }
  const base = Math.floor(code / 10) * 10
  const digit = code - base
  if (digit > 7) return pen
  if (base === 30 || base === 90) return { ...pen, colour: String(digit + (base === 90 ? 8 : 0)) }
  if (base === 40 || base === 100) return { ...pen, ground: String(digit + (base === 100 ? 8 : 0)) }
  return pen
}

/** The colour after 38 or 48, `5 N` or `2 R G B`, and how many parameters it uses. */
function extendedColour(codes: number[], at: number): [colour: string, length: number] {
  if (codes[at] === 5) return [paletteColour(codes[at + 1] ?? 0), 2]
  if (codes[at] === 2) return [toHex(codes.slice(at + 1, at + 4)), 4]
  return ['', 0]
}

const cube = [0, 95, 135, 175, 215, 255]

/** The 256-colour palette: the first 16 colours belong to the theme, then a 6 × 6 × 6 cube, then 24 greys. */
function paletteColour(index: number): string {
  if (!(index >= 16 && index < 256)) return String(index >= 0 && index < 16 ? index : 7)
  if (index >= 232) return toHex(Array<number>(3).fill(8 + (index - 232) * 10))
  const at = index - 16
  return toHex([cube[Math.floor(at / 36)]!, cube[Math.floor(at / 6) % 6]!, cube[at % 6]!])
}

const toHex = (parts: number[]): string =>
  `#${parts
    .map((part) =>
      Math.min(255, part || 0)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

/** Equal styles are the same object, so that adjacent pieces can be joined; this bounds the cache. */
const MAX_CACHED = 4096
const cached = new Map<string, TextStyle>()

export function styleOf({ colour, ground, marks }: Pen, stream: Stream): TextStyle {
  if (colour === '' && ground === '' && marks.size === 0 && stream === 'stdout') return PLAIN
  const [text, below] = marks.has('inverse') && colour + ground !== '' ? [ground, colour] : [colour, ground]
  const others = [...marks].filter((mark) => mark !== 'inverse' || colour + ground === '')
  const classes = [stream === 'stderr' ? 'stderr' : '', ...others, kindOf(text, 'colour'), kindOf(below, 'ground')]
  const style = { classes: classes.filter(Boolean).join(' '), colour: valueOf(text), ground: valueOf(below) }
  const key = JSON.stringify(style)
  if (cached.size < MAX_CACHED && !cached.has(key)) cached.set(key, style)
  return cached.get(key) ?? style
}

const isHex = (colour: string): boolean => colour.startsWith('#')
const kindOf = (colour: string, name: string): string => (colour === '' ? '' : isHex(colour) ? `own-${name}` : name)
const valueOf = (colour: string): string => (colour === '' || isHex(colour) ? colour : `var(--ansi-${colour})`)
