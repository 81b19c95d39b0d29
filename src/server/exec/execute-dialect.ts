import { dialectsByName, type Ended, type ToolResult, type OutputOptions } from '../dialects/index.ts'
import {
  type ExecRecord,
  type ErrorType,
  errorTable,
  ShellphoneError,
  type CollectedOutput,
  type Stream,
} from '../../shared/schema/index.ts'
import { cutCharacterBytes, type RunOutput } from '../store/index.ts'
import type { AnyRequest, Caller } from './command.ts'
import type { DialectParts } from './executor-parts.ts'
import type { Watched } from './run.ts'

/** The reply to a call of an agent's own tool. `run_id` is null if no run was created. */
interface DialectAnswer {
  tool: string
  run_id: string | null
  is_error: boolean
  /** of the command, if it has exited */
  exit_code?: number
  /** of a request that never became a run, in the words of the error table */
  error_type?: ErrorType
  output: string
}

/** A tool call in progress; `run` is null if its arguments were refused. */
export interface DialectRun {
  run: Watched | null
  answer(): Promise<DialectAnswer>
}

/** Maximum bytes per stream of "the whole output" in a reply; GET /runs/:id/output returns the rest. */
const MAX_WHOLE_BYTES = 16_777_216

/**
 * Starts a run from a tool's own arguments, or returns the refusal in the tool's format. Throws NOT_FOUND for an unknown dialect, POOL_FULL
 * and CONFLICT.
 */
export async function executeDialect(
  name: string,
  args: unknown,
  caller: Caller,
  parts: DialectParts,
  execute: (request: AnyRequest, caller: Caller, body: unknown) => Promise<Watched>,
): Promise<DialectRun> {
  const { dialect, settings, translated } = translate(name, args, parts)
  const { tool } = dialect
  if ('refusal' in translated) {
    const refusal = { error_type: 'validation_error', output: translated.refusal } as const
    return refused({ tool, run_id: null, is_error: true, ...refusal })
  }
  const request = { ...translated.request, dialect: name }
  const toAnswer = (result: ToolResult, run_id: string | null): DialectAnswer => ({
    tool,
    run_id,
    ...endOf(result),
    ...dialect.toText(result, args, settings, parts.world),
  })
  try {
    const run = await execute(request, caller, { dialect: name, given: args })
    return { run, answer: async () => toAnswer(await resultOf(run, request.output), run.id) }
  } catch (error) {
    return refused(toAnswer(toProblem(error), null))
  }
}

/** Returns the exit code of a command that has exited, or the type of the error of a request that did not become a run. */
function endOf(result: ToolResult): Pick<DialectAnswer, 'exit_code' | 'error_type'> {
  if ('problem' in result) return { error_type: errorTable[result.problem.code].type }
  const { exit_code } = result.ended
  return exit_code === -1 ? {} : { exit_code }
}

/** Returns the dialect's request, or its refusal. Throws NOT_FOUND for an unknown dialect. */
export function translate(name: string, args: unknown, { settings, world }: DialectParts) {
  const dialect = dialectsByName.get(name)
  if (!dialect) {
    throw new ShellphoneError('NOT_FOUND', `No such dialect: ${name.slice(0, 64)}; GET /dialects lists them`)
  }
  const own = settings[name] ?? {}
  return { dialect, settings: own, translated: dialect.toRequest(args, own, world) }
}

const refused = (answer: DialectAnswer): DialectRun => ({ run: null, answer: async () => answer })

/** Errors that the transport reports instead of the tool: a full queue, so that the agent's backend can retry, and key conflicts. */
const transportErrors = ['POOL_FULL', 'CONFLICT']

function toProblem(error: unknown): ToolResult {
  if (error instanceof ShellphoneError && !transportErrors.includes(error.code)) {
    const { code, message, extra } = error
    return { problem: { code, message, about: extra.about ?? '' } }
  }
  throw error
}

async function resultOf(run: Watched, options: OutputOptions): Promise<ToolResult> {
  try {
    const { record, shown } = await run.ended
    const decision = { ...record.decision, guards: shown?.guards ?? [] }
    return { ended: { ...record, ...(await textsOf(run.output, record, shown, options)), decision } }
  } catch (error) {
    return toProblem(error)
  }
}

/** Returns as much of each stream as the dialect's text needs, with the number of bytes. */
async function textsOf(
  output: RunOutput,
  record: ExecRecord,
  shown: CollectedOutput | null,
  options: OutputOptions,
): Promise<StoredOutput> {
  const { stdout, stderr, stdout_bytes, stderr_bytes } = record
  const storedBytes = { stdout: output.keptBytes('stdout'), stderr: output.keptBytes('stderr') }
  if (options.keep === 'canonical' || record.status === 'denied') {
    return { stdout, stderr, givenBytes: { stdout: stdout_bytes, stderr: stderr_bytes }, storedBytes }
  }
  const maxBytes = options.keep === 'whole' ? MAX_WHOLE_BYTES : options.maxBytes
  const beginningOf = async (stream: Stream, size: number) => {
    const head = shown?.[stream].head.subarray(0, maxBytes)
    const bytes = head?.length === Math.min(maxBytes, size) ? head : await read(output, stream, maxBytes)
    return bytes.length < size ? bytes.subarray(0, bytes.length - cutCharacterBytes(bytes)) : bytes
  }
  const out = await beginningOf('stdout', stdout_bytes)
  const err = await beginningOf('stderr', stderr_bytes)
  const givenBytes = { stdout: out.length, stderr: err.length }
  return { stdout: out.toString(), stderr: err.toString(), givenBytes, storedBytes }
}

type StoredOutput = Pick<Ended, 'stdout' | 'stderr' | 'givenBytes' | 'storedBytes'>

/** Reads the first stored bytes of a stream. */
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
