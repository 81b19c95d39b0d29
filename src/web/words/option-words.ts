/** The strings of the options of a command, which load on demand. */
export const optionWords = {
  directory: { label: 'Directory', hint: 'Absolute, or ~/…' },
  timeout: {
    label: 'Timeout in seconds',
    hint: 'Empty: the most that max_background_seconds allows (24 h unless changed)',
  },
  sandbox: {
    label: 'Sandbox',
    hint: 'Limits what the command can access',
    setting: 'Default in Settings',
  },
  session: {
    label: 'Session',
    hint: 'Starts where the last command of this session ended, with its variables. A run that changes a session is canceled when no page has shown it for an hour',
  },
  open: 'Keep stdin open, to type into the command while it runs',
} as const
