import { type Dialect, dialectsByName, type Ended, type ToolResult, type OutputOptions } from '../dialects/index.ts'
import {
  CANONICAL_DIALECT,
  type CollectedOutput,
  type DialectAnswer,
  errorTable,
  type ErrorType,
  type ExecRecord,
  ShellphoneError,
  type Stream,
} from '../../shared/schema/index.ts'
import { cutCharacterBytes, type RunOutput } from '../store/index.ts'
import type { AnyRequest, Caller } from './command.ts'
import type { DialectParts } from './executor-parts.ts'
import type { EventForm } from './run-events.ts'
import type { Watched } from './run.ts'

/** The tool's own reply, and the HTTP status with which POST /exec reports the same end: 200 only if the command ran. */
interface DialectReply {
  status: number
  answer: DialectAnswer
}

/** A tool call in progress; `run` is null if its arguments were refused. `form`: the events of the run as the tool's documentation names them. */
export type DialectRun = { reply(): Promise<DialectReply> } & ({ run: Watched; form: EventForm } | { run: null })

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
  const { dialect, translated, toAnswer } = translate(name, args, parts)
  const toReply = (result: ToolResult, id: string | null): DialectReply => ({
    status: errorOf(result).status,
    answer: toAnswer(result, id),
  })
  const refused = (reply: DialectReply) => ({ run: null, reply: async () => reply })
  if ('refusal' in translated) {
    const { status, type } = errorTable[translated.code ?? 'VALIDATION_ERROR']
    const answer = { tool: dialect.tool, run_id: null, is_error: true, error_type: type, output: translated.refusal }
    return refused({ status, answer })
  }
  const { request } = translated
  try {
    const run = await execute({ ...request, dialect: name }, caller, { dialect: name, given: args })
    const reply = async () => toReply(await resultOf(run, request.output), run.id)
    return { run, reply, form: formOf(dialect, run.id, reply) }
  } catch (error) {
    return refused(toReply(toProblem(error), null))
  }
}

/** Returns the HTTP status with which POST /exec reports the same end, and the type of the error if the command did not run. */
function errorOf(result: ToolResult): { status: number; type?: ErrorType } {
  if ('problem' in result) return errorTable[result.problem.code]
  return result.ended.status === 'denied' ? errorTable.FORBIDDEN : { status: 200 }
}

/** Names a run's events as the tool's documentation does. The last one is the tool's reply. */
function formOf({ eventNames }: Dialect, id: string, reply: DialectRun['reply']): EventForm {
  const { output, status = {} } = eventNames ?? {}
  return {
    shown(event) {
      if (event.type === 'status') return { ...event, status: status[event.status] ?? event.status }
      return event.type === 'output' && output !== undefined ? { ...event, type: output } : event
    },
    last: async () => ({ type: 'result', id, ...(await reply()).answer }),
  }
}

/** Bytes of each stream for a reply to arguments that are no longer known. */
const UNKNOWN_OUTPUT: OutputOptions = { keep: 'head', maxBytes: 1_048_576 }

/**
 * Returns the reply to the tool call that began this run, once the run has ended. `record`: of the run, for what its request was. `args`: the
 * arguments of that call; undefined: they are no longer known, and the reply has the tool's default format.
 */
export async function replyOf(
  run: Watched,
  record: ExecRecord,
  args: unknown,
  parts: DialectParts,
): Promise<DialectAnswer> {
  const { dialect: name = CANONICAL_DIALECT, command } = record
  const { translated, toAnswer } = translate(name, args ?? { command }, parts)
  const output = 'request' in translated ? translated.request.output : UNKNOWN_OUTPUT
  return toAnswer(await resultOf(run, output), run.id)
}

/** Returns the exit code of a command that has exited, or the type of the error if the command did not run. */
function endOf(result: ToolResult): Pick<DialectAnswer, 'exit_code' | 'error_type'> {
  const { type } = errorOf(result)
  if (type !== undefined) return { error_type: type }
  return 'problem' in result || result.ended.exit_code === -1 ? {} : { exit_code: result.ended.exit_code }
}

/**
 * Returns the dialect's request or its refusal, and a function that formats a result as the reply of the dialect's tool. Throws NOT_FOUND for
 * an unknown dialect.
 */
export function translate(name: string, args: unknown, { settings, world }: DialectParts) {
  const dialect = dialectsByName.get(name)
  if (!dialect) {
    throw new ShellphoneError('NOT_FOUND', `No such dialect: ${name.slice(0, 64)}; GET /dialects lists them`)
  }
  const own = settings[name] ?? {}
  const toAnswer = (result: ToolResult, id: string | null): DialectAnswer => ({
    tool: dialect.tool,
    run_id: id,
    ...endOf(result),
    ...dialect.toText(result, args, own, world),
  })
  return { dialect, translated: dialect.toRequest(args, own, world), toAnswer }
}

/** Errors that the transport reports instead of the tool: a full queue, so that the agent's backend can retry, and key conflicts. */
const transportErrors = ['POOL_FULL', 'CONFLICT']

function toProblem(error: unknown): ToolResult {
  if (error instanceof ShellphoneError && !transportErrors.includes(error.code)) {
    const { code, message, extra } = error
    return { problem: { code, message, about: extra.about ?? '' } }
  }
  throw error
}

/** The error of a run from its record. */
const storedError = ({ code, message, about }: Required<ExecRecord>['failure']) =>
  new ShellphoneError(code, message, about === undefined ? {} : { about })

async function resultOf(run: Watched, options: OutputOptions): Promise<ToolResult> {
  try {
    const { record, shown } = await run.ended
    if (record.failure) throw storedError(record.failure)
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
