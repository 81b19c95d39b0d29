import { denial, FOLDER, refusal, says, type Sentence, shown } from './sentence.ts'

const required = "Parameter 'command' is required and cannot be empty"

const blocked = denial(/^\[Exit Code: -1\]\n\[stderr\]\n/)

/** FEAT-029, OneClaw's `exec`. */
export const sentences: Sentence[] = [
  says(
    'The tool captures stdout, stderr, and the exit code, returning them as structured text',
    'echo out; echo err >&2; exit 3',
    {
      is_error: false,
      exit_code: 3,
      output: '[Exit Code: 3]\nout\n[stderr]\nerr\n',
    },
  ),
  says(
    'runs commands in a non-interactive shell: no stdin, no TTY',
    'cat; test -t 0 || echo none',
    '[Exit Code: 0]\nnone\n',
  ),
  says(
    'with a configurable timeout to prevent runaway processes',
    { command: 'echo up; sleep 60', timeout_seconds: 1 },
    {
      is_error: false,
      output: '[Exit Code: -1 (timeout)]\nup\n[stderr]\nProcess killed after 1 seconds timeout.',
    },
  ),
  says(
    'Output is truncated to a configurable character limit',
    { command: 'seq 1 1000', max_length: 20 },
    /^\[Exit Code: 0\]\n1\n2\n3\n4\n5\n\[\.\.\. 993 lines, 3874 bytes left out; .*\n999\n1000\n$/,
  ),
  shown(
    'Name: exec; its description and parameters',
    'server/dialects/dialects.test.ts',
    "names, tools and parameters match the agents' own",
  ),
  says('timeout_seconds (integer, optional): Default: 30', 'true', {}, { record: { timeout_seconds: 30 } }),
  says('max_length (integer, optional): Default: 50000', 'true', {}, { record: { max_length: 50_000 } }),
  says('Default: app data directory (context.filesDir)', 'pwd', `[Exit Code: 0]\n${FOLDER}\n`, {
    differs: 'default directory',
  }),
  says(
    'If timeout_seconds exceeds 120, it is clamped to 120',
    { command: 'echo x', timeout_seconds: 500 },
    '[Exit Code: 0]\nx\n',
    { record: { timeout_seconds: 120 } },
  ),
  says(
    'maximum allowed timeout is 120 seconds',
    { command: 'true', timeout_seconds: '121' },
    {},
    { record: { timeout_seconds: 120 } },
  ),
  says('Returns: combined stdout/stderr with exit code', 'echo a; echo b >&2', '[Exit Code: 0]\na\n[stderr]\nb\n'),
  says('or error object', {}, refusal(required)),
  says('Commands are executed via exec(arrayOf("sh", "-c", command))', 'echo $0', /^\[Exit Code: 0\]\n\S*sh\n$/),
  says('The shell process runs with the app’s UID and permissions', 'id -u', `[Exit Code: 0]\n${process.getuid!()}\n`),
  says('No root access unless the device is rooted', 'id -u', `[Exit Code: 0]\n${process.getuid!()}\n`),
  says('Environment variables inherit from the app process', 'echo $SENTENCE_PLAIN', '[Exit Code: 0]\ninherited\n'),
  says('The process inherits the app’s environment variables', 'echo "[$SENTENCE_API_KEY]"', '[Exit Code: 0]\n[]\n', {
    differs: 'environment',
  }),
  says('[Exit Code: 0] <stdout content here>', 'echo content', { exit_code: 0, output: '[Exit Code: 0]\ncontent\n' }),
  says('If stderr is non-empty: [stderr] <stderr content here>', 'echo content >&2; false', {
    exit_code: 1,
    output: '[Exit Code: 1]\n[stderr]\ncontent\n',
  }),
  says(
    'If the command times out: [Exit Code: -1 (timeout)], partial stdout if any, [stderr] Process killed after N seconds timeout.',
    { command: 'sleep 60', timeout_seconds: 1 },
    '[Exit Code: -1 (timeout)]\n[stderr]\nProcess killed after 1 seconds timeout.',
  ),
  says(
    'Shell commands run with sh -c wrapper for proper shell interpretation (pipes, redirects, etc.)',
    'echo hello | tr a-z A-Z > up; cat up',
    '[Exit Code: 0]\nHELLO\n',
  ),
  says('stdout is captured and returned in the result', 'printf plain', '[Exit Code: 0]\nplain'),
  says(
    'stderr is captured and included in the result when non-empty',
    'printf bad >&2',
    '[Exit Code: 0]\n[stderr]\nbad',
  ),
  says('Exit code is included in the output', 'exit 42', { exit_code: 42, output: '[Exit Code: 42]\n(no output)' }),
  says(
    'Process is forcibly killed when timeout expires',
    { command: 'trap "" TERM; echo up; sleep 60; sleep 60', timeout_seconds: 1 },
    '[Exit Code: -1 (timeout)]\nup\n[stderr]\nProcess killed after 1 seconds timeout.',
  ),
  says(
    'working_directory parameter sets the process working directory',
    { command: 'pwd', working_directory: '/' },
    '[Exit Code: 0]\n/\n',
  ),
  says(
    'max_length parameter controls output truncation',
    { command: 'printf 123456', max_length: 6 },
    '[Exit Code: 0]\n123456',
  ),
  says(
    'Output truncation happens cleanly at a line boundary',
    { command: 'yes 12345 | head -n 100', max_length: 40 },
    /^\[Exit Code: 0\]\n(12345\n)+\[\.\.\. .*\]\n(12345\n)+$/,
  ),
  says('Commands that produce no output return success with empty output indication', 'true', {
    is_error: false,
    output: '[Exit Code: 0]\n(no output)',
  }),
  says('Invalid commands return an error with the shell’s error message', 'no-such-program', {
    exit_code: 127,
    output: /^\[Exit Code: 127\]\n\[stderr\]\n.*not found/,
  }),
  says('Optional: command history tracking for debugging', 'echo tracked', {}, { record: { command: 'echo tracked' } }),
  says('Optional: blocklist for dangerous commands (rm -rf /, reboot, etc.)', 'rm -rf /', blocked),
  says('Optional: blocklist: reboot', 'reboot', blocked),
  says(
    'Timed-out processes are destroyed via Process.destroyForcibly()',
    { command: 'trap "" TERM; sleep 60 & sleep 60; sleep 60', timeout_seconds: 1 },
    {},
    { record: { status: 'timed_out', signal: 'SIGKILL', left_behind: { survivors: [] } } },
  ),
  says(
    'Timeout enforcement: accurate to within 1 second, also if SIGTERM does not end it',
    { command: 'trap "" TERM; sleep 60; sleep 60', timeout_seconds: 1 },
    /^\[Exit Code: -1 \(timeout\)\]/,
    { record: { status: 'timed_out', signal: 'SIGKILL' } },
  ),
  says(
    'Output capture: real-time via buffered reader threads',
    { command: 'echo first; sleep 60', timeout_seconds: 1 },
    /\nfirst\n/,
  ),
  says(
    'Large outputs are truncated to max_length to prevent OOM',
    'head -c 3000000 /dev/zero | tr "\\0" x',
    /^\[Exit Code: 0\]\nx{25000}\n\[\.\.\. 0 lines, 2950000 bytes left out; .*\]\nx{25000}$/,
  ),
  shown('Process resources are cleaned up after execution', 'server/exec/exec.test.ts', 'no process is left'),
  says('Empty command: validation_error', { command: '' }, refusal(required)),
  says('command parameter is empty or blank', { command: ' \n' }, refusal(required)),
  says(
    'Invalid working directory: validation_error, "Working directory does not exist: <path>"',
    { command: 'ls', working_directory: '/missing' },
    refusal('Working directory does not exist: /missing'),
  ),
  says(
    'Process creation failure: execution_error, "Failed to start process: <message>"',
    'true',
    { is_error: true, error_type: 'execution_error', output: /^Failed to start process: / },
    { in: 'shellless' },
  ),
  says(
    'Timeout: kill the process, return partial output with timeout indication',
    { command: 'seq 1 3; sleep 60', timeout_seconds: 1 },
    /^\[Exit Code: -1 \(timeout\)\]\n1\n2\n3\n\[stderr\]\nProcess killed/,
  ),
  shown(
    'I/O error during output capture: "Failed to read process output: <message>"',
    'server/dialects/transports.test.ts',
    'output that cannot be read is an error on every route',
  ),
  says('Verify commands with redirects work', 'echo kept > file; cat < file', '[Exit Code: 0]\nkept\n'),
  says(
    'Edge: command that produces output on both stdout and stderr',
    'echo 1; echo 2 >&2; echo 3',
    '[Exit Code: 0]\n1\n3\n[stderr]\n2\n',
  ),
  shown(
    'Edge: command that takes exactly the timeout duration',
    'server/exec/exec.test.ts',
    'a timeout kills the whole process tree, but not early',
  ),
  says('Edge: command that produces binary output', 'printf "a\\377b"', '[Exit Code: 0]\na\ufffdb'),
  says(
    'Edge: command with special characters in arguments',
    `echo 'a"b$c\`d' "e'f" g\\ h é🦊`,
    '[Exit Code: 0]\na"b$c`d e\'f g h é🦊\n',
  ),
  says(
    'Edge: command with very long argument string',
    `echo ${'x'.repeat(200_000)} | wc -c`,
    /^\[Exit Code: 0\]\n *200001\n$/,
  ),
  says('Edge: timeout_seconds set to 0', { command: 'true', timeout_seconds: 0 }, refusal(/^timeout_seconds: /)),
  says(
    'Edge: timeout_seconds set to a negative value',
    { command: 'true', timeout_seconds: -1 },
    refusal(/^timeout_seconds: /),
  ),
  says('Edge: max_length set to 0', { command: 'true', max_length: 0 }, refusal(/^max_length: /)),
  says('Edge: max_length set to a negative value', { command: 'true', max_length: -1 }, refusal(/^max_length: /)),
  says('Edge: command that forks a background process', 'sleep 60 & echo on', '[Exit Code: 0]\non\n'),
]
