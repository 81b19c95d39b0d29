import type { CallToolResult } from '@modelcontextprotocol/server'
import type { EventForm, Executor, Watched } from '../exec/index.ts'
import type { FileTools } from '../file-tools/index.ts'
import type { RunNews, Subscriptions } from '../wake/index.ts'
import type { Who } from '../../shared/schema/index.ts'
import type { ToolArguments } from './tool-arguments.ts'

/** What the module needs from the service. */
export interface McpParts {
  executor: Executor
  /** the tools that read, write, edit and search text files */
  fileTools: FileTools
  /** the runs that have ended or need approval, for exec_wait without an id */
  news: RunNews
  /** the subscriptions to events of runs */
  subscriptions: Subscriptions
  version: string
  /** a call that takes longer returns a handle, and its run continues */
  patienceMs: number
  /** whether a sandbox is available for commands that may change nothing and have no network */
  hasReadOnlySandbox: boolean
}

/** A run that a tool call waits for. */
export interface ToolRun {
  run: Watched
  /** resolves with the run that follows in the same call; null: none; absent: there is never one */
  readonly next?: EventForm['next'] | undefined
  /** cancels the run if its caller disconnects before the reply; null: the run continues after a disconnect */
  readonly lease: AbortController | null
  /** the arguments with which an agent's own tool began the run; undefined: our own tool began it */
  readonly given?: unknown
  /** how long a call waits for the end before it returns a handle */
  patienceMs: number
  /** resolves when the run has ended, with its result in the tool's own format */
  result(): Promise<CallToolResult>
}

/** The state that all calls share. */
export interface McpState extends McpParts {
  /** runs whose call has received neither a result nor a handle; the reply to an elicitation finds its run here */
  runs: Map<string, ToolRun>
  /** the arguments of calls that have received a handle, for the format of the result */
  toolArguments: ToolArguments
  /** ids of approval requests that were shown to a client; each is shown only once, regardless of the reply */
  elicited: Set<string>
}

/** The client, as it describes itself. */
export interface McpClient {
  name: string
  /** whether the client can show a form to its user */
  canElicit: boolean
  /** whether the client accepts a task as the result of a long run (extension io.modelcontextprotocol/tasks) */
  supportsTasks: boolean
}

/** One tools/call while it is handled. */
export interface McpToolCall {
  state: McpState
  /** the owner of the token with which the call was sent */
  who: Who
  /** the session of a command that names none; undefined: no session */
  session: string | undefined
  /** the executor, limited to what that token may see */
  executor: Executor
  caller: McpClient
  /** aborts when the client cancels the call or disconnects */
  gone: AbortSignal
  /** reports the number of bytes so far and the newest text; null: the client wants no progress */
  report: ((bytes: number, message: string) => void) | null
  /** seals the state that the client must return with the answer */
  seal(question: SealedQuestion): Promise<string>
  /** the result of a run that has ended, in the endpoint's format: our own, or that of the dialect in which the run began */
  resultOf(run: Watched): Promise<CallToolResult>
  /** a digest of the token's id, the tool's name and its arguments */
  digest(): string
  /** the approval request that was shown, and the client's reply; null: a first call */
  answered: { question: SealedQuestion; responses: Record<string, unknown> | undefined } | null
}

/** The sealed state that the client returns: the approval request, its run and call, and when it was shown (ms since 1970). */
export interface SealedQuestion {
  run: string
  approval: string
  call: string
  at: number
}
