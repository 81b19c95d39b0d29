/** What the escape sequences of a terminal do. */
interface EscapeActions {
  send(text: string): void
  leave(): void
  help(): void
}

export const ESCAPE_HELP = [
  'Escape sequences, at the beginning of a line:',
  '  ~.  leave the terminal running',
  '  ~~  send one ~',
  '  ~?  show this help',
]

/** Returns a function that takes typed or pasted text, and interprets a tilde at the beginning of a line as ssh does. */
export function createEscapes({ send, leave, help }: EscapeActions): (text: string) => void {
  let isLineStart = true
  let isHeld = false // a tilde that may begin an escape sequence
  return (text) => {
    let plain = ''
    const flush = () => {
      if (plain !== '') send(plain)
      plain = ''
    }
    for (const key of text) {
      if (!isHeld && isLineStart && key === '~') {
        isHeld = true
        continue
      }
      if (isHeld && key === '.') {
        flush()
        return leave()
      }
      if (isHeld && key === '?') help()
      else plain += isHeld && key !== '~' ? `~${key}` : key
      isLineStart = key === '\r' || key === '\n' || (isHeld && key === '?')
      isHeld = false
    }
    flush()
  }
}
