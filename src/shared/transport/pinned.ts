import { createHash, X509Certificate } from 'node:crypto'
import https from 'node:https'
import { connect as connectTls, type TLSSocket } from 'node:tls'

/** An agent that connects only to a peer with this key. The peer's certificate may change, its key may not. */
export function pinnedAgent(key: string): https.Agent {
  const agent = new https.Agent({ keepAlive: true })
  agent.createConnection = (options, done) => {
    const socket = connectTls({ ...(options as object), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    socket.once('error', (error) => done?.(error, socket))
    socket.once('secureConnect', () => {
      if (keyOf(socket) === key) return done?.(null, socket)
      socket.destroy()
      const wrong = new Error('its key is not the one that was paired')
      done?.(Object.assign(wrong, { code: 'WRONG_KEY' }), socket)
    })
    return undefined
  }
  return agent
}

/** base64url of the SHA-256 of the peer's public key. */
function keyOf(socket: TLSSocket): string {
  const { publicKey } = new X509Certificate(socket.getPeerCertificate().raw)
  return createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
}
