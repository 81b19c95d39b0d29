import { type TObject, Type } from '@sinclair/typebox'
import { type Dialect, toolsOfDialect } from '../dialects/index.ts'
import { checkStarted, feedStdin, sendSignal } from '../exec/index.ts'
import { ExecRequest, note, oneWordOf, type ToolPart } from '../../shared/schema/index.ts'
import { cutCharacterBytes } from '../store/index.ts'
import { fileTools } from './mcp-file-tools.ts'
import type { McpToolCall, McpParts, ToolRun } from './mcp-parts.ts'
import { mutating, readOnly, type Tool, tool } from './mcp-tool.ts'
import { dialectResult, DialectRunResult, RunResult, recordResult, toResult } from './result.ts'
import { joinNext, joinRun, runFor } from './join-run.ts'

const only = { additionalProperties: false }
const id = Type.String({ maxLength: 64, description: 'The id of the run' })

const { command, timeout_seconds, working_directory, env, max_length } = ExecRequest.properties
/** The fields of POST /exec, with shorter descriptions: every agent pays for the list of tools in tokens. */
const fields = {
  command: { ...command, description: 'The shell command' },
  timeout_seconds: Type.Optional({ ...timeout_seconds, description: 'Lowered to the maximum' }),
  working_directory,
  env,
  max_length: Type.Optional({ ...max_length, description: 'Maximum characters of output' }),
  stdin: Type.Optional(
    Type.String({ description: 'Text for stdin, which is then closed; "open": send input with exec_input' }),
  ),
  background: Type.Optional(
    Type.Boolean({
      description: 'Return the id at once, for a server or a build; see exec_wait',
    }),
  ),
}

const session = Type.Optional(Type.String({ description: 'Keep directory and exported variables under this name' }))

const exec = tool({
  name: 'exec',
  title: 'Run a shell command',
  description: 'Execute a shell command on the device and return its exit code and output.',
  inputSchema: Type.Object({ ...fields, session }, only),
  outputSchema: RunResult,
  annotations: mutating,
  run: (request, call) => runFor(call, (lease) => startRun('exec', request, lease, call)),
})

const execReadOnly = tool({
  name: 'exec_read_only',
  title: 'Run a shell command that changes nothing',
  description: 'Execute a shell command in a sandbox that can read files but cannot write them or use the network.',
  inputSchema: Type.Object(fields, only),
  outputSchema: RunResult,
  annotations: { ...readOnly, idempotentHint: true },
  run: (request, call) =>
    runFor(call, (lease) =>
      startRun('exec_read_only', { ...request, sandbox: 'read-only', network: false }, lease, call),
    ),
})

async function startRun(
  tool: string,
  request: ExecRequest,
  lease: AbortController,
  { state, who, session }: McpToolCall,
): Promise<ToolRun> {
  const inSession = session === undefined ? request : { session, ...request }
  const run = await state.executor.execute(inSession, {
    ...{ gone: lease.signal, who, via: `MCP ${tool}` },
    turnPatienceMs: state.patienceMs,
  })
  const patienceMs = request.background ? 0 : state.patienceMs
  return { run, lease, patienceMs, result: async () => recordResult(await run.finished) }
}

const waitTool = (outputSchema: TObject, format: string) =>
  tool({
    name: 'exec_wait',
    title: 'Wait for a run',
    description: `Wait for a run, and return its result in the format of ${format} or that it still runs. Without id: your next background run that ends or needs approval.`,
    inputSchema: Type.Object(
      {
        id: Type.Optional(id),
        wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3600, description: 'Wait at most this long' })),
      },
      only,
    ),
    outputSchema,
    annotations: { ...readOnly, idempotentHint: true },
    run: (args, call) => {
      const waitMs = Math.min((args.wait_seconds ?? Infinity) * 1000, call.state.patienceMs)
      return args.id === undefined ? joinNext(call, waitMs) : joinRun(args.id, call, waitMs)
    },
  })

const execWait = waitTool(RunResult, 'exec')
const dialectWait = waitTool(DialectRunResult, 'the tool that started it')

/** Bytes that one call returns by default. */
const DEFAULT_READ_BYTES = 20_000

