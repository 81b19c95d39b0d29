import type { CheckResult, CheckStatus, Token, ToolEnd } from '../../shared/schema/index.ts'

/** The settings that doctor has something to say of. */
interface DoctorSettings {
  host: string
  port: number
  policy: string
  allowed_origins: string[]
  min_free_bytes: number
  max_run_spool_bytes: number
}

/** All that is looked at: values of now, and what asks the machine and the service. */
export interface DoctorWorld {
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  /** $HOME */
  home: string
  /** $PREFIX, on Termux */
  prefix: string | undefined
  /** $SHELLPHONE_HOME */
  serviceHome: string
  /** of what is installed here */
  version: string
  /** process.version */
  nodeVersion: string
  nowMs: number
  /** since the machine's boot, suspended or not */
  uptimeSeconds: number
  settings: DoctorSettings
  /** why the settings could not be read, `settings` being the defaults then */
  settingsTrouble: string | null
  /** what comes from other machines is TLS */
  isEncrypted: boolean
  /** PEM of what TLS shows; null: none */
  certificate: string | null
  tokens(): Token[]
  /** termux-exec's library; null: there is none */
  preload: string | null
  /** what setup writes for Termux:Boot, with a wake lock and without; empty where there is no Termux */
  bootScripts: string[]
  /** warnings of /health that other checks look into */
  knownWarnings: string[]
  /** Runs a program of PATH, bounded, with more environment; null takes a name out. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string | null>): Promise<ToolEnd>
  /** What a program may take, and one of Termux:API, which waits for its app. */
  limits: { programMs: number; apiMs: number }
  /** GET of the running service; rejects, with a sentence, where it does not run or refuses. */
  ask(path: string): Promise<unknown>
  /** own addresses beyond loopback, the likeliest first */
  addresses(): Promise<string[]>
}

/** What GET /health tells whoever shows the token. */
export interface HealthReport {
  status: string
  version: string
  node: string
  uptime_seconds: number
  slept_seconds: number
  spawner: { name: string; reason: string }
  sandbox: { available: string[]; reason: string | null }
  warnings: string[]
}

/** The world, with what several checks want and is asked for once. */
export interface DoctorScene extends DoctorWorld {
  /** `run` with the limit of a program */
  tool(argv: string[], env?: Record<string, string | null>): Promise<ToolEnd>
  /** rejects as `ask` does */
  health(): Promise<HealthReport>
  /** ro.build.version.sdk; null: it does not say */
  sdk(): Promise<number | null>
}

/** `mend` takes the place of the row's; with `ok` it is advice. */
export type CheckFinding = Pick<CheckResult, 'found'> & { status: CheckStatus; mend?: string }

export interface DoctorCheck {
  name: string
  look(scene: DoctorScene): CheckFinding | Promise<CheckFinding>
  why: string
  mend: string
  /** Checks of one lane run one after the other: programs cost processes, of which Android allows few. */
  lane?: 'programs' | 'termux_api'
}

/** All checks together stay under 15 s by these. */
export const usualLimits: DoctorWorld['limits'] = { programMs: 2_000, apiMs: 10_000 }

export const ok = (found: string, mend?: string): CheckFinding => ({ status: 'ok', found, ...(mend && { mend }) })
export const warning = (found: string, mend?: string): CheckFinding => ({
  status: 'warning',
  found,
  ...(mend && { mend }),
})
export const error = (found: string, mend?: string): CheckFinding => ({ status: 'error', found, ...(mend && { mend }) })
export const skipped = (found: string): CheckFinding => ({ status: 'skipped', found })

/** A program that was killed at its limit: a busy machine does that too, so it is never taken for missing or broken. */
export const noAnswer = (program: string, { programMs }: DoctorWorld['limits']): CheckFinding =>
  warning(
    `${program} gave no answer within ${programMs / 1000} s`,
    'Run shellphone doctor again when the machine is less busy.',
  )

/** A check for Android alone. */
export const onAndroid =
  (look: DoctorCheck['look']): DoctorCheck['look'] =>
  (scene) =>
    scene.platform === 'android' ? look(scene) : skipped('not Android')

/** A check of what the running service tells. */
export const ofHealth =
  (look: (health: HealthReport, scene: DoctorScene) => CheckFinding): DoctorCheck['look'] =>
  async (scene) => {
    const health = await scene.health().catch(() => null)
    return health ? look(health, scene) : skipped('the service does not answer')
  }
