import { denial, FOLDER, refusal, says, type Sentence } from './sentence.ts'

const notAllowed = denial('Command not allowed by security policy')
const high = denial('High-risk command blocked by security policy')
const approval = (command: string) => denial(`Command requires approval (medium/high risk): ${command}`)

/** NullClaw's `shell`. */
export const sentences: Sentence[] = [
  says('The shell tool executes shell commands in the workspace directory', 'pwd', {
    is_error: false,
    output: `${FOLDER}\n`,
  }),
  says('command string required', {}, refusal("Missing 'command' parameter")),
  says('cwd: defaults to workspace', { command: 'ls file.txt' }, 'file.txt\n'),
  says('cwd: absolute path within allowed paths', { command: 'pwd', cwd: `${FOLDER}/sub` }, `${FOLDER}/sub\n`),
  says('Timeout enforcement (default: 60 seconds)', 'true', {}, { record: { timeout_seconds: 60 } }),
  says(
    'Output limits (default: 1 MB)',
    'head -c 1048577 /dev/zero | tr "\\0" x',
    /^x{1048576}\n\[Output truncated to 1 MB, 1 more bytes\]$/,
  ),
  says('Pipeline commands', 'cat file.txt | grep c', 'content\n'),
  says(
    '.policy: Optional SecurityPolicy',
    'rm -rf nothing-here',
    { is_error: false, output: '(no output)' },
    { in: 'loose' },
  ),
  says('When a SecurityPolicy is configured, all commands are validated before execution', 'true; rm -rf x', high),
  ...['ls', 'cat file.txt', 'grep c file.txt', 'pwd', 'echo x'].map((command) =>
    says(`Low risk, executes (supervised): ${command}`, command, { is_error: false }),
  ),
  ...['touch test.txt', 'mkdir d', 'git add x', 'git commit -m x'].map((command) =>
    says(`Medium risk, requires approval (supervised): ${command}`, command, approval(command)),
  ),
  ...['rm -rf x', 'dd if=a of=b', 'mkfs x', 'iptables -F', 'kill 1'].map((command) =>
    says(`High risk, blocks (supervised): ${command}`, command, high),
  ),
  says('autonomy=full: low executes', 'ls', { is_error: false }, { in: 'full' }),
  says('autonomy=full: medium executes', 'touch made', { is_error: false, output: '(no output)' }, { in: 'full' }),
  says('autonomy=full: high requires approval', 'rm -rf x', approval('rm -rf x'), { in: 'full' }),
  says(
    '*If require_approval_for_medium_risk = true',
    'touch made',
    { is_error: false, output: '(no output)' },
    { in: 'lenient' },
  ),
  says('**If block_high_risk_commands = true', 'rm -rf x', approval('rm -rf x'), { in: 'lenient' }),
  says('Command requires approval (medium/high risk): touch test.txt', 'touch test.txt', approval('touch test.txt')),
  says('rm -rf /: High-risk command blocked by security policy', 'rm -rf /', high),
  ...['rm file.txt', 'umask', 'true', 'test -e x', 'set', 'export', 'times', 'cd sub', 'nice ls'].map((command) =>
    says(`When allowed_commands is configured, only listed commands are permitted: ${command}`, command, notAllowed, {
      in: 'tight',
    }),
  ),
  ...['git --version', 'ls', 'cat file.txt', 'grep c file.txt'].map((command) =>
    says(`Listed commands are permitted: ${command}`, command, { is_error: false }, { in: 'tight' }),
  ),
  says(
    'Clears all environment variables by default, then re-adds only safe functional variables',
    'env | cut -d= -f1 | grep -vE "^(PATH|HOME|TERM|LANG|LC_ALL|LC_CTYPE|USER|SHELL|TMPDIR)$" | sort | tr "\\n" " "',
    /^(EXEC_MARK |PWD |SHLVL |OLDPWD |_ |LD_PRELOAD )+$/,
    { differs: 'one more variable' },
  ),
  ...['PATH', 'HOME', 'TERM'].map((name) => says(`Safe: ${name}`, `printenv ${name}`, /^.+\n$/)),
  says(
    'Safe: LANG, LC_ALL, LC_CTYPE, USER, SHELL, TMPDIR',
    'printenv LANG LC_ALL LC_CTYPE USER SHELL TMPDIR',
    'a\nb\nc\nd\n/e\n/tmp\n',
  ),
  says(
    'Blocked: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY',
    'echo "[$OPENAI_API_KEY$ANTHROPIC_API_KEY$GEMINI_API_KEY]"',
    '[]\n',
  ),
  says('Blocked: all other environment variables', 'echo "[$SENTENCE_PLAIN]"', '[]\n'),
  says('Custom cwd (outside workspace) requires allowed_paths: /data', { command: 'ls', cwd: '/usr' }, /^bin$/m, {
    in: 'tight',
  }),
  says('Custom cwd: blocked', { command: 'ls', cwd: '/etc' }, refusal('cwd is outside allowed areas')),
  says('cwd must be an absolute path', { command: 'ls', cwd: 'sub' }, refusal('cwd must be an absolute path')),
  says(
    'cwd must be within workspace_dir or allowed_paths',
    { command: 'ls', cwd: '/' },
    refusal('cwd is outside allowed areas'),
  ),
  says(
    'cwd is resolved to prevent symlink escapes',
    { command: 'ls', cwd: `${FOLDER}/link` },
    refusal('cwd is outside allowed areas'),
  ),
  says('Linux: /bin/sh, sh -c "command"', 'echo $0', /^\S*sh\n$/),
  says('Windows: cmd.exe /c', 'echo "$0"', /^\S*sh\n$/, { differs: 'Windows' }),
  says('Commands are passed as a single string to the shell’s -c flag', "echo 'a  b' | cat", 'a  b\n'),
  says(
    'Commands are terminated after timeout_ns nanoseconds',
    'cat fifo',
    { is_error: true, output: 'Command terminated by signal' },
    {
      in: 'tight',
    },
  ),
  says(
    'Stdout and stderr are truncated to max_output_bytes',
    'cat long.txt',
    /^x{1000}\n\[Output truncated to 1000 bytes, 4000 more bytes\]$/,
    { in: 'tight' },
  ),
  says('[Binary output truncated to 1 MB]', 'cat /dev/zero | head -c 10M', '[Binary output truncated to 1 MB]'),
  says('ls: /nonexistent: No such file or directory; success = false', 'ls /nonexistent', {
    is_error: true,
    output: /^ls: .*No such file or directory\n$/,
  }),
  says('nonexistent_program: command not found', 'nonexistent_program', {
    is_error: true,
    output: /nonexistent_program: (?:command )?not found/,
  }),
  says('If a command succeeds but produces no output: (no output)', 'cat /dev/null', {
    is_error: false,
    output: '(no output)',
  }),
  says('System info: uname -a', 'uname', /^\w+\n$/),
  says('Use case: find src -name … | wc -l', "find . -name 'file.txt' | wc -l", /^ *1\n$/),
]
