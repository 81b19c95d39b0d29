import { wantedSettings } from './stored-settings.ts'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull, type WantedFile, writeWhole } from './wanted-file.ts'
import { missingPackages } from './termux-packages.ts'
import { startOf, SVDIR, tools } from './termux-service.ts'
import { serviceFolder } from '../../shared/package/index.ts'
import { bootFile, bootScript, logFolder, serviceScripts, stateFolder } from './termux-files.ts'
import { type Change, SetupError, type TermuxWorld, type SetupOptions } from './setup-world.ts'

/** termux-wake-lock calls the app, which may be slow or frozen. */
const WAKE_LOCK_MS = 10_000

/** The changes that Termux still needs: packages, the runit service, the boot script, a wake lock, and starting the service. */
export async function planTermux(world: TermuxWorld, options: SetupOptions): Promise<Change[]> {
  refuseBadTree(world)
  const before = missingPackages(world)
  const service = serviceChanges(world, options)
  const hasChanged = before.length + service.length > 0
  const start = options.start ? await startOf(world, hasChanged || options.upgrade) : []
  const wakeLock = wantsWakeLock(world, options)
  const boot = fileChanges([bootScript(world, wakeLock)], 'run by Termux:Boot when the phone boots')
  return [...before, ...service, ...boot, ...(wakeLock && start.length > 0 ? [takeWakeLock(world)] : []), ...start]
}

/** Throws SetupError if the package is in a directory from which it cannot start safely at boot. */
function refuseBadTree({ tree, prefix, env }: TermuxWorld): void {
  const isIn = (folder: string) => `${tree}/`.startsWith(`${folder}/`)
  if (!existsSync(join(tree, 'dist/main.js'))) {
    throw new SetupError(`${tree}/dist/main.js is missing. In a clone, run npm run build`)
  }
  if (isIn(join(prefix, 'tmp')) || (env.TMPDIR && isIn(env.TMPDIR))) {
    throw new SetupError(
      `${tree} is in Termux's temporary directory, which the app empties. Move it, for example to $HOME`,
    )
  }
  if (isIn('/sdcard') || isIn('/storage')) {
    throw new SetupError(`${tree} is on shared storage, where other apps can change it. Move it, for example to $HOME`)
  }
}

/** Whether to use a wake lock: as requested, or as in the last setup, or else yes, because Android stops the service when the screen is off. */
function wantsWakeLock({ home }: TermuxWorld, { wakeLock }: SetupOptions): boolean {
  return wakeLock ?? readOrNull(bootFile(home))?.includes('termux-wake-lock') ?? true
}

function serviceChanges(world: TermuxWorld, options: SetupOptions): Change[] {
  const folder = serviceFolder(world.prefix)
  if (!existsSync(folder)) return [makeService(world, options)]
  const down = join(folder, 'down')
  const changes = fileChanges(serviceFiles(world, options, folder), 'the runit service')
  if (!options.start || !existsSync(down)) return changes
  return [
    ...changes,
    { what: `remove ${down}, so that the service starts automatically`, make: async () => rmSync(down) },
  ]
}

function serviceFiles(world: TermuxWorld, options: SetupOptions, folder: string): WantedFile[] {
  const settings = Object.entries(wantedSettings(world, options)).map(([name, value]) => ({
    path: join(folder, 'env', name),
    text: `${value}\n`,
    mode: 0o600,
  }))
  return [...serviceScripts(world, folder), ...settings]
}

const fileChanges = (files: WantedFile[], purpose: string): Change[] =>
  files
    .filter(({ path, text }) => readOrNull(path) !== text)
    .map((file) => ({ what: `write ${file.path}: ${purpose}`, make: async () => writeWhole(file) }))

/** Creates the directory with a leading dot, so that runsvdir ignores it, and renames it when it is complete. */
function makeService(world: TermuxWorld, options: SetupOptions): Change {
  const { prefix } = world
  const folder = serviceFolder(prefix)
  const aside = join(prefix, SVDIR, '.shellphone.new')
  const settings = Object.entries(wantedSettings(world, options)).map((entry) => entry.join('='))
  const make = async () => {
    rmSync(aside, { recursive: true, force: true })
    for (const place of [join(aside, 'env'), join(prefix, 'var/log'), join(prefix, 'var/run')]) {
      mkdirSync(place, { recursive: true })
    }
    for (const file of serviceFiles(world, options, aside)) writeWhole(file)
    if (!options.start) writeFileSync(join(aside, 'down'), '')
    renameSync(aside, folder)
  }
  return { what: `create ${folder}, a runit service with a log (${settings.join(', ') || 'default settings'})`, make }
}

/** The change that takes a wake lock. If Termux's app is frozen, it prints a message and continues. */
function takeWakeLock({ run, say }: TermuxWorld): Change {
  const make = async () => {
    const { exitCode, ending } = await run(['termux-wake-lock'], WAKE_LOCK_MS)
    if (exitCode !== 0)
      say(`The wake lock could not be taken (termux-wake-lock ${ending}). Open Termux and run termux-wake-lock there.`)
  }
  return {
    what: 'take a wake lock (termux-wake-lock), because without one Android stops Termux when the screen is off',
    make,
  }
}

/** The changes that remove the service. */
export async function planTermuxUndo(world: TermuxWorld): Promise<Change[]> {
  const { prefix, home } = world
  const folder = serviceFolder(prefix)
  const leaving = join(prefix, SVDIR, '.shellphone.leaving')
  const removal = (path: string): Change => ({
    what: `remove ${path}`,
    make: async () => rmSync(path, { recursive: true, force: true }),
  })
  const service = { what: `stop the service and remove ${folder}`, make: () => removeService(world, folder, leaving) }
  const rest = [join(prefix, SVDIR, '.shellphone.new'), logFolder(prefix), stateFolder(prefix), bootFile(home)]
  return [
    ...(existsSync(folder) || existsSync(leaving) ? [service] : []),
    ...rest.filter((path) => existsSync(path)).map(removal),
  ]
}

/** Removes the service. runsvdir restarts runsv while the directory exists, so this function renames the directory before it stops runsv. */
async function removeService(world: TermuxWorld, folder: string, leaving: string): Promise<void> {
  const sv = (...words: string[]) => world.run(['sv', '-w', '15', ...words], 20_000, tools(world.prefix))
  if (existsSync(folder)) {
    writeFileSync(join(folder, 'down'), '')
    await sv('force-stop', folder) // fails if the service is not running
    rmSync(leaving, { recursive: true, force: true })
    renameSync(folder, leaving)
  }
  await sv('force-shutdown', leaving)
  rmSync(leaving, { recursive: true, force: true })
}
