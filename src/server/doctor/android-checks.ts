import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopback } from '../../shared/schema/index.ts'
import { logFolder, readServiceLog } from './service-log.ts'
import {
  type DoctorCheck,
  error,
  type CheckFinding,
  noAnswer,
  ofHealth,
  ok,
  onAndroid,
  type DoctorScene,
  skipped,
  warning,
} from './world.ts'

const WEEK_MS = 7 * 86_400_000
const MAX_RUNS = 1000
/** A shorter sleep may be an effect of reading two clocks, or precede the wake lock. */
const NAP_SECONDS = 60

/** Checks for the effects of Android on Termux and on programs in it. */
export const androidChecks: DoctorCheck[] = [
  {
    name: 'phantom processes',
    lane: 'programs',
    inspect: onAndroid(findKills),
    why: 'Android 12 and newer allow 32 processes for all apps together and kill the oldest beyond that, which may be the service.',
    fix: phantomFix(null),
  },
  {
    name: 'wake lock',
    inspect: onAndroid(
      ofHealth(({ slept_seconds: slept, uptime_seconds: up }) => {
        const found = `the phone slept ${slept} s of the ${up} s since the service started`
        return slept <= NAP_SECONDS
          ? ok(found, 'Set Settings > Apps > Termux > Battery to Unrestricted (doctor cannot check this)')
          : warning(found)
      }),
    ),
    why: 'While the phone sleeps, no command runs and no request gets a response.',
    fix: 'Run termux-wake-lock, and set Settings > Apps > Termux > Battery to Unrestricted. See dontkillmyapp.com for your phone.',
  },
  {
    name: 'Termux:API',
    lane: 'termux_api',
    inspect: onAndroid(inspectTermuxApi),
    why: 'Termux:API shows approval requests as notifications; if its app is missing or frozen, its programs hang.',
    fix: 'Install the app Termux:API from the same source as Termux, and open it once.',
  },
  {
    name: 'Termux build',
    lane: 'programs',
    inspect: onAndroid(async ({ env, sdk, settings: { host } }) => {
      const version = env.TERMUX_VERSION ?? 'unknown'
      if (!version.startsWith('googleplay')) return ok(`Termux ${version}, API level ${(await sdk()) ?? 'unknown'}`)
      const found = `the Google Play build (${version})`
      const isShutOut = ((await sdk()) ?? 0) >= 37 && !isLoopback(host)
      return isShutOut ? error(`${found}: other machines cannot connect`) : warning(found)
    }),
    why: 'On Android 17 the Google Play build cannot accept connections from the network, and no setting changes that.',
    fix: 'Install Termux from F-Droid or GitHub.',
  },
  {
    name: 'LD_PRELOAD',
    lane: 'programs',
    inspect: onAndroid(async ({ env, preload, tool, limits }) => {
      if (preload === null) return error('the library of termux-exec is missing')
      const { ending, exitCode } = await tool(['sh', '-c', 'true'], { LD_PRELOAD: preload })
      if (ending === 'killed') return noAnswer('sh', limits)
      if (ending !== 'exited' || exitCode !== 0) {
        return warning(
          `sh does not run with ${preload}`,
          'Set ld_preload: false; scripts must then name their interpreter with its full path.',
        )
      }
      return ok(
        env.LD_PRELOAD
          ? `${preload} is set and works`
          : `${preload} works; this shell does not set it, but commands get it`,
      )
    }),
    why: 'Without LD_PRELOAD, scripts that begin with #!/usr/bin/env fail with exit code 127.',
    fix: 'Run pkg install termux-exec',
  },
  {
    name: '#!/usr/bin/env',
    lane: 'programs',
    inspect: onAndroid(runEnvScript),
    why: 'Most scripts begin with this line, and Android has no /usr/bin.',
    fix: 'Run pkg install termux-exec, or termux-fix-shebang FILE for a single script.',
  },
]

