import type { Offsets } from '../../sdk/index.ts'
import { onOption } from './on-option.ts'

/** The command that continues to print the output of a run at these offsets, with the same `--on`. */
export function resumeCommand(id: string, { stdout, stderr }: Offsets, options: ReadonlyMap<string, string>): string {
  return `shellphone logs ${id} -f --from ${stdout}.${stderr}${onOption(options)}`
}

/** Reads the value of `--from`, which the parser has checked. */
export function offsetsIn(given = '0.0'): Offsets {
  const [stdout, stderr] = given.split('.').map(Number)
  return { stdout: stdout!, stderr: stderr! }
}
