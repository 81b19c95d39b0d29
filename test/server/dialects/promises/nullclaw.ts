import { type Example, failed, noDirectory, type Promises, timedOut } from './example.ts'
import { policyExamples, riskTable, workspace } from './nullclaw-policy.ts'

const listing =
  'total 24\ndrwxr-xr-x  5 user  staff  160 Mar  1 12:00 .\n-rw-r--r--  1 user  staff  100 Mar  1 12:00 README.md\n'

/** Commands from NullClaw's documentation that run, with their output. */
const successes: Example[] = (
  [
    ['ls -la', listing],
    ['git status --short | grep M', ' M src/main.zig\n M src/config.zig\n'],
    ['git status --short', ' M src/main.zig\n'],
    ['zig build', 'ok\n'],
    ["find src -name '*.zig' | wc -l", '12\n'],
    ['zig build test --summary all', 'All 3 tests passed.\n'],
    ['uname -a', 'Linux phone 6.1\n'],
  ] as const
).map(([command, stdout]) => ({
  name: `runs: ${command}`,
  arguments: { command },
  settings: workspace,
  result: { stdout },
  expect: {
    request: { command, working_directory: '/workspace', timeoutMs: 60_000, killGraceMs: 100, policy: riskTable },
    is_error: false,
    output: stdout,
  },
}))

const endings: Example[] = [
  {
    name: 'timeout',
    arguments: { command: 'sleep 120' },
    result: timedOut(60),
    expect: { is_error: true, output: 'Command terminated by signal' },
  },
  {
    name: 'timeout keeps partial output',
    arguments: { command: 'sleep 1000' },
    settings: { timeout_ns: 1_500_000_000 },
    result: timedOut(1.5, { stdout: 'so far\n', stderr: 'warning' }),
    expect: {
      request: { timeoutMs: 1500 },
      is_error: true,
      output: 'Command terminated by signal\nso far\nwarning',
    },
  },
  {
    name: 'signal',
    arguments: { command: './crash' },
    result: failed(-1, { signal: 'SIGTERM' }),
    expect: { is_error: true, output: 'Command terminated by signal' },
  },
  {
    name: 'output limit, binary',
    arguments: { command: 'cat /dev/zero | head -c 10M' },
    result: { stdout: '\0'.repeat(1_048_576), stdout_bytes: 10_485_760 },
    expect: {
      request: { output: { keep: 'head', maxBytes: 1_048_576 } },
      is_error: false,
      output: '[Binary output truncated to 1 MB]',
    },
  },
  {
    name: 'output limit, text',
    arguments: { command: 'seq 9' },
    settings: { max_output_bytes: 4 },
    result: { stdout: '1\n2', stdout_bytes: 18 },
    expect: { output: '1\n2\n[Output truncated to 4 bytes, 15 more bytes]' },
  },
  {
    name: 'output limit, no character fits',
    arguments: { command: 'echo €' },
    settings: { max_output_bytes: 1 },
    result: { stdout: '', stdout_bytes: 4, stderr: 'e' },
    expect: { output: '[Output truncated to 1 bytes, 4 more bytes]\ne' },
  },
  {
    name: 'output limit, bytes that are no text count as what they are',
    arguments: { command: 'cat latin1' },
    settings: { max_output_bytes: 3 },
    result: { stdout: '\ufffd\ufffd\ufffd', stdout_bytes: 5, givenBytes: { stdout: 3, stderr: 0 } },
    expect: { output: '\ufffd\ufffd\ufffd\n[Output truncated to 3 bytes, 2 more bytes]' },
  },
  {
    name: 'command failure',
    arguments: { command: 'ls /nonexistent' },
    result: failed(1, { stderr: 'ls: /nonexistent: No such file or directory\n' }),
    expect: { is_error: true, output: 'ls: /nonexistent: No such file or directory\n' },
  },
  {
    name: 'missing command',
    arguments: { command: 'nonexistent_program' },
    result: failed(127, { stderr: 'sh: nonexistent_program: command not found\n' }),
    expect: { is_error: true, output: 'sh: nonexistent_program: command not found\n' },
  },
  {
    name: 'neither stream is dropped',
    arguments: { command: 'make' },
    result: { stdout: 'built', stderr: 'warning: old\n' },
    expect: { is_error: false, output: 'built\nwarning: old\n' },
  },
  {
    name: 'failure without a word',
    arguments: { command: 'false' },
    result: failed(1, {}),
    expect: { is_error: true, output: 'Command failed with non-zero exit code' },
  },
  {
    name: 'no output',
    arguments: { command: 'touch file.txt' },
    settings: { autonomy: 'full' },
    result: {},
    expect: { is_error: false, output: '(no output)' },
  },
  {
    name: 'canceled',
    arguments: { command: 'sleep 9' },
    result: { status: 'canceled', exit_code: -1 },
    expect: { is_error: true, output: 'Interrupted by /stop' },
  },
  { name: 'no command', arguments: {}, expect: { refusal: "Missing 'command' parameter" } },
  { name: 'blank command', arguments: { command: '' }, expect: { refusal: "Missing 'command' parameter" } },
  {
    name: 'the workspace vanished',
    arguments: { command: 'ls' },
    result: { problem: noDirectory('/workspace') },
    expect: { is_error: true, output: 'Failed to resolve cwd: FileNotFound' },
  },
]

export const promises: Promises = {
  tool: 'shell',
  parameters: [
    ['command', 'string', undefined, true],
    ['cwd', 'string', undefined, false],
  ],
  settings: {
    workspace_dir: '',
    allowed_paths: [],
    timeout_ns: 60_000_000_000,
    max_output_bytes: 1_048_576,
    policy: true,
    autonomy: 'supervised',
    allowed_commands: [],
    require_approval_for_medium_risk: true,
    block_high_risk_commands: true,
    max_actions_per_hour: 20,
    path_env_vars: [],
  },
  examples: [...successes, ...policyExamples, ...endings],
}
