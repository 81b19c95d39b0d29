import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf, settingRows } from '../../shared/schema/index.ts'
import { AnthropicSettings } from './anthropic-bash.ts'
import { insertLines, numbered, replaceText, shownLines } from './anthropic-texts.ts'
import type { Dialect, DialectText, Ended, FileStep, Refusal, ToolResult } from './dialect.ts'
import { denialText } from './oneclaw.ts'
import { readFields } from './shared.ts'

const TOOL = 'str_replace_based_edit_tool'
const commands = ['view', 'create', 'str_replace', 'insert'] as const

const Parameters = Type.Object({
  command: oneWordOf(commands, {
    description: `The command to run. Allowed options are: ${commands.join(', ')}.`,
  }),
  path: Type.String({ description: 'Absolute path to a file or directory' }),
  file_text: Type.Optional(
    Type.String({
      description: 'Required parameter of `create` command: the content of the file to be created',
    }),
  ),
  old_str: Type.Optional(
    Type.String({
      description: 'Required parameter of `str_replace` command: the string in `path` to replace',
    }),
  ),
  new_str: Type.Optional(
    Type.String({
      description: 'Optional parameter of `str_replace` command: the new string (default: none)',
    }),
  ),
  insert_line: Type.Optional(
    Type.Integer({
      description: 'Required parameter of `insert` command: the line after which to insert; 0: at the beginning',
    }),
  ),
  insert_text: Type.Optional(
    Type.String({ description: 'Required parameter of `insert` command: the text to insert' }),
  ),
  view_range: Type.Optional(
    Type.Array(Type.Integer(), {
      maxItems: 2,
      description: 'Optional parameter of `view` command: first and last line, such as [11, 12]; [11, -1]: to the end',
    }),
  ),
})
type Parameters = Static<typeof Parameters>

const missing = (parameter: string, command: string): Refusal => ({
  refusal: `Parameter \`${parameter}\` is required for command: ${command}`,
})

function viewStep({ path, view_range }: Parameters, { max_characters }: AnthropicSettings): FileStep | Refusal {
  if (view_range && view_range.length !== 2) {
    return { refusal: 'Invalid `view_range`. It should be a list of two integers.' }
  }
  return {
    does: 'view',
    path,
    show: (text) => shownLines(text, path, view_range, max_characters),
    list: (paths) =>
      view_range
        ? {
            refusal: 'The `view_range` parameter is not allowed when `path` points to a directory.',
          }
        : { output: numbered.directory(path, paths, max_characters) },
  }
}

function createStep({ path, file_text }: Parameters): FileStep | Refusal {
  if (file_text === undefined) return missing('file_text', 'create')
  return {
    does: 'create',
    path,
    content: file_text,
    output: `File created successfully at: ${path}`,
    exists: `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`,
  }
}

const editStep = (path: string, texts: string, edit: Extract<FileStep, { does: 'edit' }>['edit']): FileStep => ({
  does: 'edit',
  path,
  edit,
  heldBytes: texts.length,
  ofDirectory: `The path ${path} is a directory and only the \`view\` command can be used on directories`,
})

function replaceStep({ path, old_str, new_str = '' }: Parameters, settings: AnthropicSettings): FileStep | Refusal {
  if (old_str === undefined) return missing('old_str', 'str_replace')
  if (old_str === '') return { refusal: 'old_str: expected text, got nothing' }
  return editStep(path, old_str + new_str, (text) =>
    replaceText(text, path, { old_str, new_str }, settings.max_characters),
  )
}

function insertStep({ path, insert_line, insert_text }: Parameters, settings: AnthropicSettings): FileStep | Refusal {
  if (insert_line === undefined) return missing('insert_line', 'insert')
  if (insert_text === undefined) return missing('insert_text', 'insert')
  return editStep(path, insert_text, (text) =>
    insertLines(text, path, { insert_line, insert_text }, settings.max_characters),
  )
}

const toStep = { view: viewStep, create: createStep, str_replace: replaceStep, insert: insertStep }

/** The tool's own message for an unknown command, before any other message about the arguments. */
function unknownCommand(given: unknown): string | null {
  const { command } = (given ?? {}) as { command?: unknown }
  if (typeof command !== 'string' || command in toStep) return null
  return `Unrecognized command ${command.slice(0, 100)}. The allowed commands for the ${TOOL} tool are: ${commands.join(', ')}`
}

function statusText(ended: Ended): string {
  if (ended.status === 'denied') return denialText(ended)
  return ended.status === 'canceled' ? 'canceled' : ended.stdout
}

function toText(result: ToolResult, given: unknown): DialectText {
  if ('ended' in result) {
    return { is_error: result.ended.status !== 'completed', output: statusText(result.ended) }
  }
  const { code, message } = result.problem
  const read = readFields(Parameters, given)
  const isMissing = code === 'NOT_FOUND' && 'values' in read
  return {
    is_error: true,
    output: isMissing ? `The path ${read.values.path} does not exist. Please provide a valid path.` : message,
  }
}

/** Anthropic's text editor (text_editor_20250728). */
export const anthropicEditor: Dialect<AnthropicSettings> = {
  name: `anthropic/${TOOL}`,
  family: 'anthropic',
  tool: TOOL,
  description: 'View, create and edit text files',
  parameters: Parameters,
  native: { api: 'anthropic', definition: { type: 'text_editor_20250728', name: TOOL } },
  settings: settingRows(AnthropicSettings),
  toRequest(given, settings) {
    const unknown = unknownCommand(given)
    if (unknown !== null) return { refusal: unknown }
    const read = readFields(Parameters, given)
    if ('refusal' in read) return read
    const { command, path } = read.values
    if (!path.startsWith('/')) {
      return {
        refusal: `The path ${path} is not an absolute path, it should start with \`/\`. Maybe you meant ${path}?`,
      }
    }
    const step = toStep[command](read.values, settings)
    return 'refusal' in step ? step : { file: step }
  },
  toText,
}
