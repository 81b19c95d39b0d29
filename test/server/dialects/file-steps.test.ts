import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { DialectAnswer, ExecRecord, NewToken, PendingApproval } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { newFolder } from '../../support/folders.ts'
import { startService, until } from '../../support/helper.ts'
import { type McpResult, modernMessage, post } from '../../support/mcp/raw.ts'
import { sseEvents } from '../../support/sse.ts'

const folder = newFolder(t, 'file-steps')
const service = await startService({
  env: { SHELLPHONE_WORKING_DIRECTORY: folder, SHELLPHONE_DIALECTS_ANTHROPIC_MAX_CHARACTERS: '2000' },
})
t.teardown(() => service.stop())
const EDITOR = 'str_replace_based_edit_tool'
const at = (name: string) => join(folder, name)
const put = (name: string, content: string | Buffer) => {
  fs.writeFileSync(at(name), content)
  return at(name)
}
const text = (path: string) => fs.readFileSync(path, 'utf8')

type Reply = Pick<DialectAnswer, 'is_error' | 'output' | 'run_id'>

async function viaHttp(tool: string, given: object): Promise<Reply & { status: number }> {
  const response = await service.post(`/exec/anthropic?tool=${tool}`, given)
  return { status: response.status, ...((await response.json()) as Reply) }
}
const edit = (given: object) => viaHttp(EDITOR, given)

const seams: Record<string, (tool: string, given: object) => Promise<Reply>> = {
  http: viaHttp,
  ws: async (tool, given) => {
    const socket = await service.socket()
    const reply = await socket.exec('r', { dialect: 'anthropic', tool, arguments: given })
    await socket.close()
    return reply as unknown as Reply
  },
  sse: async (tool, given) => {
    const response = await service.post(`/exec/anthropic?tool=${tool}`, given, { accept: 'text/event-stream' })
    if (response.headers.get('content-type')?.startsWith('application/json')) return (await response.json()) as Reply
    let last: unknown
    for await (const { data } of sseEvents(response)) last = data
    return last as Reply
  },
  mcp: async (tool, given) => {
    const { message, headers } = modernMessage('tools/call', { name: tool, arguments: given })
    const { content, isError, structuredContent } = (await post(service, message, headers, '/mcp/anthropic')).body
      .result as unknown as McpResult
    return {
      is_error: isError === true,
      output: content[0]!.text,
      run_id: (structuredContent.id as string | undefined) ?? null,
    }
  },
}

for (const [seam, call] of Object.entries(seams)) {
  t.test(`${seam}: bash and the editor change files, and each step is a run of its tool`, async (t) => {
    const path = at(`${seam}.txt`)
    const made = await call(EDITOR, { command: 'create', path, file_text: 'one\ntwo\nthree\n' })
    t.match(made, { is_error: false, output: `File created successfully at: ${path}` })
    const changed = await call(EDITOR, { command: 'str_replace', path, old_str: 'two', new_str: 'TWO\nand' })
    t.equal(
      changed.output,
      `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of ${path}:\n` +
        '     1\tone\n     2\tTWO\n     3\tand\n     4\tthree\n     5\t\n' +
        'Review the changes and make sure they are as expected. Edit the file again if necessary.',
    )
    const inserted = await call(EDITOR, { command: 'insert', path, insert_line: 0, insert_text: 'zero' })
    t.equal(
      inserted.output,
      `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n` +
        '     1\tzero\n     2\tone\n     3\tTWO\n     4\tand\n     5\tthree\n' +
        'Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.',
    )
    t.equal(text(path), 'zero\none\nTWO\nand\nthree\n')
    const viewed = await call(EDITOR, { command: 'view', path, view_range: [2, 3] })
    t.match(viewed, {
      is_error: false,
      output: `Here's the result of running \`cat -n\` on ${path}:\n     2\tone\n     3\tTWO\n`,
    })
    const shell = await call('bash', { command: `cat ${path} | wc -l; echo err >&2; exit 4` })
    t.match(shell, { is_error: true, output: '5\nerr' })
    const restarted = await call('bash', { restart: true })
    t.match(restarted, { is_error: false, output: 'tool has been restarted.', run_id: null })
    const records: [Reply, string, string][] = [
      [made, EDITOR, `tee '${path}'`],
      [changed, EDITOR, `sed -i '' '${path}'`],
      [viewed, EDITOR, `cat '${path}'`],
      [shell, 'bash', `cat ${path} | wc -l; echo err >&2; exit 4`],
    ]
    for (const [{ run_id }, tool, command] of records) {
      const record = (await (await service.request(`/runs/${run_id}`)).json()) as ExecRecord
      t.match(record, { dialect: `anthropic/${tool}`, command }, command)
    }
  })
}

