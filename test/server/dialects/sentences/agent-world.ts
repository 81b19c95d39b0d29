import { homedir } from 'node:os'
import { denial, FOLDER, refusal, says, type Sentence, shown } from './sentence.ts'

const CANCELS = 'a cancellation kills the whole tree, in the words of the tool'
const json = (more: object) => ({ output_format: 'json', ...more })
const mismatchText = new RegExp(`^Working directory mismatch: .*world working directory "${FOLDER}"`)
const mismatch = refusal(mismatchText)
/** a path among the parameters is judged by the guards, like a path in a script */
const outside = denial(mismatchText)
const control = refusal(/^Invalid (?:command|parameter): shell control syntax is not allowed/)

/** agent-world's `shell_cmd`. */
export const sentences: Sentence[] = [
  says(
    'command string: command name',
    { command: 'ls', parameters: ['file.txt'] },
    { is_error: false, output: /\*\*Command:\*\* `ls file\.txt`/ },
  ),
  says('command: required', {}, refusal("Required parameter 'command' is missing or empty")),
  says(
    'parameters string[]: one token per argument',
    json({ command: 'printf', parameters: ['%s,', 'a b', 'c'] }),
    /"stdout": "a b,c,"/,
  ),
  says('directory: optional model-provided target directory', json({ command: 'pwd', directory: './' }), {
    is_error: false,
    output: new RegExp(`"stdout": "${FOLDER}\\\\n"`),
  }),
  says('directory: validated against trusted world scope', { command: 'pwd', directory: '/etc' }, mismatch),
  says('timeout: milliseconds', json({ command: 'sleep', parameters: ['60'], timeout: 300 }), {
    is_error: true,
    output: /"timed_out": true/,
  }),
  says('timeout: default 600000 (10 minutes)', { command: 'true' }, {}, { record: { timeout_seconds: 600 } }),
  says('output_format defaults to markdown', { command: 'echo', parameters: ['x'] }, /^### Command Execution\n/),
  says(
    'output_detail defaults to minimal',
    { command: 'cat', parameters: ['long.txt'] },
    /### Standard Output \(preview\)\n\n```\nx{400}\n```\n\*\(Output truncated/,
  ),
  says(
    'artifact_paths: file paths to include with hash metadata',
    json({ command: 'true', artifact_paths: ['file.txt'] }),
    /"path": "file\.txt",\n\s+"sha256": "[0-9a-f]{64}",\n\s+"bytes": 8/,
  ),
  says(
    'Executes via shell process with stdout/stderr capture',
    json({ command: 'ls', parameters: ['missing'] }),
    /"stdout": "",\n\s+"stderr": "ls: .*missing/,
  ),
  says(
    'Executes in OS shell mode (shell: true) for command resolution and shell features',
    json({ command: 'echo', parameters: ['$HOME', '*'] }),
    /"stdout": "\$HOME \*\\n"/,
    { differs: 'literal words' },
  ),
  says(
    'Enforces single-command contract: command is executable-only',
    { command: 'ls -la' },
    refusal(/^Invalid command format: provide a single executable in `command`/),
  ),
  shown(
    'Publishes streaming chunks as tool-stream events (stdout / stderr), over WebSocket',
    'server/dialects/transports.test.ts',
    'streams over WebSocket, with its own names',
  ),
  shown(
    'Publishes streaming chunks as tool-stream events (stdout / stderr), as SSE',
    'server/dialects/transports.test.ts',
    'streams as SSE, with its own names',
  ),
  shown('real-time streaming, over MCP', 'slow/mcp.test.ts', 'returns progress, a handle and the output of a long run'),
  says(
    'Returns minimum-necessary output by default',
    json({ command: 'cat', parameters: ['long.txt'] }),
    /"stdout": "x{400}"/,
  ),
  says(
    'output_detail: "full" for full stdout/stderr content',
    { command: 'cat', parameters: ['long.txt'], output_detail: 'full' },
    /```\nx{5000}\n```/,
  ),
  says('output_format: "json" returns machine-readable schema', json({ command: 'false' }), {
    is_error: true,
    exit_code: 1,
    output: /^\{\n {2}"exit_code": 1,/,
  }),
  shown(
    'Tracks lifecycle: queued, starting, running, completed',
    'server/dialects/transports.test.ts',
    'streams over WebSocket, with its own names',
  ),
  says('Tracks lifecycle: failed', { command: 'false' }, { is_error: true }, { record: { status: 'failed' } }),
  says(
    'Tracks lifecycle: timed_out',
    { command: 'sleep', parameters: ['60'], timeout: 200 },
    { is_error: true },
    { record: { status: 'timed_out' } },
  ),
  shown('Tracks lifecycle: canceled', 'server/dialects/transports.test.ts', CANCELS),
  shown('Supports session/chat-scoped cancellation', 'server/dialects/transports.test.ts', CANCELS),
  says(
    'JSON: exit_code, stdout, stderr, timed_out, duration_ms',
    json({ command: 'echo', parameters: ['x'] }),
    /^\{\n {2}"exit_code": 0,\n {2}"stdout": "x\\n",\n {2}"stderr": "",\n {2}"timed_out": false,\n {2}"duration_ms": \d+/,
  ),
  says('JSON: artifacts', json({ command: 'true', artifact_paths: ['file.txt'] }), /"artifacts": \[/),
  says(
    'artifact_paths are resolved relative to trusted working directory unless absolute',
    json({ command: 'true', artifact_paths: [`${FOLDER}/file.txt`] }),
    /"bytes": 8/,
  ),
  says(
    'all artifact_paths are scope-validated before hashing',
    { command: 'true', artifact_paths: ['/etc/passwd'] },
    mismatch,
  ),
  says(
    'In minimal mode, stdout and stderr fields contain bounded previews',
    json({ command: 'cat', parameters: ['long.txt'], output_detail: 'minimal' }),
    /"stdout": "x{400}"/,
  ),
  says(
    'full mode returns complete content',
    json({ command: 'cat', parameters: ['long.txt'], output_detail: 'full' }),
    /"stdout": "x{5000}"/,
  ),
  says(
    'Working directory is resolved from trusted world context',
    json({ command: 'pwd' }),
    new RegExp(`"stdout": "${FOLDER}\\\\n"`),
  ),
  says(
    'If world working_directory is unset, runtime falls back to core default working directory (user home by default)',
    { command: 'pwd' },
    {},
    { in: 'full', record: { working_directory: homedir() } },
  ),
  says('mismatches are rejected', { command: 'pwd', directory: '../' }, mismatch),
  ...['../x', '/etc/passwd', 'link/passwd', './../../etc'].map((path) =>
    says(
      `Command/path tokens are validated to block out-of-scope traversal patterns: ${path}`,
      { command: 'cat', parameters: [path] },
      outside,
    ),
  ),
  ...['ls && id', 'ls || id', 'ls | id', 'ls > x', 'ls < x', 'ls $(id)', 'ls `id`', 'ls &'].map((command) =>
    says(`Shell control syntax is blocked: ${command}`, { command }, control),
  ),
  ...['&&', '||', '|', '>', '<', '&'].map((token) =>
    says(
      `Shell control syntax is blocked in parameters: ${token}`,
      { command: 'ls', parameters: [token, 'id'] },
      control,
    ),
  ),
  ...(
    [
      ['sh', '-c'],
      ['node', '-e'],
      ['python', '-c'],
      ['powershell', '-Command'],
    ] as const
  ).map(([command, flag]) =>
    says(
      `Inline eval modes are rejected for safety: ${command} ${flag}`,
      { command, parameters: [flag, 'id'] },
      refusal(/^Working directory mismatch: inline script execution/),
    ),
  ),
  shown(
    'Because commands run through a shell, untrusted command text must not be executed',
    'server/dialects/dialects.test.ts',
    'a real shell receives each parameter as exactly one literal word',
  ),
  says('Simple listing', { command: 'ls', parameters: ['-la', './'] }, { is_error: false, output: /file\.txt/ }),
  says(
    'With explicit timeout',
    { command: 'echo', parameters: ['test', '--', 'tests/core/events/'], timeout: 900_000 },
    { is_error: false },
  ),
  says('With model-provided directory', { command: 'pwd', directory: './' }, { is_error: false }),
  says(
    'Structured output with artifact metadata',
    {
      command: 'echo',
      parameters: ['run', 'build'],
      output_format: 'json',
      output_detail: 'minimal',
      artifact_paths: ['file.txt'],
    },
    /"artifacts": \[\n\s+\{\n\s+"path": "file\.txt"/,
  ),
  ...['codex', 'gemini', 'copilot'].map((command) =>
    says(
      `For supported AI commands: clean assistant output: ${command}`,
      { command, parameters: ['--version'] },
      new RegExp(`^### Command Execution\\n\\n\\*\\*Command:\\*\\* \`${command} --version\``),
      { differs: 'AI commands' },
    ),
  ),
  says(
    'Rejected: requested directory is outside trusted working_directory',
    { command: 'ls', directory: '/' },
    mismatch,
  ),
  says(
    'Rejected: path arguments resolve outside trusted scope',
    { command: 'ls', parameters: ['--file=/etc/passwd'] },
    outside,
  ),
  says('Rejected: chaining/redirection/substitution/background operators are present', { command: 'a; b' }, control),
  says(
    'Rejected: inline script/eval command patterns are used',
    { command: 'bash', parameters: ['-lc', 'id'] },
    refusal(/inline script execution/),
  ),
  says(
    'Typical error shape includes a mismatch message that references trusted world working directory',
    { command: 'cat', parameters: ['/etc/passwd'] },
    outside,
  ),
  says(
    'HITL approval flow: risky commands need approval',
    { command: 'rm', parameters: ['file.txt'] },
    denial(/^Approval required: command classified as destructive_delete/),
  ),
]
