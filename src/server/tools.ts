import { baseEnvironment } from './exec/index.ts'
import { findAddresses, preloadLibrary } from './host/index.ts'
import type { ToolEnd } from '../shared/schema/index.ts'
import { findProgram, runTool } from './spawn/index.ts'

/** Kept of what a tool says. */
const MAX_OUTPUT_BYTES = 65_536
/** Of ifconfig, or Termux:API, which may hang. */
const ADDRESS_TOOL_MS = 3_000
/** What systemctl finds a user's systemd by. */
const SESSION = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']

/** Programs of PATH, for doctor, setup and pairing. */
export interface Tools {
  has(program: string): boolean
  /** Runs one, bounded, with more environment; null takes a name out. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string | null>, fed?: Fed): Promise<ToolEnd>
  /** Where others reach this machine. */
  addresses(): Promise<string[]>
}

/** What a program is given on its stdin, and what ends it early. */
interface Fed {
  stdin: string
  signal: AbortSignal
}

/** `environment`: the process's own. */
export function openTools(environment: NodeJS.ProcessEnv): Tools {
  const preload = preloadLibrary(process.platform, environment.PREFIX)
  const base = baseEnvironment({ mode: 'filtered', service: environment, keep: SESSION, preload })
  const find = (program: string) => findProgram(program, environment.PATH ?? '')
  const run: Tools['run'] = async ([program = '', ...rest], timeoutMs, more = {}, fed) => {
    const path = find(program)
    if (path === null) return { ending: 'not_started', exitCode: null, stdout: '', stderr: `${program} is not there` }
    const env = onlySet({ ...base, ...more })
    const limits = { timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES }
    return runTool({ argv: [path, ...rest], env, stdin: null, ...limits, ...fed })
  }
  return {
    has: (program) => find(program) !== null,
    run,
    addresses: () => findAddresses((argv) => run(argv, ADDRESS_TOOL_MS)),
  }
}

/** The names of an environment that have a value. */
export const onlySet = (env: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
