import { type Static, Type } from '@sinclair/typebox'
import { settingRows } from '../../shared/schema/index.ts'
import { type Dialect, type DialectText, type Ended, MAX_TIMEOUT_MS, plainRequest, type ToolResult } from './dialect.ts'
import { denialText } from './oneclaw.ts'
import { onOwnLine, readFields } from './shared.ts'

const Parameters = Type.Object({
  command: Type.Optional(
    Type.String({
      description: 'The bash command to run. Required unless the tool is being restarted.',
    }),
  ),
  restart: Type.Optional(
    Type.Boolean({
      description: 'Specifying true will restart this tool. Otherwise, leave this unspecified.',
    }),
  ),
})

/** The settings of both tools. */
export const AnthropicSettings = Type.Object({
  timeout_seconds: Type.Number({
    default: 120,
    exclusiveMinimum: 0,
    maximum: MAX_TIMEOUT_MS / 1000,
    description: 'Timeout of a command of bash, in seconds',
  }),
  max_characters: Type.Integer({
    default: 16_000,
    minimum: 1,
    description: 'Maximum characters of a file or directory that str_replace_based_edit_tool shows',
  }),
})
export type AnthropicSettings = Static<typeof AnthropicSettings>

const withoutLineFeed = (text: string) => text.replace(/\n$/, '')

const bothStreams = ({ stdout, stderr }: Ended): string =>
  [stdout, stderr].map(withoutLineFeed).filter(Boolean).join('\n')

const below = (text: string, line: string) => (text === '' ? line : onOwnLine(text, line))

/** Formats seconds as Python formats a float: 120.0, 0.5. */
const pythonFloat = (seconds: number) => (Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds))

function endedText(ended: Ended): string {
  const text = bothStreams(ended)
  if (ended.status === 'denied') return denialText(ended)
  if (ended.status === 'timed_out') {
    return below(text, `timed out: bash has not returned in ${pythonFloat(ended.timeout_seconds)} seconds`)
  }
  if (ended.status === 'canceled') return below(text, 'canceled')
  if (ended.status === 'completed' || text !== '') return text
  return `exit ${ended.signal ?? ended.exit_code}`
}

const toText = (result: ToolResult): DialectText =>
  'problem' in result
    ? { is_error: true, output: result.problem.message }
    : { is_error: result.ended.status !== 'completed', output: endedText(result.ended) }

/** Anthropic's `bash` (bash_20250124). */
export const anthropicBash: Dialect<AnthropicSettings> = {
  name: 'anthropic/bash',
  family: 'anthropic',
  tool: 'bash',
  description: 'Run commands in a bash shell',
  parameters: Parameters,
  native: { api: 'anthropic', definition: { type: 'bash_20250124', name: 'bash' } },
  isOneShell: true,
  settings: settingRows(AnthropicSettings),
  toRequest(given, { timeout_seconds }) {
    const read = readFields(Parameters, given)
    if ('refusal' in read) return read
    const { command, restart = false } = read.values
    if (restart) return { endsSession: true, output: 'tool has been restarted.' }
    if (command === undefined || command.trim() === '') return { refusal: 'no command provided.' }
    return { request: { ...plainRequest, command, timeoutMs: timeout_seconds * 1000 } }
  },
  toText,
}
