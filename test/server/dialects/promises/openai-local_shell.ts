import { type Example, failed, type Promises } from './example.ts'

const call = (more: object) => ({ action: { type: 'exec', command: ['ls'], env: {}, ...more } })

const runs: Example[] = [
  {
    name: 'words are literal',
    arguments: call({ command: ['grep', '-rn', '$HOME *', "it's"] }),
    expect: { request: { command: `grep -rn '$HOME *' 'it'\\''s'`, timeoutMs: 120_000, env: {} } },
  },
  {
    name: 'all fields, in camelCase',
    arguments: call({ env: { A_b: '1' }, timeoutMs: 10, workingDirectory: '/tmp', user: null }),
    expect: { request: { command: 'ls', timeoutMs: 10, env: { A_b: '1' }, working_directory: '/tmp' } },
  },
  { name: 'the current user', arguments: call({ user: 'user' }), expect: { request: { command: 'ls' } } },
  {
    name: 'the output is a JSON string',
    arguments: call({}),
    result: failed(2, { stdout: 'a', stderr: 'b' }),
    expect: {
      is_error: false,
      output: '{"stdout":"a","stderr":"b","outcome":{"type":"exit","exit_code":2}}',
    },
  },
]

const refused: [string, unknown, string][] = [
  ['another user', call({ user: 'root' }), 'action.user: expected user, as which commands run here, got root'],
  [
    'no command',
    { action: { type: 'exec', env: {} } },
    'action.command: expected a list of strings of at most 1000 items, got nothing',
  ],
  ['no program', call({ command: [''] }), 'action.command.0: expected a program, got nothing'],
  ['type', { action: { type: 'run', command: ['ls'] } }, 'action.type: expected "exec", got "run"'],
  ['env', call({ env: { A: 1 } }), 'action.env.A: expected a string, got 1'],
  ['timeout_ms', call({ timeout_ms: 1.5 }), 'action.timeout_ms: expected an integer of at least 1, got 1.5'],
  ['user', call({ user: 1 }), 'action.user: expected a string, got 1'],
  ['working_directory', call({ working_directory: 1 }), 'action.working_directory: expected a string, got 1'],
  [
    'an unknown field',
    call({ cwd: '/' }),
    'action.cwd: unknown field; expected one of type, command, env, timeout_ms, user, working_directory; did you mean working_directory?',
  ],
]

/** OpenAI's local_shell, as in the types of the package openai. */
export const promises: Promises = {
  tool: 'local_shell',
  parameters: [['action', 'object', undefined, true]],
  settings: { timeout_ms: 120_000 },
  examples: [...runs, ...refused.map(([name, given, refusal]) => ({ name, arguments: given, expect: { refusal } }))],
}
