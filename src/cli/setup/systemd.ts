import { rmSync } from 'node:fs'
import { readOrNull, writeWhole } from './wanted-file.ts'
import { wantedSettings } from './stored-settings.ts'
import { unitFile } from '../../shared/package/index.ts'
import { hasLingerLine, unitText } from './systemd-unit.ts'
import { waitForService } from './wait-for-service.ts'
import { type Change, SetupError, type SetupWorld, type SetupOptions } from './setup-world.ts'

const UNIT = 'shellphone.service'
const TOOL_MS = 20_000
/** A systemctl call may take this long, because it waits for the service to stop. */
const STOP_MS = 90_000

/** The changes that Linux with systemd still needs: writing and enabling the unit, lingering (to run without a login), and starting the service. */
export async function planSystemd(world: SetupWorld, options: SetupOptions): Promise<Change[]> {
  await refuseWithoutSystemd(world, options)
  const file = unitFile(world)
  const before = readOrNull(file)
  const linger = await lingerOf(world)
  const settings = wantedSettings(world, options)
  const text = unitText(world, settings, linger === 'no' || hasLingerLine(before ?? ''))
  const write = async () => {
    writeWhole({ path: file, text, mode: 0o600 })
    await must(world, 'daemon-reload')
  }
  const changes: Change[] = []
  if (before !== text) changes.push({ what: `write ${file}: a systemd user unit`, make: write })
  if ((await said(world, 'is-enabled')) !== 'enabled') {
    changes.push({ what: `systemctl --user enable ${UNIT}`, make: () => must(world, 'enable', UNIT) })
  }
  if (linger === 'no') changes.push(enableLinger(world))
  return [...changes, ...(await startOf(world, options, changes.length > 0))]
}

async function startOf(world: SetupWorld, options: SetupOptions, hasChanged: boolean) {
  const isActive = (await said(world, 'is-active')) === 'active'
  if (!options.start || (isActive && !hasChanged && !options.upgrade)) return []
  const verb = isActive ? 'restart' : 'start'
  const make = async () => {
    await must(world, verb, UNIT)
    await waitForService(world, 'journalctl --user -u shellphone')
  }
  return [{ what: `systemctl --user ${verb} ${UNIT}`, make }]
}

/** The changes that remove the service. */
export async function planSystemdUndo(world: SetupWorld): Promise<Change[]> {
  const file = unitFile(world)
  const unit = readOrNull(file)
  if (unit === null) return []
  await refuseWithoutSystemd(world)
  const remove = async () => {
    await must(world, 'disable', '--now', UNIT)
    rmSync(file)
    await must(world, 'daemon-reload')
  }
  const removal = { what: `stop and disable the service, remove ${file}`, make: remove }
  const what = `loginctl disable-linger ${world.user}`
  const linger = { what, make: async () => void (await world.run(['loginctl', 'disable-linger', world.user], TOOL_MS)) }
  return hasLingerLine(unit) ? [removal, linger] : [removal]
}

async function refuseWithoutSystemd(
  { run }: SetupWorld,
  { host, port }: Partial<Pick<SetupOptions, 'host' | 'port'>> = {},
): Promise<void> {
  const { exitCode, stderr } = await run(['systemctl', '--user', 'show-environment'], TOOL_MS)
  if (exitCode === 0) return
  const [line = ''] = stderr.trim().split('\n')
  const why = line === '' ? '' : ` (${line})`
  const serve = `shellphone serve${host ? ` --host ${host}` : ''}${port ? ` --port ${port}` : ''}`
  throw new SetupError(
    `setup needs Termux or Linux with systemd, but systemctl --user does not respond${why}. Run ${serve} yourself instead`,
  )
}

const systemctl = ({ run }: SetupWorld, ...words: string[]) => run(['systemctl', '--user', ...words], STOP_MS)

const said = async (world: SetupWorld, verb: string) => (await systemctl(world, verb, UNIT)).stdout.trim()

async function must(world: SetupWorld, ...words: string[]): Promise<void> {
  const { exitCode, stderr } = await systemctl(world, ...words)
  if (exitCode !== 0) throw new SetupError(`systemctl --user ${words.join(' ')}: ${stderr.trim()}`)
}

/** Resolves with yes or no, or with another text if logind does not know this user or is not running. */
async function lingerOf({ run, user }: SetupWorld): Promise<string> {
  const { stdout } = await run(['loginctl', 'show-user', user, '--property=Linger', '--value'], TOOL_MS)
  return stdout.trim()
}

/** If logind refuses lingering, the service starts at the first login. */
function enableLinger({ run, user, say }: SetupWorld): Change {
  const make = async () => {
    const { exitCode, stderr } = await run(['loginctl', 'enable-linger', user], TOOL_MS)
    if (exitCode !== 0) say(`The service will not run until you log in: ${stderr.trim()}`)
  }
  return { what: `loginctl enable-linger ${user}: the service runs without a login`, make }
}
