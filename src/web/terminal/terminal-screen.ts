import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import rules from '@xterm/xterm/css/xterm.css' with { type: 'text' }
import type { RunRecord } from '../../sdk/index.ts'
import { adoptSheet, allowXtermStyles } from './styles.ts'
import { themeOf } from './theme.ts'

allowXtermStyles()
adoptSheet(rules)

const narrow = matchMedia('(width < 30rem)')
const SCROLLBACK_LINES = 5_000
/** A larger size, which any program may set, would use up the browser's memory. */
const MAX_HELD = { rows: 200, columns: 500 }

type WindowSize = NonNullable<RunRecord['tty']>

export interface TerminalScreen {
  /** Resolves when the bytes have been drawn. */
  draw(bytes: Uint8Array): Promise<void>
  size(): WindowSize
  /** Keeps this size, at which earlier output was written, until release(): it may not fill the element, or be larger. */
  hold(size: WindowSize): void
  /** Fills the element again, and wraps the lines again. */
  release(): void
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
  resized(size: WindowSize): void
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
  let isHeld = false
  const watched = new ResizeObserver(() => isHeld || fit.fit())
  watched.observe(element)
  return {
    draw: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    size,
    hold({ rows, columns }) {
      isHeld = true
      terminal.resize(Math.min(columns, MAX_HELD.columns), Math.min(rows, MAX_HELD.rows))
    },
    release() {
      isHeld = false
      fit.fit()
    },
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
