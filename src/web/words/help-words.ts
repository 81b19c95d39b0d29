/** The strings of the list of keys, which load with it. */
export const helpWords = {
  title: 'Keys',
  rows: [
    ['?', 'Show these keys'],
    ['r', 'Go to the command field'],
    ['/', 'Search runs; in a run, find in its output'],
    ['Ctrl+F', 'Find in the output of a run; again: find in the page'],
    ['a', 'Go to the oldest pending approval'],
    ['j k', 'Move down and up a list'],
    ['Enter', 'Open; run the command; go to the next match'],
    ['Shift+Enter', 'Start a new line in the command; go to the previous match'],
    ['Ctrl+Enter', 'Run the command'],
    ['↑ ↓', 'Show earlier and later commands'],
    ['Esc', 'Close'],
  ] as [string, string][],
  switch: 'Single-letter keys',
  on: 'on',
  never: 'off',
  typing: 'They are off while you type.',
} as const
