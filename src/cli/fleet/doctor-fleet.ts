import { inspectFleet, readPlaneFile } from '../../fleet/plane/index.ts'
import { planeDirectory } from './serve-plane.ts'
import type { Config } from '../../server/settings.ts'

/** `shellphone fleet doctor`: checks the versions of the brokers and the streams of the fleet. Resolves with the exit code: 0 without problems, otherwise 1. */
export async function doctorFleet(config: Config): Promise<number> {
  const findings = await inspectFleet(readPlaneFile(planeDirectory(config)))
  for (const { level, text } of findings) console.log(`${level.padEnd(8)} ${text}`)
  return findings.every(({ level }) => level === 'well') ? 0 : 1
}
