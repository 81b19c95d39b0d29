import { within } from '../../shared/async/index.ts'
import type { CheckResult, CheckStatus, DoctorReport } from '../../shared/schema/index.ts'
import { androidChecks } from './android-checks.ts'
import { bootChecks } from './boot-checks.ts'
import { exposureChecks } from './exposure-checks.ts'
import { machineChecks } from './machine-checks.ts'
import { serviceChecks } from './service-checks.ts'
import {
  type DoctorCheck,
  type CheckFinding,
  type HealthReport,
  type DoctorScene,
  type DoctorWorld,
  skipped,
  warning,
  whenBusy,
} from './world.ts'

const checks: DoctorCheck[] = [...serviceChecks, ...androidChecks, ...bootChecks, ...machineChecks, ...exposureChecks]

/** Time limit of a check in addition to the limits of its programs. */
const SPARE_MS = 1_000

/** The statuses from best to worst. */
const order: CheckStatus[] = ['skipped', 'ok', 'warning', 'error']

/** Returns a function that runs all checks within 15 s. A call during an examination gets the same report. Never rejects. */
export function createDoctor(openWorld: () => DoctorWorld): () => Promise<DoctorReport> {
  let looking: Promise<DoctorReport> | null = null
  return () => {
    looking ??= examine(openWorld()).finally(() => {
      looking = null
    })
    return looking
  }
}

async function examine(world: DoctorWorld): Promise<DoctorReport> {
  const scene = toScene(world)
  const lanes = new Map<string, DoctorCheck[]>()
  for (const check of checks) {
    const lane = check.lane ?? check.name
    lanes.set(lane, [...(lanes.get(lane) ?? []), check])
  }
  const found = new Map<DoctorCheck, CheckResult>()
  const walk = async (lane: DoctorCheck[]) => {
    for (const check of lane) found.set(check, await examineOne(check, scene))
  }
  await Promise.all([...lanes.values()].map(walk))
  const results = checks.map((check) => found.get(check)!)
  const worst = Math.max(...results.map(({ status }) => order.indexOf(status)))
  return { status: order[worst]!, checks: results }
}

async function examineOne(check: DoctorCheck, scene: DoctorScene): Promise<CheckResult> {
  const { name, why, fix, lane } = check
  const { programMs, apiMs } = scene.limits
  const limitMs = programMs + (lane === 'termux_api' ? apiMs : 0) + SPARE_MS
  const finding = await bounded(check, scene, limitMs)
  const isProblem = finding.status === 'warning' || finding.status === 'error'
  return { name, status: finding.status, found: finding.found, why, fix: finding.fix ?? (isProblem ? fix : null) }
}

async function bounded(
  { inspect: look, needsSettings }: DoctorCheck,
  scene: DoctorScene,
  limitMs: number,
): Promise<CheckFinding> {
  if (needsSettings && !scene.areSettingsKnown) return skipped('the settings are invalid')
  try {
    const finding = Promise.resolve(look(scene))
    return (await within(finding, limitMs)) ? await finding : warning(noAnswer(limitMs), whenBusy)
  } catch (error) {
    return { status: 'warning', found: `the check failed: ${(error as Error).message}` }
  }
}

function toScene(world: DoctorWorld): DoctorScene {
  let health: Promise<HealthReport> | undefined
  let sdk: Promise<number | null> | undefined
  const tool: DoctorScene['tool'] = (argv, env) => world.run(argv, world.limits.programMs, env)
  return {
    ...world,
    tool,
    health: () => (health ??= withinLimit(world.ask('/health'), world.limits.programMs).then(toHealth)),
    sdk: () => (sdk ??= readSdk(tool)),
  }
}

/** Rejects after the limit. Otherwise every check would wait for a server that accepts connections but never responds. */
async function withinLimit<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  if (await within(answer, limitMs)) return answer
  throw new Error(noAnswer(limitMs))
}

const noAnswer = (limitMs: number) => `no response within ${limitMs / 1000} s`

function toHealth(answer: unknown): HealthReport {
  const isHealth = typeof answer === 'object' && answer !== null && 'uptime_seconds' in answer
  if (!isHealth) throw new Error('the server at this address is not Shellphone')
  return answer as HealthReport
}

async function readSdk(tool: DoctorScene['tool']): Promise<number | null> {
  const { stdout } = await tool(['getprop', 'ro.build.version.sdk'])
  const sdk = Number.parseInt(stdout, 10)
  return sdk > 0 ? sdk : null
}
