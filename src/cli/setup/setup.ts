import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { remotesFileOf, seenRunsOf } from '../../shared/package/index.ts'
import { isLoopback } from '../../shared/schema/index.ts'
import { storedSettings, serviceHomeOf } from './stored-settings.ts'
import { planSystemd, planSystemdUndo } from './systemd.ts'
import { planTermux, planTermuxUndo } from './termux.ts'
import { bootFile } from './termux-files.ts'
import { type Change, SetupError, type SetupWorld, type SetupOptions } from './setup-world.ts'

/** Shows the changes, asks for confirmation, applies them, and prints the result. Resolves with the exit code; rejects with SetupError. */
export async function setup(world: SetupWorld, options: SetupOptions): Promise<number> {
  const { say } = world
  const serviceHome = serviceHomeOf(world, storedSettings(world))
  const changes = await planOf(world, options)
  if (changes.length === 0) say(options.undo ? 'no system service was set up' : 'nothing to do')
  for (const { what } of changes) say(`- ${what}`)
  if (changes.length > 0 && !(await mayChange(world, options))) {
    say('Nothing was changed. Run setup in a terminal, or add --yes to skip the confirmation.')
    return 1
  }
  for (const change of changes) await change.make()
  if (options.undo) {
    refuseWhileUsed(world, serviceHome)
    if (changes.length > 0) sayRemoved(world)
    if (!options.purge) sayKept(world, serviceHome)
  } else await sayInstalled(world, options)
  return 0
}

async function planOf(world: SetupWorld, options: SetupOptions): Promise<Change[]> {
  const { prefix } = world
  if (!options.undo)
    return prefix === undefined ? planSystemd(world, options) : planTermux({ ...world, prefix }, options)
  const serviceHome = serviceHomeOf(world, storedSettings(world))
  const undo = prefix === undefined ? await planSystemdUndo(world) : await planTermuxUndo({ ...world, prefix })
  return options.purge ? [...undo, ...purgeOf(world, serviceHome), ...purgeOfCommandLine(world)] : undo
}

async function mayChange({ confirm }: SetupWorld, { yes }: SetupOptions): Promise<boolean> {
  return yes || (confirm !== null && (await confirm('Apply these changes?')))
}

/** Refuses to remove a directory that does not look like a home of Shellphone. */
function purgeOf(world: SetupWorld, serviceHome: string): Change[] {
  if (!existsSync(serviceHome)) return []
  if (!['token', 'owner.sha256'].some((name) => existsSync(join(serviceHome, name))) || serviceHome === world.home) {
    throw new SetupError(`${serviceHome} contains no token, so setup does not delete it. Delete it yourself`)
  }
  const make = async () => {
    refuseWhileUsed(world, serviceHome)
    rmSync(serviceHome, { recursive: true, force: true })
  }
  return [{ what: `remove ${serviceHome}: the token, settings, history and outputs`, make }]
}

/** Throws SetupError while a service that setup did not start uses this home: it would lose its files, and perhaps its program. */
function refuseWhileUsed({ holderOf }: SetupWorld, serviceHome: string): void {
  const pid = holderOf(serviceHome)
  if (pid === null) return
  throw new SetupError(`a service (pid ${pid}) still uses ${serviceHome}; stop it with kill ${pid} and run this again`)
}

/** The files that the command line stores outside the home of the service. */
const ownFiles = (world: SetupWorld) => [remotesFileOf(world), seenRunsOf(world)].filter((file) => existsSync(file))

function purgeOfCommandLine(world: SetupWorld): Change[] {
  return ownFiles(world).map((file) => ({
    what: `remove ${file}`,
    make: async () => {
      rmSync(file, { force: true })
      if (readdirSync(dirname(file)).length === 0) rmdirSync(dirname(file))
    },
  }))
}

function sayRemoved({ say, prefix }: SetupWorld): void {
  say('Shellphone was removed from the services and from boot.')
  if (prefix !== undefined)
    say('Packages stay installed, and the wake lock stays because others may need it (termux-wake-unlock releases it).')
}

function sayKept(world: SetupWorld, serviceHome: string): void {
  const { say } = world
  if (existsSync(serviceHome))
    say(`${serviceHome} (token, settings, history, outputs) was not deleted; --purge deletes it.`)
  for (const file of ownFiles(world)) say(`${file} was not deleted; --purge deletes it.`)
}

/** Prints doctor's report, the address, and how to pair an agent. */
async function sayInstalled(world: SetupWorld, { start }: SetupOptions): Promise<void> {
  const { say, prefix, home, has } = world
  if (!start) return say('Shellphone is installed. To start it, run shellphone setup without --no-start.')
  const { host, port } = await world.listensAt()
  const scheme = (await world.isEncrypted()) ? 'https' : 'http'
  const url = `${scheme}://${await addressOf(world, host)}:${port}`
  say(`\n${world.describe(await world.doctor())}\n`)
  say(`Shellphone is running: ${url}`)
  if (isLoopback(host)) {
    say(
      `Only this machine can reach it. To let others in, run shellphone setup --lan, or use ssh -L 8029:127.0.0.1:${port} (with -p 8022 on Termux).`,
    )
  }
  say('To pair an agent, run shellphone pair')
  say(
    'Or give it the address and a token from shellphone token create NAME. The token lets it run commands on this machine.',
  )
  if (prefix === undefined || !has('termux-job-scheduler')) return
  const watchdog = `termux-job-scheduler --script ${bootFile(home)} --period-ms 900000 --persisted true`
  say(`Optional, to restart the service every 15 minutes if Android has killed everything: ${watchdog}`)
}

/** Resolves with the address for other machines. Android may hide it; Settings > About phone > Status shows it. */
async function addressOf({ addresses }: SetupWorld, host: string): Promise<string> {
  if (host !== '0.0.0.0' && host !== '::') return host
  return (await addresses())[0] ?? 'PHONE-ADDRESS'
}
