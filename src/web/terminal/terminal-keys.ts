import type { terminalWords } from '../words/terminal-words.ts'

/** A key that touch screens lack. `typed`: the characters that it sends; `application`: those in application cursor mode. */
export interface Key {
  name: keyof typeof terminalWords.names | keyof typeof terminalWords.arrows
  typed: string
  application?: string
}

/** In rows of five, after Ctrl and Alt; the arrows share a row. */
export const keys: Key[] = [
  { name: 'esc', typed: '\x1b' },
  { name: 'tab', typed: '\t' },
  { name: 'interrupt', typed: '\x03' },
  { name: 'left', typed: '\x1b[D', application: '\x1bOD' },
  { name: 'up', typed: '\x1b[A', application: '\x1bOA' },
  { name: 'down', typed: '\x1b[B', application: '\x1bOB' },
  { name: 'right', typed: '\x1b[C', application: '\x1bOC' },
  { name: 'eof', typed: '\x04' },
  { name: 'pipe', typed: '|' },
  { name: 'slash', typed: '/' },
  { name: 'tilde', typed: '~' },
  { name: 'dash', typed: '-' },
  { name: 'star', typed: '*' },
]

interface Modifiers {
  ctrl: boolean
  alt: boolean
}

/** Applies the Ctrl and Alt buttons to typed text: Ctrl turns a letter into its control character, Alt adds an escape prefix. */
export function withModifiers(typed: string, { ctrl, alt }: Modifiers): string {
  const code = typed.length === 1 ? typed.toUpperCase().charCodeAt(0) : 0
  const isControl = ctrl && code >= 0x40 && code <= 0x5f
  return `${alt ? '\x1b' : ''}${isControl ? String.fromCharCode(code & 0x1f) : typed}`
}
