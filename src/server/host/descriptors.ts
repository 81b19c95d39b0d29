import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs'

const O_CLOEXEC = 0o2000000

/** Below it, Node itself lets no child process inherit a descriptor (libuv, uv_disable_stdio_inheritance). */
const FIRST_INHERITED = 16

/**
 * Closes file descriptors that the parent process left open, because the commands that Node starts would inherit them. All of Node's own
 * descriptors are closed on exec (fcntl(2)), except the channel to a Node process that forked this one. In that case this function does
 * nothing.
 */
export function closeInherited(): void {
  if (process.connected || !existsSync('/proc/self/fd')) return
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    if (descriptor >= FIRST_INHERITED && isInherited(descriptor)) closeSync(descriptor)
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')
    return (Number.parseInt(/^flags:\s*([0-7]+)/m.exec(info)![1]!, 8) & O_CLOEXEC) === 0
  } catch {
    return false // the descriptor that listed the directory, which is already closed
  }
}
