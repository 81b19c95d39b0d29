import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { awakeClock } from '../../shared/async/index.ts'
import { isEnding } from '../../shared/schema/index.ts'
import type { Watched } from '../exec/index.ts'
import type { McpToolCall, ToolRun } from './mcp-parts.ts'
import { reportOutput } from './progress.ts'
import { isForClient, takeAnswer, toElicitation } from './elicit-question.ts'
import { handleResult, newsResult } from './result.ts'
import { type TaskResult, toTask } from './tasks.ts'

export type McpToolResult = CallToolResult | InputRequiredResult | TaskResult

/** Starts the run of a call, or returns the result at once if no run was started. */
type StartRun = (lease: AbortController) => Promise<ToolRun | CallToolResult>

/** Starts a run for this call, or waits for its existing run again if the call contains a person's answer. */
export async function runFor(call: McpToolCall, start: StartRun): Promise<McpToolResult> {
  if (!call.answered) return startAndWait(call, start)
  const { run } = call.answered.question
  return waitFor(call.state.runs.get(run) ?? (await findRun(run, call)), call)
}

async function startAndWait(call: McpToolCall, start: StartRun): Promise<McpToolResult> {
  const { runs } = call.state
  const lease = new AbortController()
  const leave = () => lease.abort()
  call.gone.addEventListener('abort', leave) // the client may disconnect before there is a run
  const begun = await start(lease)
  call.gone.removeEventListener('abort', leave)
  if (!isRun(begun)) return begun
  runs.set(begun.run.id, begun)
  const forget = () => runs.delete(begun.run.id)
  begun.run.finished.then(forget, forget)
  return waitFor(begun, call)
}

const isRun = (begun: ToolRun | CallToolResult): begun is ToolRun => 'run' in begun

/** Waits for a run that another call has started. If the client disconnects, the run continues. */
export async function joinRun(id: string, call: McpToolCall, patienceMs: number): Promise<McpToolResult> {
  return waitFor({ ...(await findRun(id, call)), patienceMs }, call)
}

/** Waits for the token's next background run, begun over MCP, that has ended or needs approval. */
export async function joinNext(call: McpToolCall, patienceMs: number): Promise<McpToolResult> {
  if (call.answered) return joinRun(call.answered.question.run, call, patienceMs)
  const next = await call.state.news.next(call.who, patienceMs, call.gone)
  return typeof next === 'string' ? joinRun(next, call, 0) : newsResult(next.live, patienceMs)
}

async function findRun(id: string, { state, executor, resultOf }: McpToolCall): Promise<ToolRun> {
  const run = await executor.find(id)
  const next = executor.callOf(id)?.next
  return { run, next, lease: null, patienceMs: state.patienceMs, result: () => resultOf(run) }
}

/** Resolves with the result, an approval request for the client's user or, after `patienceMs`, a handle. */
async function waitFor(toolRun: ToolRun, call: McpToolCall): Promise<McpToolResult> {
  let { run } = toolRun
  takeAnswer(call)
  const leave = () => toolRun.lease?.abort()
  call.gone.addEventListener('abort', leave)
  if (call.gone.aborted) leave()
  const patience = timer(toolRun.patienceMs)
  let stopReporting = reportOutput(run, call.report)
  try {
    for (;;) {
      while (!isEnding(run.status)) {
        if (isForClient(run.waitsFor, call)) return await toElicitation(run.waitsFor, call)
        const news = [run.changed(), run.finished.then(ignore, ignore), patience.over]
        if ((await Promise.race(news)) === 'late') return handOver(toolRun, run, call)
      }
      const next = (await toolRun.next?.(run)) ?? null
      if (next === null) {
        call.state.news.seen(toolRun.run.id)
        return await toolRun.result()
      }
      run = next
      rememberFollowing(toolRun, run, call)
      stopReporting()
      stopReporting = reportOutput(run, call.report)
    }
  } finally {
    stopReporting()
    patience.stop()
  }
}

function ignore() {}

/** The reply to an approval request names the run that waits for it. */
function rememberFollowing(toolRun: ToolRun, { id, finished }: Watched, { state: { runs } }: McpToolCall): void {
  const forget = () => runs.delete(id)
  runs.set(id, toolRun)
  finished.then(forget, forget)
}

/** Replies with a handle. From then on a disconnect no longer cancels the run; only exec_cancel does. */
function handOver(
  { run: { id }, patienceMs, lease, given }: ToolRun,
  current: Watched,
  { state, caller, who }: McpToolCall,
): McpToolResult {
  state.runs.delete(id)
  if (lease === null) state.news.waited(id, who)
  else state.news.handOver(id, who, isEnding(current.status))
  if (given !== undefined) state.toolArguments.add(id, given)
  return caller.supportsTasks ? toTask({ id, status: current.status }) : handleResult(id, current, patienceMs)
}

function timer(ms: number): { over: Promise<'late'>; stop(): void } {
  let stop = () => {}
  const over = new Promise<'late'>((resolve) => {
    stop = awakeClock.startTimer(() => resolve('late'), ms).stop
  })
  return { over, stop }
}
