import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import rules from '@xterm/xterm/css/xterm.css' with { type: 'text' }
import { adopt, letStylesPass } from './styles.ts'
import { themeOf } from './theme.ts'

letStylesPass()
adopt(rules)

const SCROLLBACK_LINES = 5_000

export interface TerminalScreen {
  /** Draws; resolves when that is done. */
  draw(bytes: Uint8Array): Promise<void>
  size(): { rows: number; columns: number }
  /** whether a program asked for application cursor keys */
  isApplied(): boolean
  focus(): void
  /** The page's colours have changed. */
  recolour(): void
  close(): void
}

interface Heard {
  /** somebody typed, or the screen answers a program that asked it something */
  typed(text: string): void
  resized(size: { rows: number; columns: number }): void
}

/** A terminal as large as `element`. */
export function openScreen(element: HTMLElement, label: string, heard: Heard): TerminalScreen {
  const terminal = new Terminal({
    scrollback: SCROLLBACK_LINES,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 14,
    theme: themeOf(element),
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    minimumContrastRatio: 4.5,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(element)
  terminal.textarea?.setAttribute('aria-label', label)
  fit.fit()
  terminal.onData(heard.typed)
  const size = () => ({ rows: terminal.rows, columns: terminal.cols })
  terminal.onResize(() => heard.resized(size()))
  const watched = new ResizeObserver(() => fit.fit())
  watched.observe(element)
  return {
    draw: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    size,
    isApplied: () => terminal.modes.applicationCursorKeysMode,
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
