import { getPriority } from 'node:os'
import type { Limits } from '../../shared/schema/index.ts'

const BLOCK_BYTES = 512

/** How a POSIX shell sets each limit on itself. `processes` is not among them: it would count whatever else the user runs. */
const commands: { [limit in keyof Limits]?: (value: number) => string } = {
  // SIGXCPU at the soft limit; without room above it the kernel would send SIGKILL at once
  cpuSeconds: (seconds) => `ulimit -S -t ${seconds} && ulimit -H -t ${seconds + 1}`,
  addressSpaceBytes: (bytes) => `ulimit -v ${Math.ceil(bytes / 1024)}`,
  openFiles: (count) => `ulimit -n ${count}`,
  fileSizeBytes: (bytes) => `ulimit -f ${Math.ceil(bytes / BLOCK_BYTES)}`,
  oomScoreAdj: (score) => `echo ${score} > /proc/self/oom_score_adj`,
}

/** Is it no more than the hint whom the kernel shall kill first? That is written from outside: a second start of the shell would be half the price of a command. */
export function isOnlyHint({ oomScoreAdj, ...others }: Limits): boolean {
  return oomScoreAdj !== null && Math.abs(oomScoreAdj) <= 1000 && Object.values(others).every((value) => value === null)
}

/**
 * Puts limits before a shell's arguments: the shell sets them on itself and then becomes itself again. A limit that cannot be set ends it with exit code 126.
 * Throws for a limit that cannot be set this way.
 */
export function limitArgv(shell: string, argv: string[], limits: Limits): string[] {
  const wanted = Object.entries(limits).filter(([, value]) => value !== null) as [keyof Limits, number][]
  if (wanted.length === 0) return argv
  const lines = wanted
    .filter(([limit]) => limit !== 'nice')
    .map(([limit, value]) => {
      const command = commands[limit]
      if (command === undefined) throw new Error(`the limit ${limit} needs the launcher`)
      return `{ ${command(value)}; } || exit 126\n`
    })
  const nice = limits.nice === null ? '' : `nice -n ${Math.max(0, limits.nice - getPriority())} ` // it adds to ours
  // only in POSIX mode does bash count files in blocks of 512 bytes, as all others do
  const posix = 'if [ -n "$BASH_VERSION" ]; then set -o posix; fi\n'
  return ['-c', `${posix}${lines.join('')}exec ${nice}"$0" "$@"`, shell, ...argv]
}
