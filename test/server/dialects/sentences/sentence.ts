import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The ways in which an agent calls a tool. */
export const seams = ['http', 'ws', 'mcp'] as const
export type Seam = (typeof seams)[number]

/** What every seam returns for a call, by the same names. */
export interface Reply {
  is_error: boolean
  output: string
  exit_code?: number
  error_type?: string
}

/** The services with which calls are made, each with its own settings. */
export type ServiceName = 'plain' | 'tight' | 'loose' | 'shellless'

/** One sentence of an agent's documentation that promises behaviour, and what shows that it holds. */
export interface Sentence {
  says: string
  /** the call, sent through every seam; absent: `shownBy` */
  call?: {
    arguments: Record<string, unknown>
    reply: { [Field in keyof Reply]?: Reply[Field] | RegExp }
    in: ServiceName
  }
  /** the test that shows it, if one call cannot: a file below test, and the title of a test or example in it */
  shownBy?: [file: string, title: string]
  /** the name of the deliberate difference in the README of the dialects, if the sentence does not hold as it stands */
  differs?: string
}

type More = Partial<Pick<Sentence, 'differs'>> & { in?: ServiceName }

/** A sentence with a call that shows that it holds, or how it differs. */
export const says = (
  sentence: string,
  given: Record<string, unknown> | string,
  reply: Required<Sentence>['call']['reply'] | string | RegExp,
  { in: service = 'plain', ...more }: More = {},
): Sentence => ({
  says: sentence,
  call: {
    arguments: typeof given === 'string' ? { command: given } : given,
    reply: typeof reply === 'string' || reply instanceof RegExp ? { output: reply } : reply,
    in: service,
  },
  ...more,
})

/** A sentence that another test shows. */
export const shown = (sentence: string, file: string, title: string, differs?: string): Sentence => ({
  says: sentence,
  shownBy: [file, title],
  ...(differs !== undefined && { differs }),
})

/** The directory in which the calls run. */
export const FOLDER = join(realpathSync(tmpdir()), `shellphone-sentences-${process.pid}`)
