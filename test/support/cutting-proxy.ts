import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface CuttingProxy {
  port: number
  /** the number of connections cut so far */
  cuts(): number
  close(): void
}

/** Forwards connections to `port`, and cuts each after `afterBytes()` bytes in one direction, at most `maxCuts` times. */
export async function cuttingProxy(port: number, afterBytes: () => number, maxCuts: number): Promise<CuttingProxy> {
  const open = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    const ends: [Socket, Socket][] = [
      [client, service],
      [service, client],
    ]
    const limit = afterBytes()
    for (const [from, to] of ends) {
      let bytes = 0
      open.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (!to.write(chunk)) from.pause()
        if (bytes < limit || cuts >= maxCuts) return
        cuts++
        client.resetAndDestroy()
        service.destroy()
      })
      to.on('drain', () => from.resume())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cuts,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
