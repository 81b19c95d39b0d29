import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A link that can be slow, silent or cut. */
export interface LinkProxy {
  port: number
  /** delays bytes in both directions */
  delay(ms: number): void
  /** true: connections stay open, but nothing passes */
  freeze(is: boolean): void
  /** cuts every connection; new ones are accepted */
  cut(): void
  /** Cuts after every `bytes` bytes in both directions together, at most `times` times; the returned function counts the cuts. */
  cutEvery(bytes: number, times: number): () => number
  close(): void
}

export async function linkProxy(port: number): Promise<LinkProxy> {
  const open = new Set<Socket>()
  let [delayMs, isFrozen, held] = [0, false, [] as (() => void)[]]
  let [passedBytes, cutBytes, cuts, maxCuts] = [0, 0, 0, 0]
  const cut = () => open.forEach((socket) => socket.destroy())
  const count = (bytes: number) => {
    passedBytes += bytes
    if (cuts >= maxCuts || passedBytes < cutBytes) return
    passedBytes = 0
    cuts += 1
    cut()
  }
  const pass = (to: Socket, chunk: Buffer) => {
    count(chunk.length)
    const write = () => void (to.destroyed || to.write(chunk))
    if (isFrozen) held.push(write)
    else if (delayMs > 0) setTimeout(write, delayMs)
    else write()
  }
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.setNoDelay(true)
      from.on('data', (chunk: Buffer) => pass(to, chunk))
      from
        .on('error', () => {})
        .on('close', () => {
          open.delete(from)
          to.destroy()
        })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms) => (delayMs = ms),
    freeze(is) {
      isFrozen = is
      if (is) return
      for (const write of held) write()
      held = []
    },
    cut,
    cutEvery(bytes, times) {
      ;[passedBytes, cutBytes, cuts, maxCuts] = [0, bytes, 0, times]
      return () => cuts
    },
    close() {
      server.close()
      cut()
    },
  }
}
