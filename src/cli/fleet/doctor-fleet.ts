import { inspectFleet, readPlaneFile } from '../../fleet/plane/index.ts'
import { planeDirectory } from './serve-plane.ts'
import type { Config } from '../../server/settings.ts'

/** `shellphone fleet doctor`: checks the versions of the brokers and the streams of the fleet. Resolves with the exit code: 0 ok, 1 warnings, 2 errors. */
export async function doctorFleet(config: Config): Promise<number> {
  const findings = await inspectFleet(readPlaneFile(planeDirectory(config)))
  for (const { level, text } of findings) console.log(`${level.padEnd(8)} ${text}`)
  if (findings.some(({ level }) => level === 'error')) return 2
  return findings.some(({ level }) => level === 'warning') ? 1 : 0
}
