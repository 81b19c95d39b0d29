import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull } from './wanted-file.ts'
import { settingsOfUnit } from './systemd-unit.ts'
import { serviceFolder, unitFile } from '../../shared/package/index.ts'
import type { SetupWorld, SetupOptions } from './setup-world.ts'

type HomeAndPrefix = Pick<SetupWorld, 'env' | 'home' | 'prefix'>

/** The SHELLPHONE_* environment that the last setup gave the service; empty before the first setup. */
export function storedSettings(machine: HomeAndPrefix): Record<string, string> {
  const { prefix } = machine
  if (prefix === undefined) return settingsOfUnit(readOrNull(unitFile(machine)) ?? '')
  const folder = join(serviceFolder(prefix), 'env')
  return Object.fromEntries(
    namesIn(folder).map((name) => [name, (readOrNull(join(folder, name)) ?? '').split('\n')[0]!.trimEnd()]),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^SHELLPHONE_[A-Z_]+$/.test(name))
  } catch {
    return [] // the service is not installed yet
  }
}

/** The environment for the service. The options override the stored settings. */
export function wantedSettings(machine: HomeAndPrefix, { host, port }: SetupOptions): Record<string, string> {
  const { SHELLPHONE_HOME: home } = machine.env
  return {
    ...storedSettings(machine),
    ...(host !== null && { SHELLPHONE_HOST: host }),
    ...(port !== null && { SHELLPHONE_PORT: String(port) }),
    ...(home && { SHELLPHONE_HOME: home }),
  }
}

/** The home directory of a service with these settings. */
export const serviceHomeOf = ({ home }: HomeAndPrefix, settings: Record<string, string>): string =>
  settings.SHELLPHONE_HOME ?? join(home, '.shellphone')
