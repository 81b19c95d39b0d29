import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf, settingRows } from '../../shared/schema/index.ts'
import type { Dialect, DialectText, ToolResult } from './dialect.ts'
import { denialText } from './oneclaw.ts'
import { OpenaiSettings } from './openai-shell.ts'
import { readFields } from './shared.ts'

const Parameters = Type.Object({
  operation: Type.Object(
    {
      type: oneWordOf(['create_file', 'update_file', 'delete_file'], {
        description: 'What to do with the file',
      }),
      path: Type.String({
        minLength: 1,
        description: 'The file, relative to the directory of the session or else the working directory, or absolute',
      }),
      diff: Type.Optional(
        Type.String({
          description: 'The changes in V4A format, without the header of the file; not for delete_file',
        }),
      ),
      move_to: Type.Optional(Type.String({ minLength: 1, description: 'The new path of an updated file' })),
    },
    { additionalProperties: false, description: 'The change of one file' },
  ),
  call_id: Type.Optional(Type.String({ description: 'The id of the call, which has no effect' })),
})
type Operation = Static<typeof Parameters>['operation']

/** Returns the operation as a patch with an envelope. */
function toPatch({ type, path, diff = '', move_to }: Operation): string {
  const action = { create_file: 'Add', update_file: 'Update', delete_file: 'Delete' }[type]
  const lines = [
    `*** ${action} File: ${path}`,
    ...(move_to === undefined ? [] : [`*** Move to: ${move_to}`]),
    ...(type === 'delete_file' || diff === '' ? [] : [diff.replace(/\r?\n$/, '')]),
  ]
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
}

/** Returns why an operation cannot be a patch of one file; null: it can. */
function faultOf({ type, path, diff, move_to }: Operation): string | null {
  for (const [field, name] of Object.entries({ path, move_to })) {
    if (name !== undefined && /[\r\n]/.test(name)) return `operation.${field}: expected a path without line breaks`
  }
  if (type === 'delete_file') return null
  if (diff === undefined) return `operation.diff: expected the changes, got nothing`
  if (move_to !== undefined && type === 'create_file') return 'operation.move_to: expected nothing for create_file'
  const header = /^\*\*\* (?!End of File\r?$).*$/m.exec(diff)
  return header
    ? `operation.diff: expected the changes of one file, got ${JSON.stringify(header[0].slice(0, 60))}`
    : null
}

const reply = (status: 'completed' | 'failed', output: string): DialectText => ({
  is_error: status === 'failed',
  output: JSON.stringify({ status, output }),
})

function toText(result: ToolResult): DialectText {
  if ('problem' in result) return reply('failed', result.problem.message)
  const { ended } = result
  if (ended.status === 'completed') return reply('completed', ended.stdout)
  return reply('failed', ended.status === 'denied' ? denialText(ended) : 'canceled')
}

/** OpenAI's `apply_patch`. */
export const openaiApplyPatch: Dialect<OpenaiSettings> = {
  name: 'openai/apply_patch',
  family: 'openai',
  tool: 'apply_patch',
  description: 'Create, update and delete files',
  parameters: Parameters,
  native: { api: 'openai', definition: { type: 'apply_patch' } },
  settings: settingRows(OpenaiSettings),
  toRequest(given) {
    const read = readFields(Parameters, given)
    const fault = 'refusal' in read ? read.refusal : faultOf(read.values.operation)
    if (fault !== null) return { refusal: reply('failed', fault).output }
    const { operation } = (read as { values: Static<typeof Parameters> }).values
    return { file: { does: 'patch', patch: toPatch(operation) } }
  },
  toText,
}
