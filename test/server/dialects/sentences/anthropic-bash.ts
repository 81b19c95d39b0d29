import { denial, FOLDER, refusal, says, type Sentence, shown } from './sentence.ts'

const tests = 'server/dialects/file-steps.test.ts'

/** The quickstart's bash.py, and the types of bash_20250124. */
export const sentences: Sentence[] = [
  says('A tool that allows the agent to run bash commands', 'echo out', {
    is_error: false,
    exit_code: 0,
    output: 'out',
  }),
  says('if output.endswith newline: output = output[:-1]', "printf 'a\\n\\n'", 'a\n'),
  says('if error.endswith newline: error = error[:-1]', 'echo err >&2', 'err'),
  says('return CLIResult(output=output, error=error)', 'echo err >&2; echo out', 'out\nerr'),
  says('exitCode !== 0: throw new ToolError(output)', 'echo out; exit 3', {
    is_error: true,
    exit_code: 3,
    output: 'out',
  }),
  says('throw new ToolError(output || `exit ${exitCode}`)', 'exit 3', { is_error: true, output: 'exit 3' }),
  says('_timeout: float = 120.0  # seconds', 'true', {}, { record: { timeout_seconds: 120 } }),
  says(
    'timed out: bash has not returned in {self._timeout} seconds and must be restarted',
    'echo up; sleep 60',
    { is_error: true, output: 'up\ntimed out: bash has not returned in 1.0 seconds' },
    { in: 'tight', differs: 'a shell for each command' },
  ),
  says('command: str = "/bin/bash"', 'echo $0', /sh$/, { differs: 'sh' }),
  says('the working directory', 'pwd', FOLDER),
  says('raise ToolError("no command provided.")', {}, refusal('no command provided.')),
  says('a blank command', ' ', refusal('no command provided.')),
  says('command: str | None', { command: 7 }, refusal('command: expected a string, got 7')),
  says('restart: bool', { restart: 1 }, refusal('restart: expected true or false, got 1')),
  says(
    'return ToolResult(system="tool has been restarted.")',
    { restart: true },
    {
      is_error: false,
      output: 'tool has been restarted.',
      noRun: 'it only ends the session',
    },
  ),
  says('a denied command', 'rm -rf /', denial(/./)),
  shown('name: Literal["bash"]', tests, 'bash and the editor change files'),
]
