import type { ApprovalOutcome, Finding } from '../../../../src/shared/schema/index.ts'
import type { DialectRequest, DialectWorld, Ended, Problem, Refusal } from '../../../../src/server/dialects/index.ts'

/**
 * One case of the table test: what an agent sends and what it must get. `name` says who makes the promise. `result` contains
 * the differences from a success without output; settings and world contain the differences from the defaults.
 */
export interface Example {
  name: string
  arguments: unknown
  settings?: Record<string, unknown>
  world?: Partial<DialectWorld>
  result?: Partial<Ended> | { problem: Problem }
  expect: {
    request?: Partial<DialectRequest>
    /** the commands that follow the request in the same call */
    following?: string[]
    /** fields of the step on files */
    file?: Record<string, unknown>
    /** the text of a call that ends its session */
    endsSession?: string
    refusal?: string
    code?: Refusal['code']
    is_error?: boolean
    output?: string
  }
}

/** What one dialect promises: its tool's name, parameters and settings as the agent knows them, and cases of both translations. */
export interface Promises {
  tool: string
  /** name, type, default, required */
  parameters: [string, string, unknown, boolean][]
  /** the agent's own configuration keys and their defaults */
  settings: Record<string, unknown>
  examples: Example[]
}

type Spoke = Partial<Finding> & Pick<Finding, 'guard'>

const decided = (finding: Finding): Pick<Ended, 'decision'> => ({
  decision: { verdict: finding.verdict, rule: finding.rule, reason: finding.reason, guards: [finding] },
})

const complete = (spoke: Spoke, verdict: Finding['verdict']): Finding => ({
  verdict,
  risk: 'high',
  rule: null,
  command: null,
  reason: null,
  ...spoke,
})

/** The result of a command that a guard denied. */
export const deniedBy = (spoke: Spoke): Partial<Ended> => ({
  status: 'denied',
  exit_code: -1,
  ...decided(complete(spoke, 'deny')),
})

/** The result of a command that needed approval and was not approved. */
export const notApproved = (spoke: Spoke, outcome: ApprovalOutcome): Partial<Ended> => ({
  status: 'denied',
  exit_code: -1,
  approval: { outcome },
  ...decided(complete(spoke, 'ask')),
})

/** The request was refused, because there is no such directory. */
export const noDirectory = (path: string): Problem => ({
  code: 'NO_DIRECTORY',
  message: `Working directory does not exist: ${path}`,
  about: path,
})

/** A run that failed with this exit code. */
export const failed = (exit_code: number, streams: Partial<Ended>): Partial<Ended> => ({
  status: 'failed',
  exit_code,
  ...streams,
})

/** A run that was killed at its deadline. */
export const timedOut = (timeout_seconds: number, streams: Partial<Ended> = {}): Partial<Ended> => ({
  status: 'timed_out',
  exit_code: -1,
  timeout_seconds,
  ...streams,
})
