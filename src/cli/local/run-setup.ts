import { createInterface } from 'node:readline/promises'
import { describeReport } from '../../server/doctor/index.ts'
import { isEncrypted } from '../../server/doctor-world.ts'
import { packageFolder } from '../../shared/package/index.ts'
import { homeFolder, homeHolder, termuxPrefix, urlOf } from '../../server/host/index.ts'
import { examine, type InstalledSettings } from './run-doctor.ts'
import { setup, type SetupWorld, type SetupOptions } from '../setup/index.ts'
import { openTools } from '../../server/tools.ts'
import { readStat } from '../../server/spawn/index.ts'

const ANSWER_MS = 2_000

/** `shellphone setup`: resolves with the exit code. `installed`: resolves with the settings of the service after the changes. */
export async function runSetup(
  flags: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  installed: () => Promise<InstalledSettings>,
): Promise<number> {
  const options = readOptions(flags)
  const world: SetupWorld = {
    env,
    home: homeFolder(env),
    prefix: termuxPrefix(env),
    node: process.execPath,
    tree: packageFolder,
    user: String(process.getuid?.()),
    ...openTools(env),
    answers,
    doctor: async () => examine(await installed()),
    listensAt: async () => (await (await installed()).read()).settings,
    isEncrypted: async () => isEncrypted((await (await installed()).read()).settings),
    holderOf: (serviceHome) => homeHolder(serviceHome, readStat),
    describe: describeReport,
    say: (line) => console.log(line),
    confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : null,
  }
  return setup(world, options)
}

function readOptions(flags: ReadonlyMap<string, string>): SetupOptions {
  const port = flags.get('port')
  const either = <T>(yes: string, no: string, ifYes: T, ifNo: T) =>
    flags.has(yes) ? ifYes : flags.has(no) ? ifNo : null
  return {
    host: either('lan', 'local', '0.0.0.0', '127.0.0.1'),
    port: port === undefined ? null : Number(port),
    wakeLock: either('wake-lock', 'no-wake-lock', true, false),
    start: !flags.has('no-start'),
    upgrade: flags.has('upgrade'),
    undo: flags.has('undo'),
    purge: flags.has('purge'),
    yes: flags.has('yes'),
  }
}

async function answers(host: string, port: number): Promise<boolean> {
  try {
    const { ok } = await fetch(`${urlOf(host, port)}/health`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return ok
  } catch {
    return false // the service is not listening (yet)
  }
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
