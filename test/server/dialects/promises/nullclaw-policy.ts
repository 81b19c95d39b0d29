import { deniedBy, type Example, notApproved } from './example.ts'

/** The workspace of NullClaw's documentation. */
export const workspace = { workspace_dir: '/workspace' }
const policySample = {
  ...workspace,
  allowed_commands: ['git', 'ls', 'cat', 'grep', 'echo', 'touch'],
}
/** The guards that are on by default. */
export const riskTable = {
  autonomy: 'supervised',
  require_approval_for_medium_risk: true,
  block_high_risk_commands: true,
  max_actions_per_hour: 20,
} as const

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
    result: notApproved({ guard: 'risk', risk: 'medium', rule: 'file-write' }, 'timeout'),
    expect: {
      request: { policy: { ...riskTable, allowed_commands: policySample.allowed_commands, strict_allowlist: true } },
      is_error: true,
      output: 'Command requires approval (medium/high risk): touch test.txt',
    },
  },
  {
    name: 'approval given: the command runs',
    arguments: { command: 'touch file.txt' },
    settings: policySample,
    result: { approval: { outcome: 'approved' }, decision: { verdict: 'ask', rule: 'risk/file-write', reason: null } },
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
      request: { policy: { ...riskTable, allowed_commands: ['git', 'ls', 'cat', 'grep'], strict_allowlist: true } },
      is_error: true,
      output: 'Command not allowed by security policy',
    },
  },
  {
    name: 'no policy',
    arguments: { command: 'rm -rf x' },
    settings: { policy: false, allowed_commands: ['ls'] },
    result: {},
    expect: { request: { command: 'rm -rf x', policy: {} }, is_error: false, output: '(no output)' },
  },
  {
    name: 'medium risk that is denied outright',
    arguments: { command: 'touch x' },
    result: deniedBy({ guard: 'risk', risk: 'medium' }),
    expect: { output: 'Medium-risk command blocked by security policy' },
  },
  {
    name: 'read-only autonomy',
    arguments: { command: 'touch x' },
    settings: { autonomy: 'read_only' },
    result: deniedBy({ guard: 'risk', risk: 'medium', rule: 'file-write' }),
    expect: {
      request: { policy: { ...riskTable, autonomy: 'read_only' } },
      output: 'Action blocked: agent is in read-only mode',
    },
  },
  {
    name: 'read-only autonomy, as NullClaw also spells it',
    arguments: { command: 'touch x' },
    settings: { autonomy: 'readonly' },
    result: deniedBy({ guard: 'risk', risk: 'medium', rule: 'file-write' }),
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
    result: { problem: { code: 'RATE_LIMITED', message: 'too many requests', about: '' } },
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

/** Which of NullClaw's commands may run, where, and with what environment. */
export const policyExamples: Example[] = [...directories, ...policy, ...environment]
