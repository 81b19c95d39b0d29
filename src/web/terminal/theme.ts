import type { ITheme } from '@xterm/xterm'

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/** The current colours of the page, dark or light. */
export function themeOf(element: HTMLElement): ITheme {
  const probe = element.appendChild(document.createElement('i'))
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const plain = names.map((name, index) => [name, read(`ansi-${index}`)])
  const bright = names.map((name, index) => [
    `bright${name[0]!.toUpperCase()}${name.slice(1)}`,
    read(`ansi-${index + 8}`),
  ])
  const theme = {
    ...Object.fromEntries([...plain, ...bright]),
    background: read('sunk'),
    foreground: read('text'),
    cursor: read('accent'),
    cursorAccent: read('sunk'),
    selectionBackground: read('info-soft'),
  }
  probe.remove()
  return theme
}
