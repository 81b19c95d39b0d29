import type { WebSocket } from 'ws'

/** Pings every `intervalMs` milliseconds. Disconnects a peer that has not answered the previous ping (doze, lost Wi-Fi). */
export function heartbeat(socket: WebSocket, intervalMs: number): void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, intervalMs)
  socket.on('close', () => clearInterval(timer))
}
