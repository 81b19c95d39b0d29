import { encode } from 'uqr'

/** The quiet zone around a QR code, in modules. */
const MARGIN = 4

/** The dark modules of a QR code as an SVG path, and the length of a side in modules. Loaded when the user asks for a code. */
export function drawQrCode(text: string): { path: string; side: number } {
  const { data, size } = encode(text, { border: 0 })
  const squares = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : '')),
  )
  return { path: squares.join(''), side: size + 2 * MARGIN }
}
