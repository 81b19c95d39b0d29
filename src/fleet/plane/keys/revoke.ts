import { connect, jwtAuthenticator } from '@nats-io/transport-node'
import { SettingError } from '../../../shared/schema/index.ts'
import type { Offline } from './init.ts'
import { revoke, systemUser } from './fleet-keys.ts'

const REPLY_TIMEOUT_MS = 10_000
const UPDATE = '$SYS.REQ.CLAIMS.UPDATE'

/** Revokes a public key on every broker at once. Resolves with the new content of the offline file. Throws SettingError if the broker refuses. */
export async function revokeKey(
  { keys, tokens }: Offline,
  publicKey: string,
  { servers, ca }: { servers: string[]; ca: string | null },
): Promise<Offline> {
  const account = await revoke(tokens.account, keys.operator, publicKey)
  const { jwt, seed } = await systemUser(keys)
  const isTls = servers.some((url) => url.startsWith('tls://'))
  const nc = await connect({
    ...{ servers, authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)), reconnect: false },
    ...(isTls && { tls: { handshakeFirst: true, ...(ca !== null && { ca }) } }),
  })
  try {
    const answer = (await nc.request(UPDATE, account, { timeout: REPLY_TIMEOUT_MS })).json<{
      error?: { description: string }
    }>()
    if (answer.error) throw new SettingError(`fleet revoke: the broker refused the change: ${answer.error.description}`)
  } finally {
    await nc.close()
  }
  return { keys, tokens: { ...tokens, account } }
}
