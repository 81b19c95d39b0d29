import { deniedBy, type Example, failed, noDirectory, notApproved, type Promises, timedOut } from './example.ts'

const required = "Parameter 'command' is required and cannot be empty"

/** The commands of FEAT-029's typical scenarios go to the shell as they are. */
const scenarios: Example[] = [
  'ls -la /sdcard/Download/',
  'pm list packages',
  'cat /proc/cpuinfo',
  'find /sdcard -name "*.pdf" -mtime -7',
  'ping -c 3 google.com',
  'getprop ro.build.version.release',
  "grep 'special $characters' \"it's\" > out.txt 2>&1",
].map((command) => ({
  name: `scenario: ${command}`,
  arguments: { command },
  result: { stdout: 'x\n', stdout_bytes: 2 },
  expect: {
    request: { command, timeout_seconds: 30, max_length: 50_000, timeoutMs: null, policy: {} },
    is_error: false,
    output: '[Exit Code: 0]\nx\n',
  },
}))

const formats: Example[] = [
  {
    name: 'output format: stdout alone',
    arguments: { command: 'echo hello | tr a-z A-Z' },
    result: { stdout: 'HELLO\n' },
    expect: { is_error: false, output: '[Exit Code: 0]\nHELLO\n' },
  },
  {
    name: 'output format: stdout and stderr',
    arguments: { command: 'make' },
    result: failed(1, { stdout: 'building', stderr: 'oops' }),
    expect: { is_error: false, output: '[Exit Code: 1]\nbuilding\n[stderr]\noops' },
  },
  {
    name: 'stderr alone: the message of the shell',
    arguments: { command: 'nonexistent' },
    result: failed(127, { stderr: 'sh: 1: nonexistent: not found\n' }),
    expect: { is_error: false, output: '[Exit Code: 127]\n[stderr]\nsh: 1: nonexistent: not found\n' },
  },
  {
    name: 'output format: timeout',
    arguments: { command: 'sleep 60', timeout_seconds: 30 },
    result: timedOut(30, { stdout: 'partial\n' }),
    expect: {
      is_error: false,
      output: '[Exit Code: -1 (timeout)]\npartial\n[stderr]\nProcess killed after 30 seconds timeout.',
    },
  },
  {
    name: 'timeout with stderr so far and nothing on stdout',
    arguments: { command: 'sleep 60', timeout_seconds: 5 },
    result: timedOut(5, { stderr: 'warming up' }),
    expect: {
      output: '[Exit Code: -1 (timeout)]\n[stderr]\nwarming up\nProcess killed after 5 seconds timeout.',
    },
  },
  {
    name: 'no output: success with an indication',
    arguments: { command: 'true' },
    result: {},
    expect: { is_error: false, output: '[Exit Code: 0]\n(no output)' },
  },
  {
    name: 'stdout is verbatim, blank lines and all',
    arguments: { command: 'printf "a\\n\\n\\n"' },
    result: { stdout: '\n a\n\n\n' },
    expect: { output: '[Exit Code: 0]\n\n a\n\n\n' },
  },
  {
    name: 'killed by a signal',
    arguments: { command: 'kill -9 $$' },
    result: failed(-1, { signal: 'SIGKILL', stdout: 'a' }),
    expect: { is_error: false, output: '[Exit Code: -1]\na' },
  },
  {
    name: 'canceled',
    arguments: { command: 'sleep 9' },
    result: { status: 'canceled', exit_code: -1, signal: 'SIGTERM' },
    expect: { is_error: true, output: '[Exit Code: -1]\n(no output)' },
  },
]