const errors: [string, () => object, number, string][] = [
  [
    'missing',
    () => ({ command: 'view', path: at('none') }),
    404,
    `The path ${at('none')} does not exist. Please provide a valid path.`,
  ],
  [
    'create over a file',
    () => ({ command: 'create', path: put('taken', 'x'), file_text: 'y' }),
    400,
    `File already exists at: ${at('taken')}. Cannot overwrite files using command \`create\`.`,
  ],
  [
    'create over a directory',
    () => ({ command: 'create', path: folder, file_text: 'y' }),
    400,
    `File already exists at: ${folder}. Cannot overwrite files using command \`create\`.`,
  ],
  [
    'an edit of a directory',
    () => ({ command: 'insert', path: folder, insert_line: 0, insert_text: 'x' }),
    400,
    `The path ${folder} is a directory and only the \`view\` command can be used on directories`,
  ],
  [
    'a range of a directory',
    () => ({ command: 'view', path: folder, view_range: [1, 2] }),
    400,
    'The `view_range` parameter is not allowed when `path` points to a directory.',
  ],
  [
    'no match',
    () => ({ command: 'str_replace', path: put('a', 'x\n'), old_str: 'y' }),
    400,
    `No replacement was performed, old_str \`y\` did not appear verbatim in ${at('a')}.`,
  ],
  [
    'several matches',
    () => ({ command: 'str_replace', path: put('b', 'x\nx x\ny\n'), old_str: 'x' }),
    400,
    'No replacement was performed. Multiple occurrences of old_str `x` in lines [1, 2]. Please ensure it is unique',
  ],
  [
    'a line beyond the end',
    () => ({ command: 'insert', path: put('c', 'x\n'), insert_line: 3, insert_text: 'y' }),
    400,
    'Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]',
  ],
  [
    'a negative line',
    () => ({ command: 'insert', path: put('c', 'x\n'), insert_line: -1, insert_text: 'y' }),
    400,
    'Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 2]',
  ],
  [
    'a range that begins beyond the end',
    () => ({ command: 'view', path: put('d', 'x\n'), view_range: [3, 4] }),
    400,
    'Invalid `view_range`: [3, 4]. Its first element `3` should be within the range of lines of the file: [1, 2]',
  ],
  [
    'a range that ends beyond the end',
    () => ({ command: 'view', path: put('d', 'x\n'), view_range: [1, 4] }),
    400,
    'Invalid `view_range`: [1, 4]. Its second element `4` should be smaller than the number of lines in the file: `2`',
  ],
  [
    'a range that ends before its beginning',
    () => ({ command: 'view', path: put('d', 'x\n'), view_range: [2, 1] }),
    400,
    'Invalid `view_range`: [2, 1]. Its second element `1` should be larger or equal than its first `2`',
  ],
  [
    'a path with ..',
    () => ({ command: 'view', path: `${folder}/../x` }),
    400,
    `path: expected a path without .., got ${JSON.stringify(`${folder}/../x`)}`,
  ],
  [
    'a binary file',
    () => ({ command: 'view', path: put('bin', Buffer.from([1, 0, 2])) }),
    415,
    `path: expected text, got a NUL character at byte 1: ${at('bin')}`,
  ],
  [
    'half of a surrogate pair',
    () => ({ command: 'create', path: at('half'), file_text: '\ud800' }),
    400,
    'file_text: expected text, got half of a surrogate pair',
  ],
]

