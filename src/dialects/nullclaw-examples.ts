import { deniedBy, type Example, failed, notApproved, timedOut } from './example.ts'

const workspace = { workspace_dir: '/workspace' }
const policySample = {
  ...workspace,
  allowed_commands: ['git', 'ls', 'cat', 'grep', 'echo', 'touch'],
}
const riskTable = {
  autonomy: 'supervised',
  require_approval_for_medium_risk: true,
  block_high_risk_commands: true,
  max_actions_per_hour: 20,
} as const

const listing =
  'total 24\ndrwxr-xr-x  5 user  staff  160 Mar  1 12:00 .\n-rw-r--r--  1 user  staff  100 Mar  1 12:00 README.md\n'

/** Commands of the seed that run, with what they print. */
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

const directories: Example[] = [
  {
    name: 'cwd: the workspace by default',
    arguments: { command: 'pwd' },
    settings: workspace,
    result: { stdout: '/workspace\n' },
    expect: { request: { working_directory: '/workspace' }, is_error: false, output: '/workspace\n' },
  },
  {
    name: 'cwd: custom',
    arguments: { command: 'pwd', cwd: '/workspace/src' },
    settings: workspace,
    result: { stdout: '/workspace/src\n' },
    expect: { request: { working_directory: '/workspace/src' }, output: '/workspace/src\n' },
  },
  {
    name: 'cwd: within the workspace',
    arguments: { command: 'ls', cwd: '/workspace/src' },
    settings: workspace,
    result: { stdout: 'main.zig\nconfig.zig\nutils.zig\n' },
    expect: { output: 'main.zig\nconfig.zig\nutils.zig\n' },
  },
  {
    name: 'cwd: in allowed_paths',
    arguments: { command: 'ls', cwd: '/data' },
    settings: { ...workspace, allowed_paths: ['/data', '/home/user/projects'] },
    expect: { request: { working_directory: '/data' } },
  },
  {
    name: 'cwd: any path is allowed by *',
    arguments: { command: 'ls', cwd: '/etc' },
    settings: { ...workspace, allowed_paths: [' * '] },
    expect: { request: { working_directory: '/etc' } },
  },
  ...(
    [
      ['/etc', 'cwd is outside allowed areas'],
      ['/workspace-other', 'cwd is outside allowed areas'],
      ['/workspace/link', 'cwd is outside allowed areas'],
      ['/workspace/../etc', 'cwd is outside allowed areas'],
      ['src', 'cwd must be an absolute path'],
      ['', 'cwd must be an absolute path'],
      ['/missing', 'Failed to resolve cwd: FileNotFound'],
    ] as const
  ).map(([cwd, refusal]) => ({
    name: `cwd: ${cwd} is refused`,
    arguments: { command: 'ls', cwd },
    settings: { ...workspace, allowed_paths: ['/data'] },
    expect: { refusal },
  })),
  {
    name: 'cwd: no workspace at all',
    arguments: { command: 'ls', cwd: '/etc' },
    settings: { workspace_dir: '/missing' },
    expect: { refusal: 'cwd not allowed (workspace unavailable and no allowed_paths configured)' },
  },
]

