/** Keys that a touch screen has not. `typed`: what they send; `applied`: the same where a program asked for application cursor keys. */
export interface Key {
  name: 'esc' | 'tab' | 'interrupt' | 'eof' | 'up' | 'down' | 'left' | 'right'
  typed: string
  applied?: string
}

export const keys: Key[] = [
  { name: 'esc', typed: '\x1b' },
  { name: 'tab', typed: '\t' },
  { name: 'left', typed: '\x1b[D', applied: '\x1bOD' },
  { name: 'up', typed: '\x1b[A', applied: '\x1bOA' },
  { name: 'down', typed: '\x1b[B', applied: '\x1bOB' },
  { name: 'right', typed: '\x1b[C', applied: '\x1bOC' },
  { name: 'interrupt', typed: '\x03' },
  { name: 'eof', typed: '\x04' },
]

interface Held {
  ctrl: boolean
  alt: boolean
}

/** What is typed while Ctrl or Alt of the bar is held: of a letter its control character; Alt puts an escape before it. */
export function withHeld(typed: string, { ctrl, alt }: Held): string {
  const code = typed.length === 1 ? typed.toUpperCase().charCodeAt(0) : 0
  const isControl = ctrl && code >= 0x40 && code <= 0x5f
  return `${alt ? '\x1b' : ''}${isControl ? String.fromCharCode(code & 0x1f) : typed}`
}
