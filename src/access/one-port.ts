import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { ShellphoneError } from '../schema/index.ts'
import type { Certificate } from './certificate.ts'

/** Who has not said whether it speaks TLS, or has not ended its handshake, within this is cut. */
const HANDSHAKE_MS = 10_000
/** Connections on their way to a handshake's end; the oldest goes for the next. */
const MAX_HANDSHAKES = 128
/** The first byte of a TLS connection (RFC 8446, 5.1: ContentType handshake). */
const HANDSHAKE_BYTE = 22

export interface OnePort {
  /** Handshakes from now on show what the certificate holds now. */
  refresh(): void
  /** Ends every connection that is still on its way. */
  cutAll(): void
}

/**
 * TLS and plain HTTP on one port: whoever begins a handshake gets TLS, plain HTTP is for this machine itself. Whatever listened for
 * connections of `server` until now hears of those that have come so far.
 */
export function openOnePort(server: Server, certificate: Certificate, onHandshake: (socket: Socket) => void): OnePort {
  const welcome = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const enter = (socket: Socket) => welcome.forEach((listener) => listener.call(server, socket))
  const waiting = new Map<string, Waiting>()
  const secure = createServer(tlsOptions(certificate))
  const leave = (peer: string) => {
    clearTimeout(waiting.get(peer)?.timer)
    waiting.delete(peer)
  }
  secure.on('secureConnection', (socket: TLSSocket) => {
    leave(peerOf(socket))
    enter(socket)
  })
  secure.on('tlsClientError', (_error, socket) => socket.destroy())

  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    waiting.set(peer, { socket, timer: setTimeout(() => socket.destroy(), HANDSHAKE_MS).unref() })
    if (waiting.size > MAX_HANDSHAKES) waiting.values().next().value!.socket.destroy()
    socket.on('error', () => socket.destroy()).once('close', () => leave(peer))
    onFirstByte(socket, (byte) => {
      if (byte === HANDSHAKE_BYTE) {
        onHandshake(socket)
        socket.allowHalfOpen = false // who has gone in the middle of a handshake is not waited for
        secure.emit('connection', socket)
        return
      }
      leave(peer)
      if (isOwn(socket)) enter(socket)
      else refuse(socket)
      socket.resume()
    })
  })
  return {
    refresh: () => secure.setSecureContext(tlsOptions(certificate)),
    cutAll: () => [...waiting.values()].forEach(({ socket }) => socket.destroy()),
  }
}

interface Waiting {
  socket: Socket
  timer: NodeJS.Timeout
}

/** What a connection and the TLS in it have in common. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

function tlsOptions(certificate: Certificate) {
  const files = certificate.files()
  const mutual = files.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  // no HTTP/2: a WebSocket wants 1.1
  return {
    ...files,
    ...mutual,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_MS,
  } as const
}

/** Tells the first byte and puts it back; the socket is paused then (TLS reads it on its own). */
function onFirstByte(socket: Socket, listener: (byte: number) => void): void {
  socket.once('data', (chunk: Buffer) => {
    socket.pause()
    socket.unshift(chunk)
    listener(chunk[0]!)
  })
}

/** It comes from this machine: by loopback, or from the very address that it goes to. */
function isOwn({ remoteAddress = '', localAddress }: Socket): boolean {
  const plain = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  return plain === '::1' || plain.startsWith('127.') || (plain !== '' && remoteAddress === localAddress)
}

function refuse(socket: Socket): void {
  const error = new ShellphoneError(
    'TLS_REQUIRED',
    'From another machine this service speaks HTTPS alone (setting tls)',
  )
  const body = JSON.stringify(error.toBody())
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
