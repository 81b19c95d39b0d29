import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { type Guest, Lobby, toOwner } from '../../http/index.ts'
import { isLoopback, ShellphoneError, toPlainAddress } from '../../shared/schema/index.ts'
import type { Certificate } from './certificate.ts'

/** Who has not said whether it speaks TLS, or has not ended its handshake, within this is cut. */
const HANDSHAKE_MS = 10_000
/** Connections on their way to a handshake's end, of one address and in all; the oldest of them goes for the next. */
const MAX_HANDSHAKES = { perAddress: 32, inAll: 128 }
/** The first byte of a TLS connection (RFC 8446, 5.1: ContentType handshake), in a record of at most so many bytes. */
const HANDSHAKE_BYTE = 22
const RECORD_HEAD_BYTES = 5
const MAX_RECORD_BYTES = 16_384

export interface OnePort {
  /** Handshakes from now on show what the certificate holds now. */
  refresh(): void
  /** Ends every connection that is still on its way. */
  cutAll(): void
}

/**
 * A hook into Node's internals: it takes the place of the server's 'connection' listeners (test/server/access/tls).
 * TLS and plain HTTP on one port: whoever begins a handshake gets TLS, plain HTTP is for this machine itself. Whatever listened for
 * connections of `server` until now hears of those that have come so far.
 */
export function openOnePort(server: Server, certificate: Certificate, onHandshake: (socket: Socket) => void): OnePort {
  const welcome = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const enter = (socket: Socket) => welcome.forEach((listener) => listener.call(server, socket))
  const waiting = new Map<string, { guest: Guest; timer: NodeJS.Timeout }>()
  const lobby = new Lobby(MAX_HANDSHAKES)
  const secure = createServer(tlsOptions(certificate))
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  secure.on('secureConnection', (socket: TLSSocket) => {
    leave(nameOf(socket))
    enter(socket)
  })

  const leave = (name: string) => {
    const entry = waiting.get(name)
    if (!entry) return
    clearTimeout(entry.timer)
    lobby.delete(entry.guest)
    waiting.delete(name)
  }
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    const cut = () => {
      socket.destroy()
      leave(name)
    }
    const guest = { address: toOwner(socket.remoteAddress), cut }
    waiting.set(name, { guest, timer: setTimeout(cut, HANDSHAKE_MS).unref() })
    lobby.add(guest)
    socket.on('error', () => socket.destroy()).once('close', () => leave(name))
    socket.allowHalfOpen = false // who has gone in the middle of a handshake is not waited for
    onHello(socket, (isHandshake) => {
      if (isHandshake) {
        onHandshake(socket)
        secure.emit('connection', socket)
        return
      }
      leave(name)
      socket.allowHalfOpen = true // as HTTP has it
      if (isOwn(socket)) enter(socket)
      else refuse(socket)
      socket.resume()
    })
  })
  return {
    refresh: () => secure.setSecureContext(tlsOptions(certificate)),
    cutAll: () => [...waiting.values()].forEach(({ guest }) => guest.cut()),
  }
}

/** A connection by its ends: a TLSSocket has those of the socket beneath. */
const nameOf = ({ remoteAddress, remotePort, localAddress }: Socket) => `${remoteAddress} ${remotePort} ${localAddress}`

function tlsOptions(certificate: Certificate) {
  const files = certificate.files()
  const mutual = files.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  // no HTTP/2: a WebSocket wants 1.1
  return {
    ...files,
    ...mutual,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  } as const
}

/**
 * Tells whether a handshake begins, once its first record is whole: what TLS holds of a connection is for those who go on with it. What
 * came is put back; the socket is paused then (TLS reads it on its own).
 */
function onHello(socket: Socket, listener: (isHandshake: boolean) => void): void {
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', function look(chunk: Buffer) {
    held = Buffer.concat([held, chunk])
    const isHandshake = held[0] === HANDSHAKE_BYTE
    if (isHandshake && held.length < recordBytes(held)) return
    socket.off('data', look).pause().unshift(held)
    listener(isHandshake)
  })
}

/** What is longer than any record is none: TLS says so at once. */
function recordBytes(bytes: Buffer): number {
  if (bytes.length < RECORD_HEAD_BYTES) return RECORD_HEAD_BYTES
  const length = bytes.readUInt16BE(RECORD_HEAD_BYTES - 2)
  return length > MAX_RECORD_BYTES ? RECORD_HEAD_BYTES : RECORD_HEAD_BYTES + length
}

/** It comes from this machine: by loopback, or from the very address that it goes to. */
function isOwn({ remoteAddress = '', localAddress }: Socket): boolean {
  return isLoopback(toPlainAddress(remoteAddress)) || (remoteAddress !== '' && remoteAddress === localAddress)
}

function refuse(socket: Socket): void {
  const error = new ShellphoneError('TLS_REQUIRED', 'Other machines must use HTTPS for this service (setting tls)')
  const body = JSON.stringify(error.toBody())
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
