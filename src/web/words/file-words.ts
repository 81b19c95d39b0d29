/** The strings of the views Jobs and Files, which load on demand. */
export const fileWords = {
  jobs: {
    about:
      'Runs one command on several phones of this fleet. Each phone judges it by its own policy, and an offline phone gets it when it returns.',
    all: 'All phones',
    withLabel: (label: string) => `With the label ${label}`,
    chosen: 'Chosen phones',
    wait: 'Offline phones may start it',
    waits: { 60: 'within a minute', 3600: 'within an hour', 86400: 'within a day', 604800: 'within a week' },
    waitHint: 'A phone that returns later does not run it.',
    targets: (count: number, offline: number) =>
      `${count} ${count === 1 ? 'phone' : 'phones'}${offline > 0 ? `, ${offline} of them offline` : ''}`,
    run: (count: number) => `Run on ${count} ${count === 1 ? 'phone' : 'phones'}`,
    recent: 'Jobs of this browser',
    none: 'This browser has started no job.',
    one: 'Job',
    by: 'Token',
    submitted: 'Started',
    expires: 'Offline phones until',
    cancel: 'Cancel the job',
    counts: (counts: Readonly<Record<string, number>>) =>
      Object.entries(counts)
        .map(([state, count]) => `${count} ${fileWords.jobs.state[state as 'queued'] ?? state}`)
        .join(', '),
    state: {
      queued: 'waiting for the phone',
      sent: 'sent',
      accepted: 'accepted',
      running: 'running',
      ended: 'ended',
      refused: 'refused',
      unknown: 'unknown',
      withdrawn: 'canceled',
      expired: 'not started in time',
    },
    outputOf: (name: string) => `Output on ${name}`,
    truncated: 'Show the whole output',
    link: 'Run a command on several phones',
  },
  files: {
    about: 'Each list, download and upload is judged and recorded like the command that does the same.',
    home: 'Home',
    above: 'Directories above',
    path: 'Path',
    open: 'Open',
    empty: 'This directory is empty.',
    upload: 'Upload files here',
    choose: 'Files to upload',
    transfers: 'Transfers',
    progress: (bytes: string, total: string) => `${bytes} of ${total}`,
    of: { upload: (name: string) => `Upload of ${name}`, download: (name: string) => `Download of ${name}` },
    state: { done: 'complete', failed: 'failed', exists: 'a file with this name already exists' },
    replace: 'Replace the file',
    download: (name: string) => `Download ${name}`,
  },
} as const
