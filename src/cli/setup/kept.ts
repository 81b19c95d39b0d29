import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull } from './wanted-file.ts'
import { settingsOfUnit, unitFile } from './systemd-unit.ts'
import { serviceFolder } from './termux-files.ts'
import type { SetupWorld, SetupOptions } from './setup-world.ts'

type HomeAndPrefix = Pick<SetupWorld, 'env' | 'home' | 'prefix'>

/** The SHELLPHONE_* environment that the last setup gave the service; empty where there was none. */
export function keptSettings(machine: HomeAndPrefix): Record<string, string> {
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
    return [] // no service yet
  }
}

/** What the service is to be given now: the wishes, over what it was given before. */
export function wantedSettings(machine: HomeAndPrefix, { host, port }: SetupOptions): Record<string, string> {
  const { SHELLPHONE_HOME: home } = machine.env
  return {
    ...keptSettings(machine),
    ...(host !== null && { SHELLPHONE_HOST: host }),
    ...(port !== null && { SHELLPHONE_PORT: String(port) }),
    ...(home && { SHELLPHONE_HOME: home }),
  }
}

/** The home of a service with such settings. */
export const serviceHomeOf = ({ home }: HomeAndPrefix, settings: Record<string, string>): string =>
  settings.SHELLPHONE_HOME ?? join(home, '.shellphone')
