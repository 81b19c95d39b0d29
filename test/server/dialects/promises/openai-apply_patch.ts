import { deniedBy, type Example, type Promises } from './example.ts'

const call = (type: string, more: object = {}) => ({ operation: { type, path: 'a.txt', ...more } })
const patchOf = (...lines: string[]) => ({
  does: 'patch',
  patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
})

const steps: Example[] = [
  {
    name: 'create_file',
    arguments: call('create_file', { diff: '+one\n+two\n' }),
    expect: { file: patchOf('*** Add File: a.txt', '+one', '+two') },
  },
  {
    name: 'update_file, with the id of the call',
    arguments: { ...call('update_file', { diff: '@@\n-one\n+two' }), callId: 'c' },
    expect: { file: patchOf('*** Update File: a.txt', '@@', '-one', '+two') },
  },
  {
    name: 'update_file with a new path',
    arguments: call('update_file', { diff: '@@\n-one\n+two\n*** End of File', moveTo: 'b.txt' }),
    expect: {
      file: patchOf('*** Update File: a.txt', '*** Move to: b.txt', '@@', '-one', '+two', '*** End of File'),
    },
  },
  { name: 'delete_file', arguments: call('delete_file'), expect: { file: patchOf('*** Delete File: a.txt') } },
  {
    name: 'completed',
    arguments: call('delete_file'),
    result: { stdout: 'deleted /home/user/a.txt\n' },
    expect: { is_error: false, output: '{"status":"completed","output":"deleted /home/user/a.txt\\n"}' },
  },
  {
    name: 'denied',
    arguments: call('delete_file'),
    result: deniedBy({ guard: 'workspace', reason: 'outside' }),
    expect: { is_error: true, output: '{"status":"failed","output":"outside"}' },
  },
  {
    name: 'failed',
    arguments: call('update_file', { diff: '' }),
    result: { problem: { code: 'CONFLICT', message: 'patch: no match', about: '' } },
    expect: { is_error: true, output: '{"status":"failed","output":"patch: no match"}' },
  },
]

const refused: [string, unknown, string][] = [
  ['no operation', {}, 'operation: expected an object, got nothing'],
  ['type', call('rename'), 'operation.type: expected one of "create_file", "update_file", "delete_file", got "rename"'],
  ['path', call('delete_file', { path: 1 }), 'operation.path: expected a string of at least 1 character, got 1'],
  [
    'a line break in the path',
    call('delete_file', { path: 'a\n*** Delete File: b' }),
    'operation.path: expected a path without line breaks',
  ],
  ['no diff', call('update_file'), 'operation.diff: expected the changes, got nothing'],
  ['diff', call('update_file', { diff: 1 }), 'operation.diff: expected a string, got 1'],
  [
    'a second file in the diff',
    call('update_file', { diff: '@@\n-a\n*** Delete File: b' }),
    'operation.diff: expected the changes of one file, got "*** Delete File: b"',
  ],
  [
    'move_to of a new file',
    call('create_file', { diff: '+a', move_to: 'b' }),
    'operation.move_to: expected nothing for create_file',
  ],
]

/** OpenAI's apply_patch, as in the types of the package openai. */
export const promises: Promises = {
  tool: 'apply_patch',
  parameters: [
    ['operation', 'object', undefined, true],
    ['call_id', 'string', undefined, false],
  ],
  settings: { timeout_ms: 120_000 },
  examples: [
    ...steps,
    ...refused.map(([name, given, output]) => ({
      name,
      arguments: given,
      expect: { refusal: JSON.stringify({ status: 'failed', output }) },
    })),
  ],
}
