import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { privateFile } from '../../server/host/index.ts'
import { type Offline, OFFLINE_FILE, readPlaneFile, revokeKey } from '../../fleet/plane/index.ts'
import { SettingError } from '../../shared/schema/index.ts'

/** Revokes a phone's credentials at the brokers with the keys in the fleet's directory. Resolves with the duration in milliseconds. */
export async function revokePhone(given: string, publicKey: string): Promise<number> {
  const directory = resolve(given)
  const file = privateFile(join(directory, OFFLINE_FILE))
  const offline = JSON.parse(file.read()!) as Offline
  const startedAt = performance.now()
  const next = await revokeKey(offline, publicKey, readPlaneFile(join(directory, 'plane')))
  const tookMs = performance.now() - startedAt
  file.write(`${JSON.stringify(next, null, 2)}\n`)
  return tookMs
}

/** Throws SettingError if the directory does not contain the fleet's keys. */
export function mustHaveKeys(given: string): void {
  const file = join(resolve(given), OFFLINE_FILE)
  if (!existsSync(file))
    throw new SettingError(`fleet revoke: ${file} does not exist; pass the directory of fleet init with --directory`)
}
