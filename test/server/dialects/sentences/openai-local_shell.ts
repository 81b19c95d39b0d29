import { FOLDER, refusal, says, type Sentence } from './sentence.ts'

const output = (stdout: string, stderr: string, outcome: object) => JSON.stringify({ stdout, stderr, outcome })
const action = (command: string[], more: object = {}) => ({ action: { type: 'exec', command, env: {}, ...more } })
const exit = (exit_code: number) => ({ type: 'exit', exit_code })

/** The types of the package openai: LocalShellCall. */
export const sentences: Sentence[] = [
  says('The command to run', action(['printf', '%s', '$HOME *']), {
    is_error: false,
    output: output('$HOME *', '', exit(0)),
  }),
  says('Environment variables to set for the command', action(['sh', '-c', 'echo $X'], { env: { X: 'y' } }), {
    output: output('y\n', '', exit(0)),
  }),
  says('Optional timeout in milliseconds for the command', action(['sleep', '60'], { timeout_ms: 300 }), {
    output: output('', '', { type: 'timeout' }),
  }),
  says('Optional working directory to run the command in', action(['pwd'], { working_directory: `${FOLDER}/sub` }), {
    output: output(`${FOLDER}/sub\n`, '', exit(0)),
  }),
  says(
    'Optional user to run the command as',
    action(['id'], { user: 'nobody-else' }),
    refusal(/^action\.user: expected .*, got nobody-else$/),
    { differs: 'another user' },
  ),
]