const policy: Example[] = [
  {
    name: 'approval required',
    arguments: { command: 'touch test.txt' },
    settings: policySample,
    result: notApproved({ guard: 'risk', risk: 'medium', rule: 'file-write' }, 'expired'),
    expect: {
      request: { policy: { ...riskTable, allowed_commands: policySample.allowed_commands } },
      is_error: true,
      output: 'Command requires approval (medium/high risk): touch test.txt',
    },
  },
  {
    name: 'approval given: the command runs',
    arguments: { command: 'touch file.txt' },
    settings: policySample,
    result: { approval: 'approved', decision: { verdict: 'ask', rule: 'risk/file-write', reason: null } },
    expect: { is_error: false, output: '(no output)' },
  },
  {
    name: 'blocked command',
    arguments: { command: 'rm -rf /' },
    result: deniedBy({ guard: 'risk', risk: 'high', rule: 'delete' }),
    expect: { is_error: true, output: 'High-risk command blocked by security policy' },
  },
  {
    name: 'blocked command that the allowlist refuses as well',
    arguments: { command: 'rm -rf /' },
    settings: policySample,
    result: {
      status: 'denied',
      exit_code: -1,
      decision: {
        verdict: 'deny',
        rule: 'allowlist/not-listed',
        reason: null,
        guards: [
          { guard: 'allowlist', verdict: 'deny', risk: 'medium', rule: 'not-listed', command: 'rm', reason: null },
          { guard: 'catastrophic', verdict: 'deny', risk: 'high', rule: 'wipe', command: 'rm', reason: null },
        ],
      },
    },
    expect: { is_error: true, output: 'High-risk command blocked by security policy' },
  },
  {
    name: 'allowlist',
    arguments: { command: 'rm file.txt' },
    settings: { allowed_commands: ['git', 'ls', 'cat', 'grep'] },
    result: deniedBy({ guard: 'allowlist', risk: 'medium', rule: 'not-listed' }),
    expect: {
      request: { policy: { ...riskTable, allowed_commands: ['git', 'ls', 'cat', 'grep'] } },
      is_error: true,
      output: 'Command not allowed by security policy',
    },
  },
  {
    name: 'medium risk that is denied outright',
    arguments: { command: 'touch x' },
    result: deniedBy({ guard: 'risk', risk: 'medium' }),
    expect: { output: 'Medium-risk command blocked by security policy' },
  },
  {
    name: 'read-only autonomy',
    arguments: { command: 'ls' },
    settings: { autonomy: 'read_only' },
    result: deniedBy({ guard: 'risk', risk: 'low', rule: 'read-only' }),
    expect: {
      request: { policy: { ...riskTable, autonomy: 'read_only' } },
      output: 'Action blocked: agent is in read-only mode',
    },
  },
  {
    name: 'rate limit',
    arguments: { command: 'ls' },
    result: deniedBy({ guard: 'rate', risk: 'low' }),
    expect: { is_error: true, output: 'Rate limit exceeded' },
  },
  {
    name: 'rate limit as an error',
    arguments: { command: 'ls' },
    result: { problem: { code: 'RATE_LIMITED', message: 'too many requests' } },
    expect: { is_error: true, output: 'Rate limit exceeded' },
  },
  {
    name: 'cwd refused by the guard',
    arguments: { command: 'ls' },
    result: deniedBy({ guard: 'workspace', rule: 'cwd-outside' }),
    expect: { output: 'cwd is outside allowed areas' },
  },
]

const environment: Example[] = [
  {
    name: 'environment: safe names alone',
    arguments: { command: 'env' },
    settings: workspace,
    expect: {
      request: {
        environment: {
          mode: 'only',
          names: ['PATH', 'HOME', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'USER', 'SHELL', 'TMPDIR'],
          pathNames: [],
          pathRoots: ['/workspace'],
        },
      },
    },
  },
  {
    name: 'environment: path_env_vars with the places they may point to',
    arguments: { command: 'env' },
    settings: { ...workspace, allowed_paths: ['/data', '/missing'], path_env_vars: ['PYTHONPATH'] },
    expect: {
      request: {
        environment: {
          mode: 'only',
          names: ['PATH', 'HOME', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'USER', 'SHELL', 'TMPDIR'],
          pathNames: ['PYTHONPATH'],
          pathRoots: ['/workspace', '/data'],
        },
      },
    },
  },
]

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
    arguments: { command: 'kill $$' },
    result: failed(-1, { signal: 'SIGTERM' }),
    expect: { is_error: true, output: 'Command terminated by signal' },
  },
  {
    name: 'output limit, binary',
    arguments: { command: 'cat /dev/zero | head -c 10M' },
    result: { stdout: '\0'.repeat(1_048_576), stdout_bytes: 10_485_760, truncated: true },
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
    result: { stdout: '1\n2é', stdout_bytes: 18, truncated: true },
    expect: { output: '1\n2\n[Output truncated to 4 bytes, 15 more bytes]' },
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
    result: { problem: { code: 'VALIDATION_ERROR', message: 'Working directory does not exist: /workspace' } },
    expect: { is_error: true, output: 'Failed to resolve cwd: FileNotFound' },
  },
]

export const examples: Example[] = [...successes, ...directories, ...policy, ...environment, ...endings]