const denials: Example[] = [
  {
    name: 'optional blocklist: rm -rf /',
    arguments: { command: 'rm -rf /' },
    result: deniedBy({ guard: 'catastrophic', rule: 'wipe-root', reason: 'this would wipe the device' }),
    expect: { is_error: true, output: '[Exit Code: -1]\n[stderr]\nthis would wipe the device' },
  },
  {
    name: 'optional blocklist: reboot',
    arguments: { command: 'reboot' },
    result: deniedBy({ guard: 'catastrophic', rule: 'power', reason: 'this would restart the device' }),
    expect: { is_error: true, output: '[Exit Code: -1]\n[stderr]\nthis would restart the device' },
  },
  ...(
    [
      ['denied', 'approval was refused: high risk'],
      ['timeout', 'approval was not given in time: high risk'],
      [
        'nobody',
        'approval is required, but nobody can be asked: high risk (the setting approval_timeout_seconds is 0; raise it so ' +
          'that a person can answer with shellphone approvals)',
      ],
      [
        'full',
        'approval is required, but nobody can be asked: high risk (the setting max_pending_approvals allows no more ' +
          'pending requests)',
      ],
    ] as const
  ).map(([approval, said]) => ({
    name: `approval: ${approval}`,
    arguments: { command: 'rm x' },
    result: notApproved({ guard: 'risk', reason: 'high risk' }, approval),
    expect: { is_error: true, output: `[Exit Code: -1]\n[stderr]\n${said}` },
  })),
]

/** Invalid arguments, with FEAT-029's messages where it defines them. */
const faults: Example[] = (
  [
    [{}, required],
    [{ command: '' }, required],
    [{ command: ' \n\t' }, required],
    [{ command: null }, required],
    [null, required],
    [{ command: 7 }, 'command: expected a string, got 7'],
    [{ command: 'ls', timeout_seconds: 0 }, 'timeout_seconds: expected an integer greater than 0, got 0'],
    [{ command: 'ls', timeout_seconds: -1 }, 'timeout_seconds: expected an integer greater than 0, got -1'],
    [{ command: 'ls', timeout_seconds: 'soon' }, 'timeout_seconds: expected an integer greater than 0, got "soon"'],
    [{ command: 'ls', max_length: 0 }, 'max_length: expected an integer greater than 0, got 0'],
    [{ command: 'ls', working_directory: [] }, 'working_directory: expected a string, got a list'],
  ] as const
).map(([given, refusal]) => ({ name: `fault: ${JSON.stringify(given)}`, arguments: given, expect: { refusal } }))

const problems: Example[] = [
  {
    name: 'error scenario: invalid working directory',
    arguments: { command: 'ls', working_directory: '/missing' },
    result: { problem: noDirectory('/missing') },
    expect: {
      request: { working_directory: '/missing' },
      is_error: true,
      output: 'Working directory does not exist: /missing',
    },
  },
  {
    name: 'error scenario: process creation failure',
    arguments: { command: 'ls' },
    result: {
      problem: {
        code: 'NOT_STARTED',
        message: 'Failed to start process: no more processes',
        about: 'no more processes',
      },
    },
    expect: { is_error: true, output: 'Failed to start process: no more processes' },
  },
  {
    name: 'error scenario: output capture',
    arguments: { command: 'ls' },
    result: { problem: { code: 'EXECUTION_ERROR', message: 'Failed to read process output: broken', about: '' } },
    expect: { is_error: true, output: 'Failed to read process output: broken' },
  },
  {
    name: 'numbers may come as strings; above the maximum is for prepare to clamp and to say',
    arguments: { command: 'ls', timeout_seconds: '300', max_length: '10' },
    expect: { request: { command: 'ls', timeout_seconds: 300, max_length: 10 } },
  },
  {
    name: 'an unknown field is refused, with the one that was probably meant',
    arguments: { command: 'ls', cwd: '/' },
    expect: {
      refusal:
        'cwd: unknown field; expected one of command, timeout_seconds, working_directory, max_length; did you mean working_directory?',
    },
  },
]

export const promises: Promises = {
  tool: 'exec',
  parameters: [
    ['command', 'string', undefined, true],
    ['timeout_seconds', 'integer', 30, false],
    ['working_directory', 'string', undefined, false],
    ['max_length', 'integer', 50_000, false],
  ],
  settings: {},
  examples: [...scenarios, ...formats, ...denials, ...faults, ...problems],
}
