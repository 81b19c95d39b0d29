import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import rules from '@xterm/xterm/css/xterm.css' with { type: 'text' }
import { adoptSheet, allowXtermStyles } from './styles.ts'
import { themeOf } from './theme.ts'

allowXtermStyles()
adoptSheet(rules)

const narrow = matchMedia('(width < 30rem)')
const SCROLLBACK_LINES = 5_000

export interface TerminalScreen {
  /** Resolves when the bytes have been drawn. */
  draw(bytes: Uint8Array): Promise<void>
  size(): { rows: number; columns: number }
  /** whether a program requested application cursor keys */
  isApplicationMode(): boolean
  focus(): void
  /** Applies the colours of the current theme. */
  recolour(): void
  close(): void
}

interface ScreenListener {
  /** text that the user typed, or the screen's answer to a request from a program */
  typed(text: string): void
  resized(size: { rows: number; columns: number }): void
  /** a program set the title of the window */
  titled(title: string): void
}

/** Opens a terminal that fills `element` and follows its size. */
export function openScreen(element: HTMLElement, label: string, listener: ScreenListener): TerminalScreen {
  const terminal = new Terminal({
    scrollback: SCROLLBACK_LINES,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: narrow.matches ? 12 : 14, // on a phone, room for more columns
    lineHeight: 1.2, // at 1, the next row covers the underscores of some fonts
    theme: themeOf(element),
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    minimumContrastRatio: 4.5,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(element)
  terminal.textarea?.setAttribute('aria-label', label)
  fit.fit()
  terminal.onData(listener.typed)
  terminal.onTitleChange(listener.titled)
  const size = () => ({ rows: terminal.rows, columns: terminal.cols })
  terminal.onResize(() => listener.resized(size()))
  const watched = new ResizeObserver(() => fit.fit())
  watched.observe(element)
  return {
    draw: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    size,
    isApplicationMode: () => terminal.modes.applicationCursorKeysMode,
    focus: () => terminal.focus(),
    recolour: () => {
      terminal.options.theme = themeOf(element)
    },
    close() {
      watched.disconnect()
      terminal.dispose()
    },
  }
}
