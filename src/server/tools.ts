import { baseEnvironment } from './exec/index.ts'
import { findAddresses, preloadLibrary } from './host/index.ts'
import type { ToolEnd } from '../shared/schema/index.ts'
import { findProgram, runTool } from './spawn/index.ts'

/** Maximum output of a tool. Any further output is dropped. */
const MAX_OUTPUT_BYTES = 65_536
/** Time limit of ifconfig or Termux:API, which may hang. */
const ADDRESS_TOOL_MS = 3_000
/** The variables that systemctl needs to find a user's systemd. */
const SESSION_VARIABLES = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']

/** Runs programs from PATH for doctor, setup and pairing. */
export interface Tools {
  has(program: string): boolean
  /** Runs a program for at most `limitMs`, with changes to its environment; null removes a variable. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string | null>, input?: ToolInput): Promise<ToolEnd>
  /** Returns the addresses at which other machines reach this machine. */
  addresses(): Promise<string[]>
}

/** A program's stdin, and the signal that ends it early. */
interface ToolInput {
  stdin: string
  signal: AbortSignal
}

/** Creates the tools. `environment`: the environment of this process. */
export function openTools(environment: NodeJS.ProcessEnv): Tools {
  const preload = preloadLibrary(process.platform, environment.PREFIX)
  const base = baseEnvironment({ mode: 'filtered', service: environment, keep: SESSION_VARIABLES, preload })
  const find = (program: string) => findProgram(program, environment.PATH ?? '')
  const run: Tools['run'] = async ([program = '', ...rest], timeoutMs, more = {}, input) => {
    const path = find(program)
    if (path === null) return { ending: 'not_started', exitCode: null, stdout: '', stderr: `${program} was not found` }
    const env = onlySet({ ...base, ...more })
    const limits = { timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES }
    return runTool({ argv: [path, ...rest], env, stdin: null, ...limits, ...input })
  }
  return {
    has: (program) => find(program) !== null,
    run,
    addresses: () => findAddresses((argv) => run(argv, ADDRESS_TOOL_MS)),
  }
}

/** Returns an environment without the variables that have no value. */
export const onlySet = (env: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
