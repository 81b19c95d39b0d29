import { type Dialect, type DialectRequest, dialectNamed, type Ended, type Outcome } from '../dialects/index.ts'
import { type Decision, type ExecRecord, ShellphoneError, type Stream } from '../schema/index.ts'
import type { RunOutput } from '../store/index.ts'
import { approvalWord } from './ask.ts'
import type { DialectParts, ExecutorParts } from './parts.ts'
import { Run } from './run.ts'
import { type AnyRequest, toCommand } from './to-command.ts'
import type { Watched } from './watch.ts'

/** What an agent gets back from its own tool. `run_id` is null where no run came to be. */
export interface DialectAnswer {
  tool: string
  run_id: string | null
  is_error: boolean
  output: string
}

/** A tool call on its way; `run` is null where its arguments were refused. */
export interface DialectRun {
  run: Watched | null
  answer(): Promise<DialectAnswer>
}

/** "The whole output" in a reply is at most so much of each stream; the rest is at GET /runs/:id/output. */
const MAX_WHOLE_BYTES = 16_777_216

/** A tool's own arguments → its run, or its own words for why there is none. Throws NOT_FOUND for an unknown dialect, POOL_FULL, CONFLICT. */
export async function executeDialect(
  name: string,
  given: unknown,
  parts: ExecutorParts,
  execute: (request: AnyRequest) => Promise<Watched>,
): Promise<DialectRun> {
  const { dialect, settings, translated } = translate(name, given, parts.dialects)
  const { tool } = dialect
  if ('refusal' in translated) return refused({ tool, run_id: null, is_error: true, output: translated.refusal })
  const request = { ...translated.request, dialect: name }
  const words = (outcome: Outcome, run_id: string | null) => ({
    tool,
    run_id,
    ...dialect.toText(outcome, given, settings, parts.dialects.world),
  })
  try {
    const run = await execute(request)
    return { run, answer: async () => words(await outcomeOf(run, request, parts), run.id) }
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

/** For the transport to say: a full queue, so that the agent's backend can try again, and what is wrong with a key. */
const ofTransport = ['POOL_FULL', 'CONFLICT']

function toProblem(error: unknown): Outcome {
  if (error instanceof ShellphoneError && !ofTransport.includes(error.code)) {
    return { problem: { code: error.code, message: error.message } }
  }
  throw error
}

type DialectCall = AnyRequest & Pick<DialectRequest, 'output'>

async function outcomeOf(run: Watched, request: DialectCall, parts: ExecutorParts): Promise<Outcome> {
  try {
    const record = await run.finished
    const decision =
      run instanceof Run ? run.decision : { ...record.decision, guards: guardsOf(record, request, parts) }
    const approval = approvalWord(record.approval)
    return { ended: { ...record, ...(await textsOf(run, record, request)), decision, approval } }
  } catch (error) {
    return toProblem(error)
  }
}

/** A record does not name the guard that refused: the guards are asked again. */
function guardsOf({ status }: ExecRecord, request: AnyRequest, { judge, prepare }: ExecutorParts): Decision['guards'] {
  return status === 'denied' ? judge.decide(toCommand(request, prepare)).guards : []
}

/** As much of each stream as the dialect's text needs. */
async function textsOf(
  run: Watched,
  record: ExecRecord,
  { output: wish }: DialectCall,
): Promise<Pick<Ended, 'stdout' | 'stderr'>> {
  if (wish.keep === 'canonical' || record.status === 'denied') return record
  const maxBytes = wish.keep === 'whole' ? MAX_WHOLE_BYTES : wish.maxBytes
  const text = async (stream: Stream) => {
    const isAtHand = run instanceof Run && wish.keep === 'head'
    const bytes = isAtHand ? run.outcome[stream].head.subarray(0, maxBytes) : await read(run.output, stream, maxBytes)
    return bytes.toString()
  }
  return { stdout: await text('stdout'), stderr: await text('stderr') }
}

/** The first bytes of what was kept. */
async function read(output: RunOutput, stream: Stream, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  const end = Math.min(output.keptBytes(stream), maxBytes)
  for (let at = 0; at < end; at += pieces.at(-1)!.length) {
    const piece = await output.read(stream, at, end - at)
    if (piece.length === 0) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
