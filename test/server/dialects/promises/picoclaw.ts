import { deniedBy, type Example, failed, noDirectory, notApproved, type Promises, timedOut } from './example.ts'
import { guardExamples } from './picoclaw-guards.ts'

const guarded = (words: string) => `Command blocked by safety guard (${words})`

const long = 'x'.repeat(15_000)

const formats: Example[] = [
  {
    name: 'combined output',
    arguments: { command: 'make' },
    result: { stdout: '[stdout content]\n', stderr: '[stderr content]' },
    expect: { is_error: false, output: '[stdout content]\n\nSTDERR:\n[stderr content]' },
  },
  {
    name: 'combined output without a newline at the end of stdout',
    arguments: { command: 'make' },
    result: { stdout: '[stdout content]', stderr: '[stderr content]' },
    expect: { output: '[stdout content]\n\nSTDERR:\n[stderr content]' },
  },
  {
    name: 'exit code',
    arguments: { command: 'ls missing' },
    result: failed(1, {
      stdout: 'Error: file not found\n',
      stderr: "ls: cannot access 'missing': No such file or directory\n",
    }),
    expect: {
      is_error: true,
      output:
        "Error: file not found\n\nSTDERR:\nls: cannot access 'missing': No such file or directory\nExit code: exit status 1",
    },
  },
  {
    name: 'exit code without output',
    arguments: { command: 'exit 3' },
    result: failed(3, {}),
    expect: { is_error: true, output: 'Exit code: exit status 3' },
  },
  {
    name: 'ended by a signal',
    arguments: { command: './crash' },
    result: failed(-1, { signal: 'SIGKILL', stdout: 'a\n' }),
    expect: { is_error: true, output: 'a\nExit code: signal: killed' },
  },
  {
    name: 'truncation',
    arguments: { command: 'cat long' },
    result: { stdout: long },
    expect: { is_error: false, output: `${'x'.repeat(10_000)}\n... (truncated, 5000 more chars)` },
  },
  {
    name: 'truncation never cuts off the exit code, and counts what was never kept',
    arguments: { command: 'cat long' },
    result: failed(2, { stdout: long, stdout_bytes: 20_000 }),
    expect: {
      output: `${'x'.repeat(10_000)}\n... (truncated, 10000 more chars)\nExit code: exit status 2`,
    },
  },
  {
    name: 'truncation counts what was not given of both streams',
    arguments: { command: 'cat long' },
    result: { stdout: long, stdout_bytes: 2_000_000, stderr: 'e', stderr_bytes: 11 },
    expect: { output: `${'x'.repeat(10_000)}\n... (truncated, 1990021 more chars)` },
  },
  {
    name: 'truncation counts characters, not halves of them',
    arguments: { command: 'cat emoji' },
    result: { stdout: '🦞'.repeat(10_001) },
    expect: { output: `${'🦞'.repeat(10_000)}\n... (truncated, 1 more chars)` },
  },
  {
    name: 'empty output',
    arguments: { command: 'true' },
    result: {},
    expect: { is_error: false, output: '(no output)' },
  },
  {
    name: 'timeout',
    arguments: { command: 'sleep 90' },
    result: timedOut(60),
    expect: { is_error: true, output: 'Command timed out after 1m0s' },
  },
  {
    name: 'timeout keeps partial output',
    arguments: { command: 'sleep 90' },
    result: timedOut(60, { stdout: '[partial output before timeout]' }),
    expect: {
      is_error: true,
      output: 'Command timed out after 1m0s\n\n[partial output before timeout]',
    },
  },
  ...(
    [
      [0.5, '500ms'],
      [1.5, '1.5s'],
      [90, '1m30s'],
      [3600, '1h0m0s'],
      [86_400, '24h0m0s'],
    ] as const
  ).map(([seconds, words]) => ({
    name: `timeout as Go writes it: ${words}`,
    arguments: { command: 'sleep 1d' },
    result: timedOut(seconds),
    expect: { output: `Command timed out after ${words}` },
  })),
  {
    name: 'canceled',
    arguments: { command: 'sleep 90' },
    result: { status: 'canceled', exit_code: -1, stdout: 'a\n' },
    expect: { is_error: true, output: 'a\nCommand canceled' },
  },
]

const refusals: Example[] = [
  { name: 'no command', arguments: {}, expect: { refusal: 'command is required' } },
  { name: 'blank command', arguments: { command: ' ' }, expect: { refusal: 'command is required' } },
  {
    name: 'wrong type',
    arguments: { command: 'ls', working_dir: 1 },
    expect: { refusal: 'working_dir: expected a string, got 1' },
  },
  {
    name: 'execution error',
    arguments: { command: 'nonexistent' },
    result: {
      problem: {
        code: 'NOT_STARTED',
        message: 'Failed to start process: spawn nonexistent ENOENT',
        about: 'spawn nonexistent ENOENT',
      },
    },
    expect: {
      is_error: true,
      output: 'failed to start command: exec: "nonexistent": executable file not found in $PATH',
    },
  },
  {
    name: 'no such working directory',
    arguments: { command: 'ls', working_dir: '/missing' },
    result: { problem: noDirectory('/missing') },
    expect: { is_error: true, output: 'failed to start command: chdir /missing: no such file or directory' },
  },
  {
    name: 'other guards say their reason',
    arguments: { command: 'ls' },
    result: deniedBy({ guard: 'rate', reason: 'more than 20 actions in an hour' }),
    expect: { is_error: true, output: guarded('more than 20 actions in an hour') },
  },
  {
    name: 'allowlist',
    arguments: { command: 'ls' },
    result: deniedBy({ guard: 'allowlist' }),
    expect: { output: guarded('not in allowlist') },
  },
  {
    name: 'catastrophic',
    arguments: { command: 'rm -rf /' },
    result: deniedBy({ guard: 'catastrophic', reason: 'wipes the root' }),
    expect: { output: guarded('dangerous pattern detected') },
  },
  {
    name: "approval that the owner's policy wants and nobody gave",
    arguments: { command: 'touch x' },
    result: notApproved({ guard: 'risk', reason: 'medium risk' }, 'timeout'),
    expect: { is_error: true, output: guarded('approval was not given in time: medium risk') },
  },
]

export const promises: Promises = {
  tool: 'exec',
  parameters: [
    ['command', 'string', undefined, true],
    ['working_dir', 'string', undefined, false],
  ],
  settings: {
    enable_deny_patterns: true,
    custom_deny_patterns: [],
    custom_allow_patterns: [],
    restrict_to_workspace: false,
    workspace: '',
    timeout_seconds: 60,
  },
  examples: [...guardExamples, ...formats, ...refusals],
}