t.test('each error has the text of the quickstart, or names the field', async (t) => {
  for (const [name, given, status, output] of errors) {
    const { status: found, output: said, is_error } = await edit(given())
    t.same([found, is_error, said], [status, true, output], name)
  }
  t.equal(text(at('taken')), 'x')
})

t.test('a dialect with several tools needs the name of one', async (t) => {
  const expected = 'tool: expected one of bash, str_replace_based_edit_tool'
  const without = await service.post('/exec/anthropic', { command: 'true' })
  t.match(
    [without.status, await without.json()],
    [400, { error: { message: `${expected}, got nothing`, field: 'tool' } }],
  )
  const other = await service.post('/exec/anthropic?tool=zsh', { command: 'true' })
  t.match([other.status, await other.json()], [400, { error: { message: `${expected}, got zsh` } }])
  t.equal((await service.post('/exec/claude?tool=bash', { command: 'true' })).status, 404)
  t.equal((await service.post('/exec/oneclaw?tool=exec', { command: 'true' })).status, 200, 'a dialect with one tool')
})

t.test('a directory shows two levels without hidden names, and long texts are clipped', async (t) => {
  fs.mkdirSync(at('tree/sub/deep'), { recursive: true })
  for (const name of ['tree/a', 'tree/.hidden', 'tree/sub/b', 'tree/sub/deep/c']) put(name, 'x')
  const path = at('tree')
  t.equal(
    (await edit({ command: 'view', path })).output,
    `Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n` +
      `${path}\n${path}/a\n${path}/sub\n${path}/sub/b\n${path}/sub/deep\n\n`,
  )
  const { output } = await edit({ command: 'view', path: put('long', 'y'.repeat(3000)) })
  t.match(output, /^[^\n]*\n {5}1\ty{2000}<response clipped><NOTE>.*<\/NOTE>\n$/)
})

t.test('line endings and tabs stay', async (t) => {
  const path = put('crlf', 'a\tb\r\nc\r\n')
  t.match(await edit({ command: 'str_replace', path, old_str: 'c', new_str: 'd\r\ne' }), { is_error: false })
  t.equal(text(path), 'a\tb\r\nd\r\ne\r\n')
})

t.test('a step is approved with its diff, and needs the right files', async (t) => {
  const made = (await (
    await service.post('/tokens', { name: 'careful', policy: 'supervised', files: 'read' })
  ).json()) as NewToken
  const path = put('asked', 'old\n')
  const headers = { authorization: `Bearer ${made.token}` }
  const refused = await service.post(
    `/exec/anthropic?tool=${EDITOR}`,
    { command: 'str_replace', path, old_str: 'old', new_str: 'new' },
    headers,
  )
  t.match(
    [refused.status, await refused.json()],
    [403, { is_error: true, output: /^This token's right "files" is read/ }],
  )
  const { service: asked } = await watchedService(t)
  const reply = asked.post(`/exec/anthropic?tool=${EDITOR}`, {
    command: 'str_replace',
    path,
    old_str: 'old',
    new_str: 'new',
  })
  let pending: PendingApproval[] = []
  await until(async () => {
    pending = ((await (await asked.request('/approvals')).json()) as { approvals: PendingApproval[] }).approvals
    return pending.length > 0
  })
  const [{ id, dialect, changes }] = pending as [PendingApproval]
  t.match({ dialect, changes }, { dialect: `anthropic/${EDITOR}`, changes: [{ diff: /-old\n\+new/ }] })
  await asked.post(`/approvals/${id}`, { decision: 'approve' })
  t.match(await (await reply).json(), { is_error: false })
  t.equal(text(path), 'new\n')
})
