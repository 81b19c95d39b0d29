import { FOLDER, refusal, says, type Sentence, shown } from './sentence.ts'

const tests = 'server/dialects/file-steps.test.ts'
const path = `${FOLDER}/file.txt`
const failed = (error_type: string, output: string, noRun?: string) => ({
  is_error: true,
  error_type,
  output,
  ...(noRun !== undefined && { noRun }),
})

/** The quickstart's edit.py, and the types of text_editor_20250728. */
export const sentences: Sentence[] = [
  says(
    "Here's the result of running `cat -n` on {file_descriptor}",
    { command: 'view', path },
    { is_error: false, output: `Here's the result of running \`cat -n\` on ${path}:\n     1\tcontent\n     2\t\n` },
  ),
  says(
    'file_content = "\n".join(file_lines[init_line - 1 :])',
    { command: 'view', path, view_range: [2, -1] },
    `Here's the result of running \`cat -n\` on ${path}:\n     2\t\n`,
  ),
  says(
    'It should be a list of two integers.',
    { command: 'view', path, view_range: [1] },
    refusal('Invalid `view_range`. It should be a list of two integers.'),
  ),
  says(
    'Its first element should be within the range of lines of the file',
    { command: 'view', path, view_range: [9, 10] },
    failed(
      'validation_error',
      'Invalid `view_range`: [9, 10]. Its first element `9` should be within the range of lines of the file: [1, 2]',
    ),
  ),
  says(
    'File already exists at: {path}. Cannot overwrite files using command `create`.',
    { command: 'create', path, file_text: 'x' },
    failed(
      'validation_error',
      `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`,
      'the file exists',
    ),
  ),
  says(
    'The path {path} does not exist. Please provide a valid path.',
    { command: 'view', path: `${FOLDER}/never` },
    failed('not_found', `The path ${FOLDER}/never does not exist. Please provide a valid path.`, 'there is no file'),
  ),
  says(
    'The path {path} is not an absolute path, it should start with `/`.',
    { command: 'view', path: 'file.txt' },
    refusal('The path file.txt is not an absolute path, it should start with `/`. Maybe you meant file.txt?'),
  ),
  says(
    'No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.',
    { command: 'str_replace', path, old_str: 'absent', new_str: 'x' },
    failed('validation_error', `No replacement was performed, old_str \`absent\` did not appear verbatim in ${path}.`),
  ),
  says(
    'Multiple occurrences of old_str',
    { command: 'str_replace', path, old_str: 'nt' },
    failed(
      'validation_error',
      'No replacement was performed. Multiple occurrences of old_str `nt` in lines [1]. Please ensure it is unique',
    ),
  ),
  says(
    'Invalid `insert_line` parameter',
    { command: 'insert', path, insert_line: 5, insert_text: 'x' },
    failed(
      'validation_error',
      'Invalid `insert_line` parameter: 5. It should be within the range of lines of the file: [0, 2]',
    ),
  ),
  says(
    'Unrecognized command {command}.',
    { command: 'undo_edit', path },
    refusal(
      'Unrecognized command undo_edit. The allowed commands for the str_replace_based_edit_tool tool are: view, create, str_replace, insert',
    ),
  ),
  shown('The file {path} has been edited.', tests, 'bash and the editor change files'),
  shown('File created successfully at: {_path}', tests, 'bash and the editor change files'),
  shown('the files and directories up to 2 levels deep', tests, 'a directory shows two levels'),
  shown('MAX_RESPONSE_LEN: int = 16000', tests, 'long texts are clipped'),
  shown('self.read_file(path).expandtabs()', tests, 'line endings and tabs stay', 'tabs'),
]
