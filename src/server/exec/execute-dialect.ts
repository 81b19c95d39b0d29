import { type Dialect, findDialect, type ToolResult, type OutputOptions } from '../dialects/index.ts'
import {
  CANONICAL_DIALECT,
  type DialectAnswer,
  errorTable,
  type ErrorType,
  type ExecRecord,
  ShellphoneError,
} from '../../shared/schema/index.ts'
import type { AnyRequest, Caller } from './command.ts'
import type { DialectParts, ExecutorParts } from './executor-parts.ts'
import type { EventForm } from './run-events.ts'
import type { Watched } from './run.ts'
import { type Calls, createCalls, followRuns, type SeveralRuns } from './several-runs.ts'
import { textsOf } from './texts-of.ts'
import { requestFor, resolveTarget } from './transfer-request.ts'
import type { Transfers } from './transfer-verbs.ts'

/** The tool's own reply, and the HTTP status with which POST /exec reports the same end: 200 only if the command ran. */
interface DialectReply {
  status: number
  answer: DialectAnswer
}

/**
 * A tool call in progress; `run` is null if it needs none, or if its arguments were refused. `form`: the events of its runs as the tool's
 * documentation names them.
 */
export type DialectRun = { reply(): Promise<DialectReply> } & ({ run: Watched; form: EventForm } | { run: null })

/** What a call of a tool needs from the executor. */
interface DialectVerbs {
  /** `body`: the body to which an Idempotency-Key is bound */
  begin(request: AnyRequest, caller: Caller, body: unknown): Promise<Watched>
  calls: Calls
}

/** The session of a tool that is one shell for its model, if a call names none. */
const defaultSession = ({ isOneShell }: Dialect, { commandContext }: ExecutorParts) =>
  isOneShell && commandContext.hasLauncher ? 'default' : undefined

/** Deletes a session, if there is one. */
function forget(name: string, { who }: Caller, { sessions }: ExecutorParts): void {
  if (sessions.list(who.id).some((one) => one.name === name)) sessions.remove(who.id, name)
}

/** The directory of the relative paths in a step on files: that of the session, if the call has one. */
function directoryOf({ session, who }: Caller, { sessions, commandContext }: ExecutorParts): string {
  const own = session === undefined ? null : sessions.peek(who.id, session).state.cwd
  return own ?? commandContext.settings.working_directory
}

/** The stdout of a step on files is the text of its result. */
const FILE_OUTPUT: OutputOptions = { keep: 'whole' }

/** The part of the executor that handles the calls of dialects; see Executor. */
interface DialectCalls {
  executeDialect(name: string, given: unknown, caller: Caller): Promise<DialectRun>
  callOf(id: string): SeveralRuns | undefined
  dialectReply(run: Watched, given: unknown): Promise<DialectAnswer>
}

/** Creates the part of the executor that handles the calls of dialects. */
export function createDialectVerbs(
  begin: DialectVerbs['begin'],
  recordOf: (id: string) => Promise<ExecRecord>,
  parts: ExecutorParts,
): DialectCalls {
  const calls = createCalls()
  return {
    executeDialect: (dialect, given, caller) => executeDialect(dialect, given, caller, parts, { begin, calls }),
    callOf: calls.of,
    dialectReply: async (run, given) =>
      calls.of(run.id)?.answer() ?? replyOf(run, await recordOf(run.id), given, parts.dialects),
  }
}

/**
 * Starts a run from a tool's own arguments, or returns the refusal in the tool's format. Throws NOT_FOUND for an unknown dialect, POOL_FULL
 * and CONFLICT.
 */
