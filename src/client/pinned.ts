import { createHash, X509Certificate } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { ClientError, refused, unreachable } from './connect.ts'

/** Where a phone is, what its public key must be, and who asks. */
export interface Peer {
  url: string
  /** base64url of the SHA-256 of the public key; null: plain HTTP, or whom the system trusts */
  key: string | null
  token: string
}

const TIMEOUT_MS = 10_000

/** An agent whose connections are handed over only after the peer has shown the key: a certificate may change, its key may not. */
export function pinnedAgent({ url, key }: Peer): http.Agent {
  if (url.startsWith('http:')) return new http.Agent({ keepAlive: true })
  if (key === null) return new https.Agent({ keepAlive: true })
  const agent = new https.Agent({ keepAlive: true })
  agent.createConnection = (options, done) => {
    const socket = connectTls({ ...(options as object), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    socket.once('error', (error) => done?.(error, socket))
    socket.once('secureConnect', () => {
      if (keyOf(socket) === key) return done?.(null, socket)
      socket.destroy()
      done?.(new Error('it shows another key than the one that was paired'), socket)
    })
    return undefined
  }
  return agent
}

function keyOf(socket: TLSSocket): string {
  const { publicKey } = new X509Certificate(socket.getPeerCertificate().raw)
  return createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
}

/** One JSON request; throws ClientError for everything but success. */
export async function requestOnce(peer: Peer, method: string, path: string, body?: object): Promise<unknown> {
  const agent = pinnedAgent(peer)
  const { status, text } = await send(peer, agent, method, path, body).catch((error: Error) => {
    throw unreachable(peer.url, error)
  })
  agent.destroy()
  if (status >= 400) throw refused(status, text)
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    throw new ClientError(`${peer.url}: expected the answer of a shellphone, got something else`)
  }
}

function send({ url, token }: Peer, agent: http.Agent, method: string, path: string, body?: object) {
  const { request } = url.startsWith('http:') ? http : https
  const headers = {
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(url + path, { method, headers, agent, timeout: TIMEOUT_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.once('end', () => resolve({ status: response.statusCode!, text })).once('error', reject)
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer within 10 s'))).once('error', reject)
    asked.end(body ? JSON.stringify(body) : undefined)
  })
}
