import { deniedBy, type Example, type Promises } from './example.ts'

const path = '/w/a.txt'

const steps: Example[] = [
  { name: 'view', arguments: { command: 'view', path }, expect: { file: { does: 'view', path } } },
  {
    name: 'view with a range of strings',
    arguments: { command: 'view', path, view_range: ['1', '-1'] },
    expect: { file: { does: 'view', path } },
  },
  {
    name: 'create',
    arguments: { command: 'create', path, file_text: 'x\n' },
    expect: {
      file: {
        does: 'create',
        path,
        content: 'x\n',
        output: 'File created successfully at: /w/a.txt',
      },
    },
  },
  {
    name: 'str_replace without new_str removes the text',
    arguments: { command: 'str_replace', path, old_str: 'x' },
    expect: { file: { does: 'edit', path } },
  },
  {
    name: 'insert',
    arguments: { command: 'insert', path, insert_line: '0', insert_text: 'x' },
    expect: { file: { does: 'edit', path, heldBytes: 1 } },
  },
  {
    name: 'the text of a step is the stdout of its run',
    arguments: { command: 'view', path },
    result: { stdout: 'shown\n' },
    expect: { is_error: false, output: 'shown\n' },
  },
  {
    name: 'a missing path',
    arguments: { command: 'view', path },
    result: { problem: { code: 'NOT_FOUND', message: 'no such file', about: '' } },
    expect: {
      is_error: true,
      output: 'The path /w/a.txt does not exist. Please provide a valid path.',
    },
  },
  {
    name: 'an error of the step',
    arguments: { command: 'view', path },
    result: {
      problem: { code: 'VALIDATION_ERROR', message: 'No replacement was performed', about: '' },
    },
    expect: { is_error: true, output: 'No replacement was performed' },
  },
  {
    name: 'a denied step',
    arguments: { command: 'view', path },
    result: deniedBy({ guard: 'workspace', reason: 'outside' }),
    expect: { is_error: true, output: 'outside' },
  },
  {
    name: 'a canceled step',
    arguments: { command: 'view', path },
    result: { status: 'canceled', exit_code: -1 },
    expect: { is_error: true, output: 'canceled' },
  },
]

const refused: [string, object | null, string][] = [
  [
    'an unknown command',
    { command: 'undo_edit', path },
    'Unrecognized command undo_edit. The allowed commands for the str_replace_based_edit_tool tool are: view, create, str_replace, insert',
  ],
  ['no command', { path }, 'command: expected one of "view", "create", "str_replace", "insert", got nothing'],
  [
    'a command that is no string',
    { command: 1, path },
    'command: expected one of "view", "create", "str_replace", "insert", got 1',
  ],
  ['no path', { command: 'view' }, 'path: expected a string, got nothing'],
  [
    'a relative path',
    { command: 'view', path: 'a.txt' },
    'The path a.txt is not an absolute path, it should start with `/`. Maybe you meant a.txt?',
  ],
  ['no file_text', { command: 'create', path }, 'Parameter `file_text` is required for command: create'],
  ['file_text', { command: 'create', path, file_text: 1 }, 'file_text: expected a string, got 1'],
  ['no old_str', { command: 'str_replace', path }, 'Parameter `old_str` is required for command: str_replace'],
  ['an empty old_str', { command: 'str_replace', path, old_str: '' }, 'old_str: expected text, got nothing'],
  ['old_str', { command: 'str_replace', path, old_str: {} }, 'old_str: expected a string, got an object'],
  ['new_str', { command: 'str_replace', path, old_str: 'a', new_str: 1 }, 'new_str: expected a string, got 1'],
  ['no insert_line', { command: 'insert', path }, 'Parameter `insert_line` is required for command: insert'],
  [
    'no insert_text',
    { command: 'insert', path, insert_line: 1 },
    'Parameter `insert_text` is required for command: insert',
  ],
  ['insert_line', { command: 'insert', path, insert_line: 'x' }, 'insert_line: expected an integer, got "x"'],
  ['insert_text', { command: 'insert', path, insert_line: 1, insert_text: 1 }, 'insert_text: expected a string, got 1'],
  [
    'a short view_range',
    { command: 'view', path, view_range: [1] },
    'Invalid `view_range`. It should be a list of two integers.',
  ],
  ['view_range', { command: 'view', path, view_range: ['x', 2] }, 'view_range.0: expected an integer, got "x"'],
  [
    'an unknown argument',
    { command: 'view', path, file: 'x' },
    'file: unknown field; expected one of command, path, file_text, old_str, new_str, insert_line, insert_text, view_range; did you mean file_text?',
  ],
  ['no object', null, 'body: expected an object, got null'],
]

/** Anthropic's text_editor_20250728, as in the quickstart's edit.py. */
export const promises: Promises = {
  tool: 'str_replace_based_edit_tool',
  parameters: [
    ['command', 'string', undefined, true],
    ['path', 'string', undefined, true],
    ['file_text', 'string', undefined, false],
    ['old_str', 'string', undefined, false],
    ['new_str', 'string', undefined, false],
    ['insert_line', 'integer', undefined, false],
    ['insert_text', 'string', undefined, false],
    ['view_range', 'array', undefined, false],
  ],
  settings: { timeout_seconds: 120, max_characters: 16_000 },
  examples: [...steps, ...refused.map(([name, given, refusal]) => ({ name, arguments: given, expect: { refusal } }))],
}
