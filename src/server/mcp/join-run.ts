import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { awakeClock } from '../../shared/async/index.ts'
import { isEnding } from '../../shared/schema/index.ts'
import type { McpToolCall, Started } from './mcp-parts.ts'
import { reportOutput } from './progress.ts'
import { isForClient, takeAnswer, toElicitation } from './elicit-question.ts'
import { handleResult, recordResult } from './result.ts'
import { type TaskResult, toTask } from './tasks.ts'

export type McpToolResult = CallToolResult | InputRequiredResult | TaskResult

/** Begins the run of a call; what became none is answered at once. */
type Begin = (lease: AbortController) => Promise<Started | CallToolResult>

/** Begins a run for this call, or comes back to it with a person's answer. */
export async function runFor(call: McpToolCall, begin: Begin): Promise<McpToolResult> {
  if (!call.answered) return beginAndWait(call, begin)
  const { run } = call.answered.question
  return waitFor(call.desk.started.get(run) ?? (await found(run, call)), call)
}

async function beginAndWait(call: McpToolCall, begin: Begin): Promise<McpToolResult> {
  const { started } = call.desk
  const lease = new AbortController()
  const leave = () => lease.abort()
  call.gone.addEventListener('abort', leave) // who goes before there is a run
  const one = await begin(lease)
  call.gone.removeEventListener('abort', leave)
  if (!isStarted(one)) return one
  started.set(one.run.id, one)
  const forget = () => started.delete(one.run.id)
  one.run.finished.then(forget, forget)
  return waitFor(one, call)
}

const isStarted = (one: Started | CallToolResult): one is Started => 'run' in one

/** Waits for a run that somebody else has begun: who goes leaves it running. */
export async function joinRun(id: string, call: McpToolCall, patienceMs: number): Promise<McpToolResult> {
  return waitFor({ ...(await found(id, call)), patienceMs }, call)
}

async function found(id: string, { desk, executor }: McpToolCall): Promise<Started> {
  const run = await executor.find(id)
  return { run, lease: null, patienceMs: desk.patienceMs, result: async () => recordResult(await run.finished) }
}

/** Answers with the end, a question for the client's person, or, when patience is over, a handle. */
async function waitFor(one: Started, call: McpToolCall): Promise<McpToolResult> {
  const { run } = one
  takeAnswer(call)
  const leave = () => one.lease?.abort()
  call.gone.addEventListener('abort', leave)
  if (call.gone.aborted) leave()
  const patience = timer(one.patienceMs)
  const stopReporting = reportOutput(run, call.report)
  try {
    while (!isEnding(run.status)) {
      if (isForClient(run.waitsFor, call)) return await toElicitation(run.waitsFor, call)
      const news = [run.changed(), run.finished.then(none, none), patience.over]
      if ((await Promise.race(news)) === 'late') return handOver(one, call)
    }
    return await one.result()
  } finally {
    stopReporting()
    patience.stop()
  }
}

function none() {}

/** Once the answer is out its client is never gone from it any more: only exec_cancel ends the run. */
function handOver({ run, patienceMs }: Started, { desk, caller }: McpToolCall): McpToolResult {
  desk.started.delete(run.id)
  return caller.takesTasks ? toTask(run) : handleResult(run, patienceMs)
}

function timer(ms: number): { over: Promise<'late'>; stop(): void } {
  let stop = () => {}
  const over = new Promise<'late'>((resolve) => {
    stop = awakeClock.startTimer(() => resolve('late'), ms).stop
  })
  return { over, stop }
}
