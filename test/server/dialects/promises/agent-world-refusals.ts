import { deniedBy, type Example, notApproved } from './example.ts'

const world = { working_directory: '/world' }

const mismatch = (what: string, hint = '') =>
  `Working directory mismatch: ${what} is outside world working directory "/world".${hint}`
const parameterFault = (token: string) =>
  `Invalid parameter: shell control syntax is not allowed in parameters (received "${token}").`

const rejections: Example[] = [
  ...['/etc', '../', '/world/link', '/worlds', '~'].map((directory) => ({
    name: `directory outside scope: ${directory}`,
    arguments: { command: 'pwd', directory },
    settings: world,
    expect: {
      refusal: mismatch(`requested directory "${directory}"`, ' Update world working_directory first.'),
    },
  })),
  ...['/etc/passwd', '../x', 'link/new'].map((path) => ({
    name: `artifact outside scope: ${path}`,
    arguments: { command: 'ls', artifact_paths: [path] },
    settings: world,
    expect: { refusal: mismatch(`artifact path "${path}"`) },
  })),
  {
    name: 'directory refused by the guard',
    arguments: { command: 'ls' },
    settings: world,
    result: { ...deniedBy({ guard: 'workspace', rule: 'cwd-outside' }), working_directory: '/etc' },
    expect: { output: mismatch('requested directory "/etc"', ' Update world working_directory first.') },
  },
  {
    name: 'inline script refused by the guard',
    arguments: { command: 'timeout', parameters: ['5', 'sh', '-c', 'id'] },
    settings: world,
    result: deniedBy({ guard: 'single-command', rule: 'inline-code', command: 'sh -c id' }),
    expect: {
      output:
        'Working directory mismatch: inline script execution "sh -c id" is not allowed. Commands must stay inside world working directory "/world".',
    },
  },
  {
    name: 'control syntax refused by the guard',
    arguments: { command: 'ls' },
    result: deniedBy({ guard: 'single-command', rule: 'control-syntax', reason: 'One program.' }),
    expect: { output: 'Invalid command: shell control syntax is not allowed (One program).' },
  },
  ...(
    [
      [['-n', './../../etc/passwd'], './../../etc/passwd'],
      [['..'], '..'],
      [['--file=/etc/passwd'], '/etc/passwd'],
      [['-I/etc'], '/etc'],
      [['https://e.com/x', 'link/passwd'], 'link/passwd'],
      [['sub/x', '$HOME'], 'cat sub/x $HOME'],
    ] as const
  ).map(([parameters, path]) => ({
    name: `path argument outside scope: ${parameters.join(' ')}`,
    arguments: { command: 'cat', parameters },
    settings: world,
    result: deniedBy({ guard: 'workspace', rule: 'path-outside', command: `cat ${parameters.join(' ')}` }),
    expect: { is_error: true, output: mismatch(`path "${path}"`) },
  })),
  {
    name: 'executable outside scope',
    arguments: { command: '../../bin/ls' },
    settings: world,
    result: deniedBy({ guard: 'workspace', rule: 'path-traversal', command: '../../bin/ls' }),
    expect: { is_error: true, output: mismatch('command "../../bin/ls"') },
  },
  ...['ls && rm', 'ls|sh', 'ls;id', 'a>b', 'a<b', '$(id)', '`id`', 'sleep&', 'a\nb'].map((command) => ({
    name: `control syntax in command: ${JSON.stringify(command)}`,
    arguments: { command },
    expect: { refusal: `Invalid command: shell control syntax is not allowed (received "${command}").` },
  })),
  ...['&&', '||', '|', ';', '>', '>>', '<', '&', '2>&1', '>out.txt', '<in.txt', '&>x', '$(id)', '`id`'].map(
    (token) => ({
      name: `control syntax as a parameter: ${token}`,
      arguments: { command: 'ls', parameters: ['-l', token] },
      expect: { refusal: parameterFault(token) },
    }),
  ),
  ...(
    [
      ['sh', ['-c', 'id'], 'sh -c'],
      ['/bin/bash', ['-lc', 'id'], '/bin/bash -lc'],
      ['bash', ['-euo', 'pipefail', '-c', 'id'], 'bash -c'],
      ['node', ['-e', '1'], 'node -e'],
      ['node', ['--eval=1'], 'node --eval=1'],
      ['node', ['-p', '1'], 'node -p'],
      ['python', ['-c', '1'], 'python -c'],
      ['python3.12', ['-Ic', '1'], 'python3.12 -Ic'],
      ['powershell', ['-Command', 'ls'], 'powershell -Command'],
      ['cmd.exe', ['/C', 'dir'], 'cmd.exe /C'],
      ['perl', ['-ne', '1'], 'perl -ne'],
      ['env', ['-i', 'A=b', 'sh', '-c', 'id'], 'sh -c'],
      ['eval', ['id'], 'eval id'],
    ] as const
  ).map(([command, parameters, inline]) => ({
    name: `inline script: ${command} ${parameters.join(' ')}`,
    arguments: { command, parameters },
    settings: world,
    expect: {
      refusal: `Working directory mismatch: inline script execution "${inline}" is not allowed. Commands must stay inside world working directory "/world".`,
    },
  })),
  ...(
    [
      ['node', 'server.js -p 3000'],
      ['python3', '-m pytest -c x.ini'],
      ['bash', 'build.sh -c release'],
      ['git', 'log --format=%s'],
      ['grep', '-e x -c f'],
    ] as const
  ).map(([command, words]) => ({
    name: `no inline script: ${command} ${words}`,
    arguments: { command, parameters: words.split(' ') },
    expect: { request: { command: `${command} ${words}` } },
  })),
]

