import type { CheckResult, CheckStatus, Token, ToolEnd } from '../../shared/schema/index.ts'

/** The settings that doctor checks. */
interface DoctorSettings {
  host: string
  port: number
  policy: string
  allowed_origins: string[]
  min_free_bytes: number
  max_run_spool_bytes: number
}

/** Everything that checks may inspect: current values, and functions that query the machine and the service. */
export interface DoctorWorld {
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
  /** $HOME */
  home: string
  /** $PREFIX, on Termux */
  prefix: string | undefined
  /** $SHELLPHONE_HOME */
  serviceHome: string
  /** the installed version */
  version: string
  /** process.version */
  nodeVersion: string
  nowMs: number
  /** time since the machine booted, including suspended time */
  uptimeSeconds: number
  settings: DoctorSettings
  /** why the settings are invalid, in which case `settings` contains the defaults; null: valid */
  settingsError: string | null
  /** whether `settings` are those of the service: they are valid, or the running service has reported them */
  areSettingsKnown: boolean
  /** whether other machines connect over TLS */
  isEncrypted: boolean
  /** the TLS certificate, PEM; null: no certificate */
  certificate: string | null
  tokens(): Token[]
  /** the path of termux-exec's library; null: missing */
  preload: string | null
  /** the scripts that setup writes for Termux:Boot, with and without a wake lock; empty outside Termux */
  bootScripts: string[]
  /** warnings in /health that other checks report */
  knownWarnings: string[]
  /** Runs a program on PATH for at most `limitMs`, with `env` added; null removes a variable. Never rejects. */
  run(argv: string[], limitMs: number, env?: Record<string, string | null>): Promise<ToolEnd>
  /** the time limits of ordinary programs, and of the programs of Termux:API, which wait for its app */
  limits: { programMs: number; apiMs: number }
  /** Sends a GET to the running service. Rejects with a readable message if the service does not run or refuses. */
  ask(path: string): Promise<unknown>
  /** returns this machine's addresses except loopback, the most likely one first */
  addresses(): Promise<string[]>
}

/** GET /health, as returned to the holder of a token. */
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

/** The world, with values that several checks share and that doctor reads only once. */
export interface DoctorScene extends DoctorWorld {
  /** calls `run` with the limit of an ordinary program */
  tool(argv: string[], env?: Record<string, string | null>): Promise<ToolEnd>
  /** returns GET /health; rejects as `ask` does */
  health(): Promise<HealthReport>
  /** returns Android's API level (ro.build.version.sdk); null: unknown */
  sdk(): Promise<number | null>
}

/** The finding of a check. `fix` overrides that of the row; with `ok` it is advice. */
export type CheckFinding = Pick<CheckResult, 'found'> & { status: CheckStatus; fix?: string }

export interface DoctorCheck {
  name: string
  inspect(scene: DoctorScene): CheckFinding | Promise<CheckFinding>
  why: string
  fix: string
  /** the lane of the check; checks in one lane run one after the other, because Android allows few processes */
  lane?: 'programs' | 'termux_api'
  /** it depends on the settings or the address of the service, and is skipped if the settings are invalid */
  needsSettings?: true
}

/** The default limits, with which all checks together take less than 15 s. */
export const usualLimits: DoctorWorld['limits'] = { programMs: 2_000, apiMs: 10_000 }

export const ok = (found: string, fix?: string): CheckFinding => ({ status: 'ok', found, ...(fix && { fix }) })
export const warning = (found: string, fix?: string): CheckFinding => ({
  status: 'warning',
  found,
  ...(fix && { fix }),
})
export const error = (found: string, fix?: string): CheckFinding => ({ status: 'error', found, ...(fix && { fix }) })
export const skipped = (found: string): CheckFinding => ({ status: 'skipped', found })

/** The fix of a check that a busy machine may have delayed. */
export const whenBusy = 'Run shellphone doctor again when the machine is less busy.'

/** The finding for a program that exceeded its limit. A busy machine can cause this, so the program does not count as missing or broken. */
export const noAnswer = (program: string, { programMs }: DoctorWorld['limits']): CheckFinding =>
  warning(`${program} did not respond within ${programMs / 1000} s`, whenBusy)

/** Skips a check on systems other than Android. */
export const onAndroid =
  (look: DoctorCheck['inspect']): DoctorCheck['inspect'] =>
  (scene) =>
    scene.platform === 'android' ? look(scene) : skipped('not Android')

/** Creates a check of the service's health report. */
export const ofHealth =
  (look: (health: HealthReport, scene: DoctorScene) => CheckFinding): DoctorCheck['inspect'] =>
  async (scene) => {
    const health = await scene.health().catch(() => null)
    return health ? look(health, scene) : skipped('the service does not respond')
  }
