import { type Static, Type } from '@sinclair/typebox'
import { settingRows } from '../../shared/schema/index.ts'
import { type Dialect, type DialectText, type Ended, MAX_TIMEOUT_MS, plainRequest, type ToolResult } from './dialect.ts'
import { denialText } from './oneclaw.ts'
import { onOwnLine, readFields } from './shared.ts'

const only = { additionalProperties: false }

/** The settings of all tools. */
export const OpenaiSettings = Type.Object({
  timeout_ms: Type.Integer({
    default: 120_000,
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description: 'Timeout of a command for which the call names none, in milliseconds',
  }),
})
export type OpenaiSettings = Static<typeof OpenaiSettings>

/** Maximum number of commands in one call. */
const MAX_COMMANDS = 32

const Parameters = Type.Object({
  action: Type.Object(
    {
      commands: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_COMMANDS,
        description: 'Commands, which run one after the other',
      }),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: 'Timeout of each command in milliseconds' })),
      max_output_length: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Maximum characters to return from each command' }),
      ),
    },
    { ...only, description: 'The shell commands and limits' },
  ),
})

/** The exit code of a command that did not run, as a shell has it for a program that it may not execute. */
const NOT_RUN = 126
const SIGNAL_BASE = 128

/** The output of one command. */
interface ShellOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

/** Formats the result of one command. */
export function toOutput(result: ToolResult): ShellOutput {
  if ('problem' in result) return notRun('', result.problem.message)
  const { ended } = result
  const { status, stdout, stderr } = ended
  if (status === 'denied') return notRun('', denialText(ended))
  if (status === 'canceled') return notRun(stdout, onOwnLine(stderr, 'canceled'))
  const outcome = status === 'timed_out' ? ({ type: 'timeout' } as const) : exit(codeOf(ended))
  return { stdout, stderr, outcome }
}

const exit = (exit_code: number) => ({ type: 'exit' as const, exit_code })
const notRun = (stdout: string, stderr: string): ShellOutput => ({
  stdout,
  stderr,
  outcome: exit(NOT_RUN),
})

/** A shell reports the end by a signal as 128 and its number, which is not known here. */
const codeOf = ({ exit_code, signal }: Ended) => (signal === null ? exit_code : (signalCodes[signal] ?? SIGNAL_BASE))
const signalCodes: Record<string, number> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 131,
  SIGILL: 132,
  SIGABRT: 134,
  SIGFPE: 136,
  SIGKILL: 137,
  SIGSEGV: 139,
  SIGPIPE: 141,
  SIGTERM: 143,
}

/** Whether the tool reports an error to its model: a command did not run. */
export const isError = (result: ToolResult): boolean =>
  'problem' in result || result.ended.status === 'denied' || result.ended.status === 'canceled'

function joinTexts(results: ToolResult[], given: unknown): DialectText {
  const read = readFields(Parameters, given)
  const max_output_length = 'values' in read ? (read.values.action.max_output_length ?? null) : null
  const output = results.map(toOutput)
  return { is_error: results.some(isError), output: JSON.stringify({ output, max_output_length }) }
}

/** OpenAI's `shell`. */
export const openaiShell: Dialect<OpenaiSettings> = {
  name: 'openai/shell',
  family: 'openai',
  tool: 'shell',
  description: 'Run shell commands',
  parameters: Parameters,
  native: { api: 'openai', definition: { type: 'shell', environment: { type: 'local' } } },
  settings: settingRows(OpenaiSettings),
  toRequest(given, settings) {
    const read = readFields(Parameters, given)
    if ('refusal' in read) return read
    const { commands, timeout_ms = settings.timeout_ms, max_output_length } = read.values.action
    const blank = commands.findIndex((command) => command.trim() === '')
    if (blank >= 0) return { refusal: `action.commands.${blank}: expected a command, got nothing` }
    const [request, ...following] = commands.map((command) => ({
      ...plainRequest,
      command,
      timeoutMs: Math.min(timeout_ms, MAX_TIMEOUT_MS),
      ...(max_output_length !== undefined && { max_length: max_output_length }),
    }))
    return { request: request!, following }
  },
  toText: (result, given) => joinTexts([result], given),
  joinTexts,
}
