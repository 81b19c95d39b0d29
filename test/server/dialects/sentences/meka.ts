import { FOLDER, refusal, says, type Sentence, shown } from './sentence.ts'

/** in a service with the default permission, read */
const reading = { in: 'sandboxed', record: { sandbox: 'read-only' } } as const

/** Meka's `execute_command`. */
export const sentences: Sentence[] = [
  says(
    'Execute a shell command and return its output',
    'echo hi',
    { is_error: false, output: 'hi\n' },
    { in: 'tight' },
  ),
  says('command string yes', {}, refusal("Missing required parameter 'command'")),
  says(
    'timeout_ms: timeout in milliseconds',
    { command: 'sleep 60', timeout_ms: 300 },
    { is_error: true, output: 'Command timed out after 300ms' },
    { in: 'tight' },
  ),
  says('timeout_ms (default: 30000)', 'true', {}, { in: 'tight', record: { timeout_seconds: 30 } }),
  says(
    'scratchpad: save output to the scratchpad under this name',
    { command: 'echo kept', scratchpad: 'pad' },
    { is_error: false, output: /^Output saved to scratchpad "pad" \(5 bytes\)/ },
    { in: 'tight' },
  ),
  says('Executes the command via sh -c "<command>"', 'echo $0', /^\S*sh\n$/, { in: 'tight' }),
  says('Windows: powershell.exe', 'echo "$0"', /^\S*sh\n$/, { in: 'tight', differs: 'Windows' }),
  says('Captures both stdout and stderr', 'echo out; echo err >&2', 'out\n\n--- stderr ---\nerr\n', { in: 'tight' }),
  says(
    'Returns the exit code along with the output if non-zero',
    'echo out; exit 3',
    { is_error: true, exit_code: 3, output: 'out\n\nExit code: 3' },
    { in: 'tight' },
  ),
  says(
    'Oversized output is losslessly persisted to the scratchpad by the agent layer',
    'seq 1 20000',
    /^<large-output name="execute_command_\w{6}_1" size="108894">/,
    { in: 'tight' },
  ),
  shown(
    'losslessly: every byte can be read back',
    'server/dialects/lossless.test.ts',
    "stores all output of Meka's tool up to the limit for all runs",
  ),
  shown('the tool itself never truncates', 'slow/missing-output.test.ts', 'meka: all of it, or a handle with its size'),
  says(
    'If the command exceeds the timeout, it is killed',
    { command: 'trap "" TERM; echo up; sleep 60; sleep 60', timeout_ms: 500 },
    'Command timed out after 500ms\nup\n',
    { in: 'tight' },
  ),
  says(
    'via the process group so backgrounded grandchildren are caught too',
    { command: '(sleep 60 & (trap "" TERM; sleep 60; sleep 60)) & wait', timeout_ms: 500 },
    'Command timed out after 500ms',
    { in: 'tight', record: { left_behind: { survivors: [] } } },
  ),
  shown(
    'Supports cancellation: kills the child process',
    'server/dialects/transports.test.ts',
    'a cancellation kills the whole tree, in the words of the tool',
  ),
  says('POSIX $VAR expansion applies', 'x=1; echo $x', '1\n', { in: 'tight' }),
  says('Pass a literal $ with single quotes or backslash escape', "echo '$foo' \\$foo", '$foo $foo\n', { in: 'tight' }),
  says(
    'In read mode, commands run inside a filesystem sandbox that blocks writes',
    'echo x > blocked',
    { is_error: true, output: /Permission denied/ },
    reading,
  ),
  says('Reads and program execution still work normally', 'cat file.txt | tr a-z A-Z', 'CONTENT\n', reading),
  ...['/tmp', '~', '.'].map((folder) =>
    says(
      `writes anywhere on the filesystem return EACCES: ${folder}`,
      `touch ${folder}/shellphone-never`,
      { is_error: true, exit_code: 1, output: /Permission denied/ },
      reading,
    ),
  ),
  shown('macOS and Windows sandboxes', 'server/dialects/promises/meka.ts', 'unsupported platform', 'other platforms'),
  shown(
    'Linux: uses Landlock LSM (kernel 5.13+)',
    'server/spawn/sandbox.test.ts',
    'below Landlock ABI 3 there is no sandbox',
    'Landlock',
  ),
  shown(
    'Unsupported platforms: shell commands are not available in read mode',
    'server/dialects/promises/meka.ts',
    'unsupported platform',
  ),
  says('In write mode, commands run without any sandbox restrictions', 'echo x > written; cat written', 'x\n', {
    in: 'tight',
    record: { sandbox: 'none' },
  }),
  says(
    'sandbox = false: shell commands require write mode',
    'ls',
    {
      is_error: true,
      error_type: 'forbidden',
      output: /^Shell commands require write mode/,
      noRun: 'the permission does not allow any command',
    },
    { in: 'loose' },
  ),
  says('runs in the working directory', 'pwd', `${FOLDER}\n`, { in: 'tight' }),
]
