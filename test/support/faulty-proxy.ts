import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fault after a number of bytes in one direction: the connection is cut, or the next byte is changed. */
export interface Fault {
  from: 'client' | 'service'
  at: number
  how: 'cut' | 'flip'
  /** called at that moment; a cut waits until it has resolved */
  onFault?(): void | Promise<void>
}

/** A proxy to the service at `port`: the first connection gets the first fault, and so on; later connections get none. */
export async function faultyProxy(t: { teardown(after: () => void): void }, port: number, faults: Fault[]) {
  const open: Socket[] = []
  let [begun, done] = [0, 0]
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    const fault = faults[begun++]
    open.push(client, service)
    for (const [from, to, side] of [
      [client, service, 'client'],
      [service, client, 'service'],
    ] as const) {
      let isCut = false
      let left = fault?.from === side ? fault.at : Number.POSITIVE_INFINITY
      from.on('error', () => {}).on('close', () => to.destroy())
      from.on('data', (chunk: Buffer) => {
        if (isCut) return
        const isNow = left >= 0 && left < chunk.length
        if (isNow) done++
        const ready = isNow ? fault!.onFault?.() : undefined
        if (isNow && fault!.how === 'flip') chunk[left]! ^= 1
        isCut = isNow && fault!.how === 'cut'
        const passed = isCut ? chunk.subarray(0, left) : chunk
        left -= chunk.length
        if (!to.write(passed)) from.pause()
        if (isCut) void Promise.resolve(ready).then(() => [from, to].forEach((socket) => socket.destroySoon()))
      })
      to.on('drain', () => from.resume())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults: () => done }
}
