import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy to a service whose connections break. */
interface CutProxy {
  url: string
  port: number
  /** the number of connections cut so far */
  cuts(): number
  close(): void
}

/**
 * Forwards connections to `port` (a function is called for each new connection). Cuts each of the first `cuts` connections, in both directions,
 * when `bytes(n)` bytes have passed.
 */
export async function cutProxy(
  port: number | (() => number),
  cuts: number,
  bytes: (cut: number) => number,
): Promise<CutProxy> {
  let done = 0
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(typeof port === 'number' ? port : port(), '127.0.0.1')
    let left = done < cuts ? bytes(done) : Number.POSITIVE_INFINITY
    const pair = [near, far]
    const cut = () => pair.forEach((socket) => socket.resetAndDestroy())
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left > 0 || near.destroyed) return
      done += 1
      cut()
    }
    for (const socket of pair) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('data', count)
        .on('close', cut)
    }
    near.pipe(far)
    far.pipe(near)
  })
    .listen(0, '127.0.0.1')
    .unref() // a test that fails before it calls close must not keep its suite from ending
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}`,
    port: own,
    cuts: () => done,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
