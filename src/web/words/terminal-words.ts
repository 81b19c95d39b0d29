/** The strings of the terminal, which load with the rare views. */
export const terminalWords = {
  about:
    'A shell on the phone. It stays open when you go back or close the page, so that you can return to it; End closes it with everything that it started.',
  open: 'Open a terminal',
  opening: 'Opening…',
  missing: (why: string) => `A terminal is not available: ${why}.`,
  left: 'Open terminals',
  enter: 'Return',
  leave: 'Back',
  end: 'End',
  startedAt: (time: string) => `started ${time}`,
  written: (size: string) => `${size} of output`,
  ended: (status: string) => `The terminal has ended: ${status}.`,
  stopped: 'The terminal has ended, because the service stopped.',
  waits: 'Waiting for approval: anyone with that right can answer here or on another device.',
  keys: 'Keys',
  screen: 'Terminal',
  pasteFailed: 'Paste with the keyboard or a long press.',
  names: {
    ...{ esc: 'Esc', tab: 'Tab', ctrl: 'Ctrl', alt: 'Alt', interrupt: 'Ctrl-C', eof: 'Ctrl-D' },
    ...{ pipe: '|', slash: '/', tilde: '~', dash: '-', star: '*' },
  },
  arrows: { up: 'Up', down: 'Down', left: 'Left', right: 'Right' },
} as const
