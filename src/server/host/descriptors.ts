import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs'

const O_CLOEXEC = 0o2000000

/**
 * Closes what our starter left open and a command that Node starts would inherit: libuv sees to descriptors below 16 alone. Node's own are
 * all closed on exec (fcntl(2)) but for the channel to a Node that forked us; then nothing is touched.
 */
export function closeInherited(): void {
  if (process.connected || !existsSync('/proc/self/fd')) return
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor)
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    return (Number.parseInt(/^flags:\s*([0-7]+)/m.exec(info)![1]!, 8) & O_CLOEXEC) === 0
  } catch {
    return false // the list's own: it is closed
  }
}
