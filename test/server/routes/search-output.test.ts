import t from 'tap'
import type { ExecRecord } from '../../../src/shared/schema/index.ts'
import { startService, until } from '../../support/helper.ts'

const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
t.teardown(() => service.stop())

interface Matches {
  matches: { offset: number; line: number; arrived: number; count: number }[]
  lines: number
  next_offset: number
  complete: boolean
}
const search = async (id: string, query: Record<string, string>) => {
  const response = await service.request(`/runs/${id}/matches?${new URLSearchParams(query)}`)
  return { status: response.status, body: (await response.json()) as Matches }
}
const recordOf = async (id: string) => (await (await service.request(`/runs/${id}`)).json()) as ExecRecord
const outputAt = async (id: string, offset: number, limit: number, stream = 'stdout') =>
  (await service.request(`/runs/${id}/output?stream=${stream}&offset=${offset}&limit=${limit}`)).text()

const cases: [name: string, command: string, query: Record<string, string>, expected: object[]][] = [
  [
    'ignores case, also beyond ASCII',
    "printf 'x\\nGRÜSSE grüsse\\n'",
    { q: 'Grüsse' },
    [{ offset: 2, line: 1, arrived: 2, count: 2 }],
  ],
  [
    'ignores colours',
    "printf 'a\\n\\033[31mre\\033[0md\\n'",
    { q: 'red' },
    [{ offset: 2, line: 1, arrived: 2, count: 1 }],
  ],
  ['takes the text literally', "printf 'a.c\\nabc\\n'", { q: 'a.c' }, [{ offset: 0, line: 0, arrived: 0, count: 1 }]],
  [
    'finds every punctuation mark of ASCII',
    `printf '%s\\n' x '!"#$%&()*+,-./:;<=>?@[]^_{|}~\\'`,
    { q: '!"#$%&()*+,-./:;<=>?@[]^_{|}~\\' },
    [{ offset: 2, line: 1, arrived: 2, count: 1 }],
  ],
  [
    'searches stderr',
    "printf 'a\\nno\\n' >&2",
    { q: 'no', stream: 'stderr' },
    [{ offset: 2, line: 1, arrived: 2, count: 1 }],
  ],
  [
    'counts bytes that are not UTF-8',
    "printf '\\377\\376\\nend\\n'",
    { q: 'end' },
    [{ offset: 3, line: 1, arrived: 3, count: 1 }],
  ],
  ['finds an unfinished line', "printf 'a\\nb'", { q: 'b' }, [{ offset: 2, line: 1, arrived: 2, count: 1 }]],
  ['finds nothing in no output', 'true', { q: 'b' }, []],
]
for (const [name, command, query, expected] of cases) {
  t.test(name, async (t) => {
    const { id } = await service.exec({ command })
    const { body } = await search(id, query)
    t.same(body.matches, expected)
    t.equal(body.complete, true)
  })
}

t.test('every match of a long output is found, in several requests', async (t) => {
  const { id, stdout_bytes } = await service.exec({ command: 'seq 1 200000' })
  const found: number[] = []
  let [offset, lines, requests] = [0, 0, 0]
  for (let isComplete = false; !isComplete; requests++) {
    const { body } = await search(id, { q: '777', limit: '200', offset: String(offset) })
    for (const { line } of body.matches) found.push(lines + line + 1)
    offset = body.next_offset
    lines += body.lines
    isComplete = body.complete
  }
  const expected = Array.from({ length: 200_000 }, (_, index) => index + 1).filter((one) => String(one).includes('777'))
  t.same(found, expected)
  t.equal(requests, Math.ceil(expected.length / 200))
  t.same([offset, lines], [stdout_bytes, 200_000])
  const { matches } = (await search(id, { q: '123456' })).body
  t.equal(await outputAt(id, matches[0]!.offset, 7), '123456\n', 'the offset is where the line starts')
})

t.test('one request reads at most 16 MiB', async (t) => {
  const { id } = await service.exec({ command: 'head -c 20000000 /dev/zero | tr "\\0" "\\n"; echo needle' })
  const { body } = await search(id, { q: 'needle' })
  t.same(body, { matches: [], lines: 16_777_216, next_offset: 16_777_216, complete: false })
  const rest = await search(id, { q: 'needle', offset: String(body.next_offset) })
  t.same(rest.body.matches, [{ offset: 20_000_000, line: 20_000_000 - 16_777_216, arrived: 20_000_000, count: 1 }])
  t.equal(rest.body.complete, true)
})

t.test('rejects what it cannot search', async (t) => {
  const { id } = await service.exec({ command: 'echo a' })
  for (const [query, status] of [
    [{}, 400],
    [{ q: '' }, 400],
    [{ q: 'a\nb' }, 400],
    [{ q: 'a', limit: '1001' }, 400],
    [{ q: 'a', stream: 'other' }, 400],
    [{ q: 'a', offset: '3' }, 416],
  ] as [Record<string, string>, number][]) {
    t.equal((await search(id, query)).status, status, JSON.stringify(query))
  }
  t.equal((await search('0'.repeat(26), { q: 'a' })).status, 404)
})

t.test('reports the order of arrival of both streams', async (t) => {
  const command = 'echo a one; read x; echo b one >&2; read x; echo c one; echo c two one'
  const { id } = await service.exec({ command, stdin: 'open', background: true })
  for (const [stream, bytes] of [
    ['stdout', 6],
    ['stderr', 6],
  ] as const) {
    t.ok(await until(async () => (await recordOf(id))[`${stream}_bytes`] === bytes))
    await service.post(`/runs/${id}/stdin`, { data: '\n' })
  }
  t.ok(await until(async () => (await recordOf(id)).ended_at !== null))
  const arrived = async (stream: string) =>
    (await search(id, { q: 'one', stream })).body.matches.map((one) => one.arrived)
  t.same(await arrived('stdout'), [0, 12, 18])
  t.same(await arrived('stderr'), [6])
  const position = async (stream: string, offset: number) =>
    (await service.request(`/runs/${id}/position?stream=${stream}&offset=${offset}`)).json()
  t.same(await position('stdout', 0), { stdout: 0, stderr: 0 })
  t.same(await position('stdout', 5), { stdout: 5, stderr: 0 })
  t.same(await position('stdout', 6), { stdout: 6, stderr: 6 })
  t.same(await position('stderr', 0), { stdout: 6, stderr: 0 })
  t.same(await position('stderr', 6), { stdout: 22, stderr: 6 }, 'the end')
  t.match(await position('stdout', 23), { error: { type: 'out_of_range' } })
})
