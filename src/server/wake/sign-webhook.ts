import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new secret of Standard Webhooks: 32 random bytes. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/** The headers of Standard Webhooks 1.0.0: the message is signed once with each secret. `atMs`: the time of this try. */
export function signedHeaders(id: string, atMs: number, body: string, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
