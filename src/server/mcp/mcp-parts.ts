import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Executor, Watched } from '../exec/index.ts'
import type { Who } from '../../shared/schema/index.ts'

/** What the tools are given. */
export interface McpParts {
  executor: Executor
  version: string
  /** a call that takes longer is answered with a handle, and the run goes on */
  patienceMs: number
  /** there is a box for commands that may change nothing */
  hasReadOnlyBox: boolean
}

/** A run that calls wait for. */
export interface Started {
  run: Watched
  /** aborted where whoever asked goes before the answer is out; null: it goes on, whoever goes */
  readonly lease: AbortController | null
  /** how long a call waits for its end before it is answered with a handle */
  patienceMs: number
  /** how it ended, in the tool's own words */
  result(): Promise<CallToolResult>
}

/** What all calls share. */
export interface Desk extends McpParts {
  /** runs whose call has not been answered with their end or a handle: a question's second round comes back to them */
  started: Map<string, Started>
  /** questions that were put to a client: each is once, whatever comes back */
  asked: Set<string>
}

/** Who calls, as the client tells of itself. */
export interface McpClient {
  name: string
  /** it can show a form to a person */
  canElicit: boolean
  /** a long run may be answered with a task (extension io.modelcontextprotocol/tasks) */
  takesTasks: boolean
}

/** One tools/call on its way. */
export interface McpToolCall {
  desk: Desk
  /** whose token it came with */
  who: Who
  /** as that token sees it */
  executor: Executor
  caller: McpClient
  /** the caller canceled it, or went away */
  gone: AbortSignal
  /** tells how many bytes came so far, and the newest text; null: nobody wants to hear */
  report: ((bytes: number, message: string) => void) | null
  /** seals what a question must bring back with its answer */
  seal(question: SealedQuestion): Promise<string>
  /** of whose call it is, the tool's name and its arguments */
  digest(): string
  /** second round: the question that was asked, and what came back */
  answered: { question: SealedQuestion; responses: Record<string, unknown> | undefined } | null
}

/** What goes round through the client, sealed: which question of which run and call, and when it was asked (ms since 1970). */
export interface SealedQuestion {
  run: string
  approval: string
  call: string
  at: number
}