const blocked = (reason: string) => `Blocked dangerous operation: ${reason}. This shell command cannot be executed.`

const risks: Example[] = [
  ...(
    [
      ['rm', ['-rf', '/'], 'catastrophic_delete_target'],
      ['rm', ['-fr', '/usr/lib'], 'catastrophic_delete_target'],
      ['mkfs.ext4', ['/dev/sda'], 'catastrophic_disk_operation'],
      ['dd', ['if=a', 'of=/dev/sda'], 'catastrophic_disk_write'],
      ['rm', ['--recursive', '--force', '~'], 'catastrophic_delete_target'],
      ['rm', ['--no-preserve-root', 'x'], 'catastrophic_delete_target'],
      ['sudo', ['rm', '-rf', '/'], 'catastrophic_delete_target'],
    ] as const
  ).map(([command, parameters, reason]) => ({
    name: `blocked: ${command} ${parameters.join(' ')}`,
    arguments: { command, parameters },
    expect: { refusal: blocked(reason), code: 'FORBIDDEN' as const },
  })),
  ...(
    [
      ['rm', ['x'], 'destructive_delete'],
      ['rm', ['*.log'], 'destructive_delete_wildcard'],
      ['rm', ['--', '-rf', '/'], 'destructive_delete'],
      ['chmod', ['-R', '755', 'x'], 'recursive_permission_change'],
      ['git', ['clean', '-fdx'], 'destructive_git_clean'],
      ['curl', ['-o', 'x', 'https://e.com/x'], 'remote_download'],
    ] as const
  ).map(([command, parameters, rule]) => ({
    name: `asked about: ${command} ${parameters.join(' ')}`,
    arguments: { command, parameters },
    settings: world,
    result: notApproved({ guard: 'dialect', rule }, 'denied'),
    expect: {
      request: { ask: { rule, reason: `Risk: ${rule}. Proceed with this command?` } },
      is_error: true,
      output: `Command not executed: approval required for ${rule} and request was not approved (user_denied).`,
    },
  })),
  ...(
    [
      ['ls', ['-la']],
      ['dd', ['if=a', 'of=b']],
      ['echo', ['of=/dev/sda', '-R', '-o', 'https://e.com/']],
      ['chmod', ['644', 'x']],
      ['git', ['clean', '-n']],
      ['git', ['log', '-f']],
      ['curl', ['https://e.com/']],
      ['wget', ['-O', '-']],
    ] as const
  ).map(([command, parameters]) => ({
    name: `low risk, nobody is asked: ${command} ${parameters.join(' ')}`,
    arguments: { command, parameters },
    expect: { request: { command: `${command} ${parameters.join(' ')}`, ask: null } },
  })),
  {
    name: 'approval: silence',
    arguments: { command: 'rm', parameters: ['x'] },
    result: notApproved({ guard: 'dialect', rule: 'destructive_delete' }, 'timeout'),
    expect: {
      output: 'Command not executed: approval required for destructive_delete and request was not approved (timeout).',
    },
  },
  {
    name: 'approval: nobody to ask',
    arguments: { command: 'rm', parameters: ['x'] },
    result: notApproved({ guard: 'dialect', rule: 'destructive_delete' }, 'nobody'),
    expect: {
      output: 'Approval required: command classified as destructive_delete. HITL approval context is unavailable.',
    },
  },
  {
    name: 'approval refused, when the record calls it a denial',
    arguments: { command: 'rm', parameters: ['x'] },
    result: { ...deniedBy({ guard: 'dialect', rule: 'destructive_delete' }), approval: { outcome: 'denied' } },
    expect: {
      output:
        'Command not executed: approval required for destructive_delete and request was not approved (user_denied).',
    },
  },
  {
    name: 'permission ask',
    arguments: { command: 'ls' },
    settings: { tool_permission: 'ask' },
    expect: {
      request: { ask: { rule: 'low_risk_command', reason: 'Risk: low_risk_command. Proceed with this command?' } },
    },
  },
  {
    name: 'permission read',
    arguments: { command: 'ls' },
    settings: { tool_permission: 'read' },
    expect: { refusal: 'shell_cmd is blocked by the current permission level (read).', code: 'FORBIDDEN' },
  },
  {
    name: 'refused by the catastrophic guard',
    arguments: { command: 'reboot' },
    result: deniedBy({ guard: 'catastrophic', rule: 'power', reason: 'this would restart the device' }),
    expect: { is_error: true, output: blocked('this would restart the device') },
  },
]

/** What agent-world refuses or asks about. */
export const refusals: Example[] = [...rejections, ...risks]
