import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The ways in which an agent calls a tool and receives the reply itself. MCP has one more: beyond the patience of a call, the reply is a
 * handle, and `exec_wait` returns the tool's reply.
 */
export const seams = ['http', 'ws', 'sse', 'mcp'] as const
export type Seam = (typeof seams)[number]

/** What every seam returns for a call, by the same names. */
export interface Reply {
  is_error: boolean
  output: string
  exit_code?: number
  error_type?: string
}

/** The expected reply; without `error_type`, the reply must have none. */
export type Expected = { [Field in keyof Reply]?: Reply[Field] | RegExp } & {
  /** why no run begins, so that there are no events and there is nothing to wait for beyond the patience of MCP */
  noRun?: string
}

/** The services with which calls are made, each with its own settings. Calls of `sandboxed` need the read-only sandbox. */
export type ServiceName = 'plain' | 'sandboxed' | 'tight' | 'loose' | 'full' | 'lenient' | 'shellless'

/** Fields of a record, or the kinds of their values. */
type Pattern = Record<string, unknown>

/** One sentence of an agent's documentation that promises behaviour, and what shows that it holds. */
export interface Sentence {
  says: string
  /** the call, sent through every seam; absent: `shownBy` */
  call?: {
    arguments: Record<string, unknown>
    reply: Expected
    in: ServiceName
    /** what the record of the run says, if the reply does not show it */
    record?: Pattern
  }
  /** the test that shows it, if one call cannot: a file below test, and the title of a test or example in it */
  shownBy?: [file: string, title: string]
  /** the name of the deliberate difference in the README of the dialects, if the sentence does not hold as it stands */
  differs?: string
}

type More = Partial<Pick<Sentence, 'differs'>> & { in?: ServiceName; record?: Pattern }

/** A sentence with a call that shows that it holds, or how it differs. */
export const says = (
  sentence: string,
  given: Record<string, unknown> | string,
  reply: Expected | string | RegExp,
  { in: service = 'plain', record, ...more }: More = {},
): Sentence => ({
  says: sentence,
  call: {
    arguments: typeof given === 'string' ? { command: given } : given,
    reply: typeof reply === 'string' || reply instanceof RegExp ? { output: reply } : reply,
    in: service,
    ...(record && { record }),
  },
  ...more,
})

/** The reply to arguments that the tool refuses. */
export const refusal = (output: string | RegExp): Expected => ({
  is_error: true,
  error_type: 'validation_error',
  output,
  noRun: 'the tool refuses the arguments',
})

/** The reply to a command that the policy denies. */
export const denial = (output: string | RegExp): Expected => ({ is_error: true, error_type: 'forbidden', output })

/** A sentence that another test shows. */
export const shown = (sentence: string, file: string, title: string, differs?: string): Sentence => ({
  says: sentence,
  shownBy: [file, title],
  ...(differs !== undefined && { differs }),
})

/** The directory in which the calls run. */
export const FOLDER = join(realpathSync(tmpdir()), `shellphone-sentences-${process.pid}`)
