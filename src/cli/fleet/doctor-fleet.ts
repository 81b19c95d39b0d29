import { inspectFleet, readPlaneFile } from '../../fleet/plane/index.ts'
import { planeDirectory } from './serve-plane.ts'
import type { Config } from '../../server/settings.ts'

const LEVEL_WIDTH = 9

/** `shellphone fleet doctor`: checks the versions and the certificate of the brokers and the streams of the fleet, and prints what to do about each problem. Resolves with the exit code: 0 without problems, otherwise 1. */
export async function doctorFleet(config: Config): Promise<number> {
  const findings = await inspectFleet(readPlaneFile(planeDirectory(config)))
  for (const { level, text, fix } of findings) {
    console.log(`${level.padEnd(LEVEL_WIDTH)}${text}`)
    if (fix !== null) console.log(`${' '.repeat(LEVEL_WIDTH)}do: ${fix}`)
  }
  return findings.every(({ level }) => level === 'ok') ? 0 : 1
}
