import { type Dialect, dialectNamed, type Ended, type Outcome, type World } from '../dialects/index.ts'
import { type ExecRecord, ShellphoneError, type Stream } from '../schema/index.ts'
import { cutCharacterBytes, type RunOutput } from '../store/index.ts'
import { approvalWord } from './ask.ts'
import type { AnyRequest } from './prepare.ts'
import type { Run } from './run.ts'

/** What an agent gets back from its own tool. `run_id` is null where no run came to be. */
export interface DialectAnswer {
  tool: string
  run_id: string | null
  is_error: boolean
  output: string
}

export interface DialectParts {
  /** dialects.<name> of config.yaml */
  settings: Record<string, Record<string, unknown>>
  world: World
}

/** "The whole output" in a reply is at most so much of each stream; the rest is at GET /runs/:id/output. */
const MAX_WHOLE_BYTES = 16_777_216

/** A tool call on its way; `run` is null where its arguments were refused. */
export interface DialectRun {
  run: Run | null
  answer(): Promise<DialectAnswer>
}

/** A tool's own arguments → its run, or its own words for why there is none. Throws NOT_FOUND for an unknown dialect, POOL_FULL. */
export function executeDialect(
  name: string,
  given: unknown,
  execute: (request: AnyRequest) => Run,
  parts: DialectParts,
): DialectRun {
  const { dialect, settings, translated } = translate(name, given, parts)
  const { tool } = dialect
  if ('refusal' in translated) return refused({ tool, run_id: null, is_error: true, output: translated.refusal })
  const words = (outcome: Outcome, run_id: string | null) => ({
    tool,
    run_id,
    ...dialect.toText(outcome, given, settings, parts.world),
  })
  try {
    const run = execute({ ...translated.request, dialect: name })
    return { run, answer: async () => words(await outcomeOf(run), run.id) }
  } catch (error) {
    return refused(words(toProblem(error), null))
  }
}

/** The dialect's request, or its refusal. */
export function translate(name: string, given: unknown, { settings, world }: DialectParts) {
  const dialect = knownDialect(name)
  const own = settings[name] ?? {}
  return { dialect, settings: own, translated: dialect.toRequest(given, own, world) }
}

function knownDialect(name: string): Dialect {
  const dialect = dialectNamed(name)
  if (dialect) return dialect
  throw new ShellphoneError('NOT_FOUND', `No such dialect: ${name.slice(0, 64)}; GET /dialects lists them`)
}

const refused = (answer: DialectAnswer): DialectRun => ({ run: null, answer: async () => answer })

/** A full queue is for the transport to say, so that the agent's backend can try again. */
function toProblem(error: unknown): Outcome {
  if (error instanceof ShellphoneError && error.code !== 'POOL_FULL') {
    return { problem: { code: error.code, message: error.message } }
  }
  throw error
}

async function outcomeOf(run: Run): Promise<Outcome> {
  try {
    const record = await run.finished
    return {
      ended: { ...record, ...(await texts(run, record)), decision: run.decision, approval: approvalWord(run.approval) },
    }
  } catch (error) {
    return toProblem(error)
  }
}

/** As much of each stream as the dialect's text needs, and how many bytes that was. */
async function texts(run: Run, record: ExecRecord): Promise<Pick<Ended, 'stdout' | 'stderr' | 'givenBytes'>> {
  const { stdout, stderr, stdout_bytes, stderr_bytes } = record
  const [out, err] = [await given(run, 'stdout', stdout_bytes), await given(run, 'stderr', stderr_bytes)]
  if (!out || !err) return { stdout, stderr, givenBytes: { stdout: stdout_bytes, stderr: stderr_bytes } }
  return {
    stdout: out.toString(),
    stderr: err.toString(),
    givenBytes: { stdout: out.length, stderr: err.length },
  }
}

/** The beginning of a stream that the dialect wished for, to the end of a character; null: as the record shows it. */
async function given({ command, outcome, output }: Run, stream: Stream, size: number): Promise<Buffer | null> {
  const { output: wish } = command.wish
  if (wish.keep === 'canonical' || outcome === null) return null
  const bytes = wish.keep === 'whole' ? await whole(output, stream) : outcome[stream].head.subarray(0, wish.maxBytes)
  return bytes.length < size ? bytes.subarray(0, bytes.length - cutCharacterBytes(bytes)) : bytes
}

async function whole(output: RunOutput, stream: Stream): Promise<Buffer> {
  const pieces: Buffer[] = []
  const end = Math.min(output.keptBytes(stream), MAX_WHOLE_BYTES)
  for (let at = 0; at < end; at += pieces.at(-1)!.length) {
    const piece = await output.read(stream, at, end - at)
    if (piece.length === 0) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