async function executeDialect(
  name: string,
  args: unknown,
  caller: Caller,
  parts: ExecutorParts,
  verbs: DialectVerbs,
): Promise<DialectRun> {
  const { dialect, translated, toAnswer, joinAnswers } = translate(name, args, parts.dialects)
  const toReply = (result: ToolResult, id: string | null): DialectReply => ({
    status: errorOf(result).status,
    answer: toAnswer(result, id),
  })
  const without = (reply: DialectReply) => ({ run: null, reply: async () => reply })
  const own = { tool: dialect.tool, run_id: null }
  if ('refusal' in translated) {
    const { status, type } = errorTable[translated.code ?? 'VALIDATION_ERROR']
    return without({ status, answer: { ...own, is_error: true, error_type: type, output: translated.refusal } })
  }
  const session = caller.session ?? defaultSession(dialect, parts)
  if ('endsSession' in translated) {
    if (session !== undefined) forget(session, caller, parts)
    return without({ status: 200, answer: { ...own, is_error: false, output: translated.output } })
  }
  const inSession = session === undefined ? {} : { session }
  const body = { dialect: dialect.name, given: args, ...inSession }
  try {
    if ('file' in translated) {
      const executor: Transfers = {
        resolvePath: (path, follows) => resolveTarget(path, follows, parts),
        transfer: (transfer, from) =>
          verbs.begin({ ...requestFor(transfer, parts), dialect: dialect.name }, from, body),
      }
      const run = await parts.dialects.beginFileStep(translated.file, directoryOf(caller, parts), caller, executor)
      const reply = async () => toReply(await resultOf(run, FILE_OUTPUT), run.id)
      return { run, reply, form: formOf(dialect, run.id, reply) }
    }
    const { request, following = [] } = translated
    const run = await verbs.begin({ ...request, dialect: dialect.name, ...inSession }, caller, body)
    if (following.length === 0) {
      const reply = async () => toReply(await resultOf(run, request.output), run.id)
      return { run, reply, form: formOf(dialect, run.id, reply) }
    }
    const begin = (at: number) => {
      const key = caller.key === undefined ? undefined : `${caller.key}/${at}` // a retry begins no command twice
      return verbs.begin(
        { ...following[at - 1]!, dialect: dialect.name, ...inSession },
        { ...caller, key, turnPatienceMs: undefined }, // the call is in progress
        { ...body, at },
      )
    }
    const several = followRuns(run, following.length, begin, (one) => resultOf(one, request.output), caller.gone)
    const reply = async () => {
      const results = await several.results
      return { status: errorOf(results.at(-1)!).status, answer: joinAnswers(results, run.id) }
    }
    verbs.calls.add(run.id, { ...several, answer: async () => (await reply()).answer })
    return { run, reply, form: { ...formOf(dialect, run.id, reply), next: several.next } }
  } catch (error) {
    return without(toReply(toProblem(error), null))
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
async function replyOf(run: Watched, record: ExecRecord, args: unknown, parts: DialectParts): Promise<DialectAnswer> {
  const { dialect: name = CANONICAL_DIALECT, command } = record
  const { translated, toAnswer } = translate(name, args ?? { command }, parts)
  const output =
    'file' in translated ? FILE_OUTPUT : 'request' in translated ? translated.request.output : UNKNOWN_OUTPUT
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
  const dialect = findDialect(name)
  const own = settings[dialect.family] ?? {}
  const toAnswer = (result: ToolResult, id: string | null): DialectAnswer => ({
    tool: dialect.tool,
    run_id: id,
    ...endOf(result),
    ...dialect.toText(result, args, own, world),
  })
  const joinAnswers = (results: ToolResult[], id: string): DialectAnswer => ({
    tool: dialect.tool,
    run_id: id,
    ...endOf(results.at(-1)!),
    ...(dialect.joinTexts?.(results, args, own, world) ?? dialect.toText(results.at(-1)!, args, own, world)),
  })
  return { dialect, translated: dialect.toRequest(args, own, world), toAnswer, joinAnswers }
}

/** Errors that the transport reports instead of the tool: a full queue, so that the agent's backend can retry, and key conflicts. */
const transportErrors = ['POOL_FULL', 'CONFLICT']

function toProblem(error: unknown, thrown = transportErrors): ToolResult {
  if (error instanceof ShellphoneError && !thrown.includes(error.code)) {
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
    return toProblem(error, ['POOL_FULL']) // a conflict is one of the files now, not of the key
  }
}
