/** How a piece of output looks: classes of the style, and colours of its own where a program names them by number. */
export interface TextStyle {
  classes: string
  /** of text and ground, as the style takes it; empty: none */
  colour: string
  ground: string
}

/** What the codes of a stream have set so far. */
interface Pen {
  colour: string
  ground: string
  marks: ReadonlySet<string>
}

export const freshPen: Pen = { colour: '', ground: '', marks: new Set() }

/** Nothing is set, and it is stdout. */
export const PLAIN: TextStyle = { classes: '', colour: '', ground: '' }

const on: Record<number, string> = {
  1: 'bold',
  2: 'faint',
  3: 'slant',
  4: 'under',
  7: 'turned',
  8: 'hidden',
  9: 'struck',
}
const off: Record<number, string[]> = {
  22: ['bold', 'faint'],
  23: ['slant'],
  24: ['under'],
  27: ['turned'],
  28: ['hidden'],
  29: ['struck'],
}

/** The pen after `ESC [ … m` (ECMA-48, 8.3.117). */
export function afterCodes(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = pen
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!
    if (code === 38 || code === 48) {
      const [colour, length] = numbered(codes, at + 1)
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

/** The colour behind 38 or 48: `5 N` of 256, or `2 R G B`; and how many numbers that took. */
function numbered(codes: number[], at: number): [colour: string, length: number] {
  if (codes[at] === 5) return [ofTable(codes[at + 1] ?? 0), 2]
  if (codes[at] === 2) return [toHex(codes.slice(at + 1, at + 4)), 4]
  return ['', 0]
}

const cube = [0, 95, 135, 175, 215, 255]

/** The first sixteen are the theme's, then a cube of 6 × 6 × 6, then 24 greys. */
function ofTable(index: number): string {
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

/** What the same pen draws is the same object, so that neighbours become one; of so many pens at least. */
const MAX_KNOWN = 4096
const known = new Map<string, TextStyle>()

export function styleOf({ colour, ground, marks }: Pen, stream: 'stdout' | 'stderr'): TextStyle {
  if (colour === '' && ground === '' && marks.size === 0 && stream === 'stdout') return PLAIN
  const [text, below] = marks.has('turned') && colour + ground !== '' ? [ground, colour] : [colour, ground]
  const others = [...marks].filter((mark) => mark !== 'turned' || colour + ground === '')
  const classes = [stream === 'stderr' ? 'stderr' : '', ...others, kindOf(text, 'colour'), kindOf(below, 'ground')]
  const look = { classes: classes.filter(Boolean).join(' '), colour: valueOf(text), ground: valueOf(below) }
  const key = JSON.stringify(look)
  if (known.size < MAX_KNOWN && !known.has(key)) known.set(key, look)
  return known.get(key) ?? look
}

const isOwn = (colour: string): boolean => colour.startsWith('#')
const kindOf = (colour: string, name: string): string => (colour === '' ? '' : isOwn(colour) ? `own-${name}` : name)
const valueOf = (colour: string): string => (colour === '' || isOwn(colour) ? colour : `var(--ansi-${colour})`)
