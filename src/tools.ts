import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { baseEnvironment } from './exec/index.ts'
import { preloadLibrary } from './host/index.ts'
import type { ToolEnd } from './schema/index.ts'
import { runTool } from './spawn/index.ts'

/** Kept of what a tool says. */
const MAX_OUTPUT_BYTES = 65_536
/** What systemctl finds a user's systemd by. */
const SESSION = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']

/** Programs of PATH, for doctor and setup. */
export interface Tools {
  has(program: string): boolean
  /** Runs one, bounded, with more environment; null takes a name out. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string | null>): Promise<ToolEnd>
}

/** `environment`: the process's own. */
export function openTools(environment: NodeJS.ProcessEnv): Tools {
  const preload = preloadLibrary(process.platform, environment.PREFIX)
  const base = baseEnvironment({ mode: 'filtered', service: environment, keep: SESSION, preload })
  const find = (program: string) => findProgram(program, environment.PATH ?? '')
  return {
    has: (program) => find(program) !== null,
    run: async ([program = '', ...rest], timeoutMs, more = {}) => {
      const path = find(program)
      if (path === null) return { ending: 'not_started', exitCode: null, stdout: '', stderr: `${program} is not there` }
      const env = withoutNulls({ ...base, ...more })
      return runTool({ argv: [path, ...rest], env, stdin: null, timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES })
    },
  }
}

const withoutNulls = (env: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== null))

/** As a shell finds it; null: there is none. */
function findProgram(name: string, path: string): string | null {
  const places = name.includes('/') ? [name] : path.split(delimiter).map((folder) => join(folder, name))
  return places.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
