import { refusal, says, type Sentence, shown } from './sentence.ts'

const output = (stdout: string, stderr: string, outcome: object, max_output_length: number | null = null) =>
  JSON.stringify({ output: [{ stdout, stderr, outcome }], max_output_length })
const exit = (exit_code: number) => ({ type: 'exit', exit_code })
const action = (commands: string[], more: object = {}) => ({ action: { commands, ...more } })

/** The types of the package openai: FunctionShellTool and ResponseFunctionShellToolCall. */
export const sentences: Sentence[] = [
  says('Captured stdout and stderr output for the shell call', action(['echo out; echo err >&2']), {
    is_error: false,
    output: output('out\n', 'err\n', exit(0)),
  }),
  says('The exit code returned by the shell process', action(['exit 3']), {
    is_error: false,
    exit_code: 3,
    output: output('', '', exit(3)),
  }),
  says('the shell call exceeded its configured time limit', action(['echo up; sleep 60'], { timeout_ms: 500 }), {
    is_error: false,
    output: output('up\n', '', { type: 'timeout' }),
  }),
  says('max_output_length: should be passed back with the raw output', action(['echo a'], { max_output_length: 99 }), {
    output: output('a\n', '', exit(0), 99),
  }),
  says(
    'commands: Array<string>',
    { action: { commands: [] } },
    refusal(/^action\.commands: expected a list of strings/),
  ),
  says(
    'timeout_ms: number | null',
    action(['true'], { timeout_ms: null, max_output_length: null }),
    {},
    { record: { timeout_seconds: 120 } },
  ),
  shown('an array of shell call output contents', 'server/dialects/several-runs.test.ts', 'each command is a run'),
]
