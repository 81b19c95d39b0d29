import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { privateFile } from '../../server/host/index.ts'
import {
  type Offline,
  OFFLINE_FILE,
  PLANE_FILE,
  type PlaneFile,
  readPlaneFile,
  revokeKey,
} from '../../fleet/plane/index.ts'
import { UsageError } from '../../shared/schema/index.ts'
import type { Config } from '../../server/settings.ts'
import { planeDirectory } from './serve-plane.ts'

/** What the revocation of a phone needs. */
interface FleetFiles {
  /** the path of the keys that `fleet init` created */
  keys: string
  plane: PlaneFile
}

/** Finds the files of a fleet in the directory of `fleet init` (default: the one that contains the plane's directory). Throws UsageError if the keys are not there. */
export function fleetFiles(given: string | undefined, config: Config): FleetFiles {
  const ofPlane = planeDirectory(config)
  const directory = given === undefined ? dirname(ofPlane) : resolve(given)
  const keys = join(directory, OFFLINE_FILE)
  if (!existsSync(keys)) {
    throw new UsageError(`fleet revoke: ${keys} does not exist; pass the directory of fleet init with --directory`)
  }
  const beside = join(directory, 'plane')
  return { keys, plane: readPlaneFile(existsSync(join(beside, PLANE_FILE)) ? beside : ofPlane) }
}

/** Revokes a phone's credentials at the brokers with the keys of the fleet. Resolves with the duration in milliseconds. */
export async function revokePhone({ keys, plane }: FleetFiles, publicKey: string): Promise<number> {
  const file = privateFile(keys)
  const offline = JSON.parse(file.read()!) as Offline
  const startedAt = performance.now()
  const next = await revokeKey(offline, publicKey, plane)
  const tookMs = performance.now() - startedAt
  file.write(`${JSON.stringify(next, null, 2)}\n`)
  return tookMs
}
