import { Type } from '@sinclair/typebox'
import { settingRows } from '../../shared/schema/index.ts'
import { toScript } from './agent-world-argv.ts'
import { type Dialect, MAX_TIMEOUT_MS, plainRequest } from './dialect.ts'
import { isError, OpenaiSettings, toOutput } from './openai-shell.ts'
import { readFields } from './shared.ts'

const Parameters = Type.Object({
  action: Type.Object(
    {
      type: Type.Literal('exec', { description: 'Always `exec`' }),
      command: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 1000,
        description: 'The program and its arguments, each one literal word',
      }),
      env: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Environment variables to set for the command',
        }),
      ),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: 'Timeout in milliseconds' })),
      user: Type.Optional(Type.String({ description: 'The user to run the command as: only the current one' })),
      working_directory: Type.Optional(Type.String({ description: 'Working directory of the command' })),
    },
    { additionalProperties: false, description: 'The command to execute' },
  ),
})

/** OpenAI's `local_shell`. */
export const openaiLocalShell: Dialect<OpenaiSettings> = {
  name: 'openai/local_shell',
  family: 'openai',
  tool: 'local_shell',
  description: 'Run a program with its arguments',
  parameters: Parameters,
  native: { api: 'openai', definition: { type: 'local_shell' } },
  settings: settingRows(OpenaiSettings),
  toRequest(given, settings, world) {
    const read = readFields(Parameters, given)
    if ('refusal' in read) return read
    const { command, env, timeout_ms = settings.timeout_ms, user, working_directory } = read.values.action
    if (command[0]!.trim() === '') return { refusal: 'action.command.0: expected a program, got nothing' }
    if (user !== undefined && user !== '' && user !== world.user) {
      return {
        refusal: `action.user: expected ${world.user ?? 'no user'}, as which commands run here, got ${user}`,
      }
    }
    return {
      request: {
        ...plainRequest,
        command: toScript({ command: command[0]!, parameters: command.slice(1) }),
        timeoutMs: Math.min(timeout_ms, MAX_TIMEOUT_MS),
        ...(env && { env }),
        ...(working_directory !== undefined && working_directory !== '' && { working_directory }),
      },
    }
  },
  toText: (result) => ({ is_error: isError(result), output: JSON.stringify(toOutput(result)) }),
}
