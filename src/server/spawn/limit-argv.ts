import { getPriority } from 'node:os'
import type { Limits } from '../../shared/schema/index.ts'

const BLOCK_BYTES = 512

/**
 * How a POSIX shell sets each limit on itself. `processes` is missing because `ulimit -u` counts all processes of the user, and `oomScoreAdj`
 * because the service requests it only from the launcher.
 */
const commands: { [limit in keyof Limits]?: (value: number) => string } = {
  // SIGXCPU at the soft limit; if the hard limit were the same, the kernel would send SIGKILL at once
  cpuSeconds: (seconds) => `ulimit -S -t ${seconds} && ulimit -H -t ${seconds + 1}`,
  addressSpaceBytes: (bytes) => `ulimit -v ${Math.ceil(bytes / 1024)}`,
  openFiles: (count) => `ulimit -n ${count}`,
  fileSizeBytes: (bytes) => `ulimit -f ${Math.ceil(bytes / BLOCK_BYTES)}`,
}

/**
 * Wraps a shell's arguments: the shell sets the limits on itself and then executes itself again. If a limit cannot be set, it exits with code 126.
 * Throws for a limit that no shell can set.
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
  const nice = limits.nice === null ? '' : `nice -n ${Math.max(0, limits.nice - getPriority())} ` // nice(1) adds to our own value
  // in POSIX mode, bash measures file sizes in blocks of 512 bytes, as other shells do
  const posix = 'if [ -n "$BASH_VERSION" ]; then set -o posix; fi\n'
  return ['-c', `${posix}${lines.join('')}exec ${nice}"$0" "$@"`, shell, ...argv]
}