function phantomFix(sdk: number | null): string {
  const isOneOf = (...levels: number[]) => sdk === null || levels.includes(sdk)
  const ways = [
    sdk === null || sdk >= 34 ? 'Android 14+: Developer options > Disable child process restrictions' : null,
    isOneOf(32, 33)
      ? 'Android 12L, 13: adb shell settings put global settings_enable_monitor_phantom_procs false'
      : null,
    isOneOf(31)
      ? 'Android 12: adb shell "device_config set_sync_disabled_for_tests persistent; device_config put activity_manager max_phantom_processes 2147483647"'
      : null,
  ]
  return ways.filter((way) => way !== null).join('. ')
}

/** Looks for the effects of the limit, because the limit itself cannot be read. */
async function findKills(scene: DoctorScene): Promise<CheckFinding> {
  const sdk = await scene.sdk()
  if (sdk !== null && sdk < 31) return ok(`Android before version 12 has no such limit (API level ${sdk})`)
  const [runs, deaths] = [await killedRuns(scene), killedServices(scene)]
  const android = `API level ${sdk ?? 'unknown'}`
  if (runs + deaths === 0) {
    return ok(`${android}: nothing was killed in the last week; the limit itself cannot be read`, phantomFix(sdk))
  }
  return warning(
    `${android}: in the last week another process killed ${runs} commands, and the service restarted ${deaths} times without having been stopped`,
    phantomFix(sdk),
  )
}

interface FailedRuns {
  runs: { signal: string | null; ended_at: string | null }[]
}

async function killedRuns({ ask, nowMs }: DoctorScene): Promise<number> {
  const { runs } = await ask(`/runs?status=failed&limit=${MAX_RUNS}`).then(
    (answer) => answer as FailedRuns,
    () => ({ runs: [] }),
  )
  const isRecent = (at: string | null) => at !== null && nowMs - Date.parse(at) < WEEK_MS
  return runs.filter(({ signal, ended_at }) => signal === 'SIGKILL' && isRecent(ended_at)).length
}

/** Counts restarts after a kill. The first start after the last boot does not count; earlier boots are unknown. */
function killedServices({ prefix, env, nowMs, uptimeSeconds }: DoctorScene): number {
  if (prefix === undefined) return 0
  const bootMs = nowMs - uptimeSeconds * 1000
  const { starts } = readServiceLog(logFolder(prefix, env))
  const firstOfBoot = starts.find(({ atMs }) => atMs >= bootMs)
  return starts.filter((start) => start.afterKill && start !== firstOfBoot && nowMs - start.atMs < WEEK_MS).length
}

async function inspectTermuxApi({ run, tool, limits }: DoctorScene): Promise<CheckFinding> {
  const app = await tool(['pm', 'path', 'com.termux.api'])
  if (app.ending === 'exited' && !app.stdout.startsWith('package:')) return warning('the app is not installed')
  const { ending, stdout } = await run(['termux-battery-status'], limits.apiMs)
  if (ending === 'not_started') return warning('its package is not installed', 'pkg install termux-api')
  if (ending === 'killed') {
    return warning(
      `no response within ${limits.apiMs / 1000} s: the app is stopped, frozen or slow`,
      'Open the app Termux:API once, and also set its battery use to Unrestricted.',
    )
  }
  const said = /"percentage": *(\d+)/.exec(stdout)
  return said
    ? ok(`responds; battery at ${said[1]} %`)
    : warning(`responds with ${JSON.stringify(stdout.trim().slice(0, 200))}`)
}

async function runEnvScript({ tool, serviceHome, preload, env, limits }: DoctorScene): Promise<CheckFinding> {
  const file = join(env.TMPDIR ?? serviceHome, `shellphone-doctor-${process.pid}`)
  try {
    writeFileSync(file, '#!/usr/bin/env sh\necho ran\n', { mode: 0o700 })
  } catch (error) {
    return skipped(`cannot write a script: ${(error as Error).message}`)
  }
  try {
    const { ending, stdout, exitCode } = await tool(['sh', '-c', '"$0"', file], { LD_PRELOAD: preload })
    if (ending === 'killed') return noAnswer('the script', limits)
    return stdout === 'ran\n' ? ok('a test script runs') : error(`a test script fails with exit code ${exitCode}`)
  } finally {
    rmSync(file, { force: true })
  }
}
