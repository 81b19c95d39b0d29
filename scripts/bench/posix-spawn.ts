import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Builds a C loop around posix_spawn and waitpid in `folder`. Returns a function that runs it and returns the milliseconds of each call. Needs cc. */
export function buildPosixSpawn(folder: string): (times: number) => number[] {
  const program = join(folder, 'posix-spawn')
  const source = fileURLToPath(new URL('posix-spawn.c', import.meta.url))
  execFileSync('cc', ['-O2', '-D_GNU_SOURCE', '-w', '-o', program, source])
  return (times) =>
    execFileSync(program, [String(times)])
      .toString()
      .trim()
      .split('\n')
      .map(Number)
}
