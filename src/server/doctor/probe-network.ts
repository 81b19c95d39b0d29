import { connect, createServer } from 'node:net'

const LIMIT_MS = 2_000

/** Resolves with null if a server can listen at this address, otherwise with the reason. */
export function canListen(host: string, port: number): Promise<string | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', ({ message }) => resolve(message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/** Resolves with null if a connection to this address succeeds, otherwise with the reason. */
export function canConnect(address: string, port: number): Promise<string | null> {
  const socket = connect({ host: address, port, timeout: LIMIT_MS })
  return new Promise<string | null>((resolve) => {
    socket.once('connect', () => resolve(null))
    socket.once('timeout', () => resolve(`no response within ${LIMIT_MS / 1000} s`))
    socket.once('error', ({ message }) => resolve(message))
  }).finally(() => socket.destroy())
}
