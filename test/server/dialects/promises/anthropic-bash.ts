import { deniedBy, type Example, failed, noDirectory, notApproved, type Promises, timedOut } from './example.ts'

const none = 'no command provided.'

const runs: Example[] = [
  {
    name: 'a command, and its output without the last line feed',
    arguments: { command: 'ls -la' },
    result: { stdout: 'a\nb\n' },
    expect: {
      request: { command: 'ls -la', timeoutMs: 120_000, policy: {} },
      is_error: false,
      output: 'a\nb',
    },
  },
  {
    name: 'both streams, stdout first',
    arguments: { command: 'make', restart: false },
    result: { stdout: 'out\n', stderr: 'err\n' },
    expect: { is_error: false, output: 'out\nerr' },
  },
  {
    name: 'an exit code other than 0 is an error',
    arguments: { command: 'false', restart: null },
    result: failed(1, { stderr: 'oops\n' }),
    expect: { is_error: true, output: 'oops' },
  },
  {
    name: 'an error without output has its exit code',
    arguments: { command: 'exit 3' },
    result: failed(3, {}),
    expect: { is_error: true, output: 'exit 3' },
  },
  {
    name: 'an end by a signal without output has its signal',
    arguments: { command: 'kill -9 $$' },
    result: { status: 'failed', exit_code: -1, signal: 'SIGKILL' },
    expect: { is_error: true, output: 'exit SIGKILL' },
  },
  {
    name: 'timeout, with the output so far',
    arguments: { command: 'sleep 200' },
    result: timedOut(120, { stdout: 'up\n' }),
    expect: { is_error: true, output: 'up\ntimed out: bash has not returned in 120.0 seconds' },
  },
  {
    name: 'timeout from the settings',
    arguments: { command: 'sleep 200' },
    settings: { timeout_seconds: 0.5 },
    result: timedOut(0.5),
    expect: {
      request: { timeoutMs: 500 },
      is_error: true,
      output: 'timed out: bash has not returned in 0.5 seconds',
    },
  },
  {
    name: 'canceled',
    arguments: { command: 'sleep 200' },
    result: { status: 'canceled', exit_code: -1, stdout: 'up\n' },
    expect: { is_error: true, output: 'up\ncanceled' },
  },
  {
    name: 'denied, with the reason',
    arguments: { command: 'rm -rf /' },
    result: deniedBy({ guard: 'catastrophic', reason: 'deletes everything' }),
    expect: { is_error: true, output: 'deletes everything' },
  },
  {
    name: 'not approved',
    arguments: { command: 'rm x' },
    result: notApproved({ guard: 'risk', reason: 'deletes x' }, 'timeout'),
    expect: { is_error: true, output: 'approval was not given in time: deletes x' },
  },
  {
    name: 'an error of the service',
    arguments: { command: 'ls' },
    result: { problem: noDirectory('/gone') },
    expect: { is_error: true, output: 'Working directory does not exist: /gone' },
  },
]

const calls: Example[] = [
  {
    name: 'restart',
    arguments: { restart: true },
    expect: { endsSession: 'tool has been restarted.' },
  },
  {
    name: 'restart comes before a command',
    arguments: { command: 'ls', restart: true },
    expect: { endsSession: 'tool has been restarted.' },
  },
  { name: 'no command', arguments: {}, expect: { refusal: none } },
  { name: 'a blank command', arguments: { command: ' \n' }, expect: { refusal: none } },
  { name: 'null', arguments: { command: null, restart: null }, expect: { refusal: none } },
  {
    name: 'a command that is no string',
    arguments: { command: 7 },
    expect: { refusal: 'command: expected a string, got 7' },
  },
  {
    name: 'restart that is no boolean',
    arguments: { restart: 'yes' },
    expect: { refusal: 'restart: expected true or false, got "yes"' },
  },
  {
    name: 'an unknown argument',
    arguments: { comand: 'ls' },
    expect: {
      refusal: 'comand: unknown field; expected one of command, restart; did you mean command?',
    },
  },
  { name: 'no object', arguments: 'ls', expect: { refusal: 'body: expected an object, got "ls"' } },
]

/** Anthropic's bash_20250124, as in the quickstart's bash.py. */
export const promises: Promises = {
  tool: 'bash',
  parameters: [
    ['command', 'string', undefined, false],
    ['restart', 'boolean', undefined, false],
  ],
  settings: { timeout_seconds: 120, max_characters: 16_000 },
  examples: [...runs, ...calls],
}
