import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { PendingClients, toOwner, type UnauthenticatedClient } from '../../http/index.ts'
import { isLoopback, ShellphoneError, toPlainAddress } from '../../shared/schema/index.ts'
import type { Certificate } from './certificate.ts'

/** A client that has sent nothing, or has not finished its handshake, within this time is disconnected. */
const HANDSHAKE_MS = 10_000
/** Unfinished handshakes, per address and in total; a new one replaces the oldest. */
const MAX_HANDSHAKES = { perAddress: 32, inAll: 128 }
/** The first byte of a TLS connection (RFC 8446, 5.1: ContentType handshake), and the size limits of its first record. */
const HANDSHAKE_BYTE = 22
const RECORD_HEAD_BYTES = 5
const MAX_RECORD_BYTES = 16_384

export interface OnePort {
  /** Makes new handshakes use the current files of the certificate. */
  refresh(): void
  /** Disconnects every client that has not finished its handshake. */
  cutAll(): void
}

/**
 * A hook into Node's internals: it replaces the server's 'connection' listeners (test/slow/tls).
 * Serves TLS and plain HTTP on one port. A client that begins a handshake gets TLS; only this machine may use plain HTTP. The previous
 * listeners receive a connection once its handshake is finished, or once it is known to be plain HTTP.
 */
export function openOnePort(server: Server, certificate: Certificate, onHandshake: (socket: Socket) => void): OnePort {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const accept = (socket: Socket) => listeners.forEach((listener) => listener.call(server, socket))
  const handshakes = new Map<string, { client: UnauthenticatedClient; timer: NodeJS.Timeout }>()
  const pending = new PendingClients(MAX_HANDSHAKES)
  const secure = createServer(tlsOptions(certificate))
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  secure.on('secureConnection', (socket: TLSSocket) => {
    finish(keyOf(socket))
    accept(socket)
  })

  const finish = (key: string) => {
    const entry = handshakes.get(key)
    if (!entry) return
    clearTimeout(entry.timer)
    pending.delete(entry.client)
    handshakes.delete(key)
  }
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    const cut = () => {
      socket.destroy()
      finish(key)
    }
    const client = { address: toOwner(socket.remoteAddress), cut }
    handshakes.set(key, { client, timer: setTimeout(cut, HANDSHAKE_MS).unref() })
    pending.add(client)
    socket.on('error', () => socket.destroy()).once('close', () => finish(key))
    socket.allowHalfOpen = false // close fully when a client leaves during its handshake
    onHello(socket, (isHandshake) => {
      if (isHandshake) {
        onHandshake(socket)
        secure.emit('connection', socket)
        return
      }
      finish(key)
      socket.allowHalfOpen = true // the default of an HTTP server
      if (isFromThisMachine(socket)) accept(socket)
      else refuse(socket)
      socket.resume()
    })
  })
  return {
    refresh: () => secure.setSecureContext(tlsOptions(certificate)),
    cutAll: () => [...handshakes.values()].forEach(({ client }) => client.cut()),
  }
}

/** Identifies a connection by its endpoints, which a TLSSocket shares with the socket beneath it. */
const keyOf = ({ remoteAddress, remotePort, localAddress }: Socket) => `${remoteAddress} ${remotePort} ${localAddress}`

function tlsOptions(certificate: Certificate) {
  const files = certificate.files()
  const mutual = files.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  // no HTTP/2: a WebSocket needs HTTP/1.1
  return {
    ...files,
    ...mutual,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  } as const
}

/**
 * Reports whether a connection begins with a TLS handshake. Waits for the complete first record, so that TLS allocates nothing for a client
 * that stops earlier. Puts back what it has read and pauses the socket; TLS resumes it.
 */
function onHello(socket: Socket, listener: (isHandshake: boolean) => void): void {
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', function onData(chunk: Buffer) {
    held = Buffer.concat([held, chunk])
    const isHandshake = held[0] === HANDSHAKE_BYTE
    if (isHandshake && held.length < recordBytes(held)) return
    socket.off('data', onData).pause().unshift(held)
    listener(isHandshake)
  })
}

/** The number of bytes to wait for: the whole first record, unless its length is invalid; TLS then rejects it. */
function recordBytes(bytes: Buffer): number {
  if (bytes.length < RECORD_HEAD_BYTES) return RECORD_HEAD_BYTES
  const length = bytes.readUInt16BE(RECORD_HEAD_BYTES - 2)
  return length > MAX_RECORD_BYTES ? RECORD_HEAD_BYTES : RECORD_HEAD_BYTES + length
}

/** Whether a connection comes from this machine: over loopback, or from the same address that it was made to. */
function isFromThisMachine({ remoteAddress = '', localAddress }: Socket): boolean {
  return isLoopback(toPlainAddress(remoteAddress)) || (remoteAddress !== '' && remoteAddress === localAddress)
}

function refuse(socket: Socket): void {
  const error = new ShellphoneError(
    'TLS_REQUIRED',
    'This service accepts plain HTTP only from its own machine; use HTTPS (setting tls)',
  )
  const body = JSON.stringify(error.toBody())
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
