import { FOLDER, refusal, says, type Sentence, shown } from './sentence.ts'

const reply = (status: string, output: string) => JSON.stringify({ status, output })
const path = `${FOLDER}/never.txt`

/** The types of the package openai: ResponseApplyPatchToolCall. */
export const sentences: Sentence[] = [
  says(
    'type: create_file, delete_file, or update_file',
    { operation: { type: 'x', path } },
    refusal(/operation\.type/),
  ),
  says(
    'status: completed or failed',
    { operation: { type: 'update_file', path: 'file.txt', diff: '@@\n-absent\n+x' } },
    {
      is_error: true,
      error_type: 'conflict',
      output: reply(
        'failed',
        `patch: ${FOLDER}/file.txt: change 1: no exact match for the line "absent" and those after it, after the previous change`,
      ),
    },
  ),
  shown('Diff to apply', 'server/dialects/several-runs.test.ts', 'a patch creates, updates, moves and deletes a file'),
]
