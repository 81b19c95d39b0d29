import { deniedBy, type Example, failed, noDirectory, type Promises, timedOut } from './example.ts'

const outputOf = (stdout: string, stderr: string, outcome: object, max_output_length: number | null = null) =>
  JSON.stringify({ output: [{ stdout, stderr, outcome }], max_output_length })
const exit = (exit_code: number) => ({ type: 'exit', exit_code })
const one = { action: { commands: ['ls'] } }

const runs: Example[] = [
  {
    name: 'several commands, each a request',
    arguments: { action: { commands: ['cd /tmp', 'ls', 'pwd'], timeout_ms: 5000, max_output_length: 100 } },
    expect: { request: { command: 'cd /tmp', timeoutMs: 5000, max_length: 100 }, following: ['ls', 'pwd'] },
  },
  {
    name: 'camelCase, strings for numbers and null for omitted fields',
    arguments: { action: { commands: 'ls', timeoutMs: '700', maxOutputLength: null } },
    expect: { request: { command: 'ls', timeoutMs: 700, max_length: undefined }, following: [] },
  },
  {
    name: 'success',
    arguments: { action: { commands: ['ls'], max_output_length: 9 } },
    result: { stdout: 'a\n', stderr: 'b\n' },
    expect: { is_error: false, output: outputOf('a\n', 'b\n', exit(0), 9) },
  },
  {
    name: 'an exit code',
    arguments: one,
    result: failed(3, {}),
    expect: { is_error: false, output: outputOf('', '', exit(3)) },
  },
  {
    name: 'a signal',
    arguments: one,
    result: { status: 'failed', exit_code: -1, signal: 'SIGKILL' },
    expect: { is_error: false, output: outputOf('', '', exit(137)) },
  },
  {
    name: 'a timeout',
    arguments: one,
    result: timedOut(120, { stdout: 'up\n' }),
    expect: { request: { timeoutMs: 120_000 }, is_error: false, output: outputOf('up\n', '', { type: 'timeout' }) },
  },
  {
    name: 'a denied command',
    arguments: one,
    result: deniedBy({ guard: 'catastrophic', reason: 'deletes everything' }),
    expect: { is_error: true, output: outputOf('', 'deletes everything', exit(126)) },
  },
  {
    name: 'a canceled command',
    arguments: one,
    result: { status: 'canceled', exit_code: -1, stdout: 'up\n' },
    expect: { is_error: true, output: outputOf('up\n', 'canceled', exit(126)) },
  },
  {
    name: 'an error of the service',
    arguments: one,
    result: { problem: noDirectory('/gone') },
    expect: { is_error: true, output: outputOf('', 'Working directory does not exist: /gone', exit(126)) },
  },
]

const refused: [string, unknown, string][] = [
  ['no action', {}, 'action: expected an object, got nothing'],
  ['no commands', { action: {} }, 'action.commands: expected a list of strings of at most 32 items, got nothing'],
  [
    'an empty list',
    { action: { commands: [] } },
    'action.commands: expected a list of strings of at most 32 items, got a list',
  ],
  ['a blank command', { action: { commands: ['ls', ' '] } }, 'action.commands.1: expected a command, got nothing'],
  ['a command that is no string', { action: { commands: [1] } }, 'action.commands.0: expected a string, got 1'],
  [
    'timeout_ms',
    { action: { commands: ['ls'], timeout_ms: 0 } },
    'action.timeout_ms: expected an integer of at least 1, got 0',
  ],
  [
    'max_output_length',
    { action: { commands: ['ls'], max_output_length: 'x' } },
    'action.max_output_length: expected an integer of at least 1, got "x"',
  ],
  [
    'an unknown field',
    { action: { commands: ['ls'], timeout: 1 } },
    'action.timeout: unknown field; expected one of commands, timeout_ms, max_output_length; did you mean timeout_ms?',
  ],
  ['another argument', { ...one, call: 1 }, 'call: unknown field; expected one of action'],
  ['no object', [], 'body: expected an object, got a list'],
]

/** OpenAI's shell, as in the types of the package openai. */
export const promises: Promises = {
  tool: 'shell',
  parameters: [['action', 'object', undefined, true]],
  settings: { timeout_ms: 120_000 },
  examples: [...runs, ...refused.map(([name, given, refusal]) => ({ name, arguments: given, expect: { refusal } }))],
}