const execOutput = tool({
  name: 'exec_output',
  title: 'Read the output of a run',
  description: 'Read a range of the complete output of a run, even while it runs.',
  inputSchema: Type.Object(
    {
      id,
      stream: Type.Optional(oneWordOf(['stdout', 'stderr'], { description: 'The stream (default: stdout)' })),
      offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Offset in bytes (default: 0)' })),
      limit: Type.Optional(
        Type.Integer({
          minimum: 4,
          maximum: 1_048_576,
          description: `Number of bytes (default: ${DEFAULT_READ_BYTES})`,
        }),
      ),
    },
    only,
  ),
  outputSchema: Type.Object({
    text: Type.String(),
    offset: Type.Integer(),
    next_offset: Type.Integer({ description: 'The offset to continue from' }),
    total: Type.Integer({ description: 'Number of bytes of output so far' }),
    eof: Type.Boolean({ description: 'Whether the output is complete and has been read to its end' }),
  }),
  annotations: { ...readOnly, idempotentHint: true },
  run: async ({ id, stream = 'stdout', offset = 0, limit = DEFAULT_READ_BYTES }, { executor }) => {
    const { output } = await executor.find(id)
    const bytes = await output.read(stream, offset, limit)
    const total = output.size(stream)
    const isLast = offset + bytes.length === total && output.finished()
    const whole = isLast ? bytes : bytes.subarray(0, bytes.length - cutCharacterBytes(bytes))
    const next = offset + whole.length
    const text = whole.toString()
    const where = `[bytes ${offset} to ${next} of ${total}${isLast ? ', the end' : `; continue with offset ${next}`}]`
    return toResult(`${text}\n${where}`, { text, offset, next_offset: next, total, eof: isLast })
  },
})

const execInput = tool({
  name: 'exec_input',
  title: 'Feed or signal a run',
  description:
    'Write to the stdin of a run that was started with "stdin": "open", close it, or send a signal. Fails while the run is queued or waits for approval.',
  inputSchema: Type.Object(
    {
      id,
      data: Type.Optional(Type.String({ description: 'Text, written unchanged; end each line with a newline' })),
      end: Type.Optional(Type.Boolean({ description: 'Close stdin after the data' })),
      signal: Type.Optional(Type.String({ description: 'A signal name from signal(7), such as SIGINT' })),
    },
    only,
  ),
  outputSchema: Type.Object({ taken: Type.Integer({ description: 'Number of bytes written' }) }),
  annotations: mutating,
  run: async ({ id, data, end, signal }, { executor }) => {
    const run = await executor.running(id)
    await checkStarted(run) // a client that stops waiting would send its data again
    if (data !== undefined || end) await feedStdin(run, { data, end })
    if (signal !== undefined) await sendSignal(run, signal)
    const taken = Buffer.byteLength(data ?? '')
    return toResult(`taken: ${taken} bytes`, { taken })
  },
})

const execCancel = tool({
  name: 'exec_cancel',
  title: 'Cancel a run',
  description: 'Cancel a run and kill its whole process tree.',
  inputSchema: Type.Object({ id }, only),
  outputSchema: Type.Object({ outcome: Type.String({ description: 'cancel_requested or already_finished' }) }),
  annotations: { ...mutating, idempotentHint: true, openWorldHint: false },
  run: async ({ id }, { executor }) => {
    const outcome = await executor.cancel(id, note('CANCELED_BY_CLIENT'))
    return toResult(outcome, { outcome })
  },
})

const runTools = [execOutput, execInput, execCancel]

/** An agent's own tool, described in its own terms. */
function dialectTool(dialect: Dialect): Tool {
  const { tool, description, parameters, family } = dialect
  const run = (args: unknown, call: McpToolCall) =>
    runFor(call, (lease) => startDialectRun(dialect, args ?? {}, lease, call))
  return {
    name: tool,
    title: `${description} (${family})`,
    description,
    inputSchema: parameters,
    annotations: mutating,
    run,
  }
}

async function startDialectRun(
  { name, tool }: Dialect,
  args: unknown,
  lease: AbortController,
  { state, who, session }: McpToolCall,
) {
  const caller = { gone: lease.signal, who, via: `MCP ${tool}`, session, turnPatienceMs: state.patienceMs }
  const call = await state.executor.executeDialect(name, args, caller)
  const result = async () => dialectResult((await call.reply()).answer)
  if (!call.run) return result()
  return {
    run: call.run,
    next: call.form.next,
    lease,
    patienceMs: state.patienceMs,
    given: args,
    result,
  }
}

/**
 * Returns the tools of an endpoint: the service's own tools, or an agent's tools with the tools for their runs. `part`: only the tools for
 * commands, or only those for files; null: the service's own tools of both parts. Throws NOT_FOUND for an unknown dialect.
 */
export function toolsOf(dialect: string | null, part: ToolPart | null, { hasReadOnlySandbox }: McpParts): Tool[] {
  if (part === 'files') return fileTools
  if (dialect !== null) return [...toolsOfDialect(dialect).map(dialectTool), dialectWait, ...runTools]
  const own = [exec, ...(hasReadOnlySandbox ? [execReadOnly] : []), execWait, ...runTools]
  return part === 'run' ? own : [...own, ...fileTools]
}
