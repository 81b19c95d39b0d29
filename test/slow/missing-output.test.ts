import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Service, startService } from '../support/helper.ts'

/** Files whose beginnings `head -c` prints: one with one byte per character, one with three. */
const folder = mkdtempSync(join(tmpdir(), 'shellphone-missing-'))
const files = { x: 'x', euro: '€' }
const LONGEST = 1_500_000
for (const [name, character] of Object.entries(files)) {
  writeFileSync(join(folder, name), character.repeat(LONGEST / Buffer.byteLength(character)))
}
t.teardown(() => rmSync(folder, { recursive: true }))

/** Output of `bytes` bytes in `characters` characters, as a response shows it. */
interface Answer {
  output: string
  bytes: number
  characters: number
}

/** The number that the pattern matches, and the text without the match. */
const without = (pattern: RegExp, text: string): { count: number; rest: string } => ({
  count: Number(pattern.exec(text)?.[1] ?? 0),
  rest: text.replace(pattern, ''),
})

const codeBlocks = /```\n(.*?)\n```(?:\n\*\((.*)\)\*)?/s
const PREVIEW = 400
const MEBIBYTE = 1_048_576

/** A tool call that prints the beginning of a file, and a check that its text accounts for every byte, shown or missing. */
interface Way {
  name: string
  dialect: string
  call(bytes: number, file: string): object
  /** null: every byte is accounted for; otherwise what is wrong */
  problem(answer: Answer): string | null
}

const command = (bytes: number, file: string) => ({ command: `head -c ${bytes} ${file}` })
const argv = (bytes: number, file: string) => ({ command: 'head', parameters: ['-c', `${bytes}`, file] })
const differs = (said: number, all: number) => (said === all ? null : `${said} accounted for`)

const ways: Way[] = [
  {
    name: 'oneclaw: the marker counts what it stands for',
    dialect: 'oneclaw',
    call: command,
    problem({ output, bytes }) {
      const { count, rest } = without(/\n?\[\.\.\. \d+ lines, (\d+) bytes left out; .* \.\.\.\]\n/, output)
      return differs(Buffer.byteLength(rest) - '[Exit Code: 0]\n'.length + count, bytes)
    },
  },
  {
    // beyond the first mebibyte each byte counts as a character
    name: 'picoclaw: 10 000 characters and the count of the others',
    dialect: 'picoclaw',
    call: command,
    problem({ output, bytes, characters }) {
      const { count, rest } = without(/\n\.\.\. \(truncated, (\d+) more chars\)$/, output)
      const width = bytes / characters
      const given = Math.floor(Math.min(bytes, MEBIBYTE) / width)
      if (rest.length > 10_000) return `${rest.length} shown`
      return differs(rest.length + count, given + bytes - given * width)
    },
  },
  {
    name: 'nullclaw: max_output_bytes, and the count of the others',
    dialect: 'nullclaw',
    call: command,
    problem({ output, bytes }) {
      const { count, rest } = without(/\n\[Output truncated to [^,]*, (\d+) more bytes\]$/, output)
      return rest.includes('\ufffd') ? 'half a character' : differs(Buffer.byteLength(rest) + count, bytes)
    },
  },
  {
    name: 'agent-world, preview: the note says how many bytes there are',
    dialect: 'agent-world',
    call: argv,
    problem({ output, bytes, characters }) {
      const [, shown = '', note = `${bytes} bytes`] = codeBlocks.exec(output) ?? []
      if (shown.length !== Math.min(characters, PREVIEW)) return `${shown.length} shown`
      return output.includes('truncated') === characters > PREVIEW && note.endsWith(`${bytes} bytes.`)
        ? null
        : differs(Number.parseInt(note), shown.length < characters ? -1 : bytes)
    },
  },
  {
    name: 'agent-world, json: the field says how many bytes there are',
    dialect: 'agent-world',
    call: (bytes, file) => ({ ...argv(bytes, file), output_format: 'json' }),
    problem({ output, bytes, characters }) {
      const { stdout, stdout_bytes } = JSON.parse(output)
      return (
        differs(stdout_bytes ?? Buffer.byteLength(stdout), bytes) ??
        differs(stdout.length, Math.min(characters, PREVIEW))
      )
    },
  },
  {
    name: 'agent-world, full: all of it',
    dialect: 'agent-world',
    call: (bytes, file) => ({ ...argv(bytes, file), output_detail: 'full' }),
    problem: ({ output, bytes }) => differs(Buffer.byteLength(codeBlocks.exec(output)?.[1] ?? ''), bytes),
  },
  {
    name: 'meka: all of it, or a handle with its size',
    dialect: 'meka',
    call: command,
    problem: ({ output, bytes }) =>
      differs(bytes > 30_000 ? without(/ size="(\d+)"/, output).count : Buffer.byteLength(output), bytes),
  },
]

/** Lengths at, just above and between the limits on texts. */
const limits = [PREVIEW, 1000, 10_000, 30_000, 50_000, 65_536, MEBIBYTE]
const lengths = [1, ...limits.flatMap((limit) => [limit, limit + 1]), 40_000, LONGEST]

const settings: Record<string, string>[] = [
  { SHELLPHONE_DIALECTS_NULLCLAW_MAX_OUTPUT_BYTES: '1000' },
  { SHELLPHONE_DIALECTS_NULLCLAW_MAX_OUTPUT_BYTES: '65537', SHELLPHONE_MAX_LENGTH: '1000000' },
]

const answerOf = async (service: Service, { dialect, call }: Way, bytes: number, file: string): Promise<string> => {
  const reply = await service.post(`/exec/${dialect}`, call(bytes, file))
  return ((await reply.json()) as { output: string }).output
}

for (const env of settings) {
  t.test(`nothing is missing unsaid: ${Object.values(env).join(', ')}`, async (t) => {
    const service = await startService({
      env: {
        ...env,
        SHELLPHONE_WORKING_DIRECTORY: folder,
        SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '100000',
        SHELLPHONE_DIALECTS_MEKA_PERMISSION: 'write',
      },
    })
    t.teardown(service.stop)
    for (const way of ways) {
      const problems: string[] = []
      for (const [file, character] of Object.entries(files)) {
        const width = Buffer.byteLength(character)
        for (const characters of new Set(lengths.map((length) => Math.ceil(length / width)))) {
          const bytes = characters * width
          const output = await answerOf(service, way, bytes, file)
          const problem = way.problem({ output, bytes, characters })
          if (problem) problems.push(`${file}, ${bytes} bytes: ${problem}`)
        }
      }
      t.same(problems, [], way.name)
    }
  })
}
