import { connect, jwtAuthenticator } from '@nats-io/transport-node'
import { SettingError } from '../../../shared/schema/index.ts'
import type { Offline } from './init.ts'
import { revoke, systemUser } from './fleet-keys.ts'

const ANSWER_MS = 10_000
const UPDATE = '$SYS.REQ.CLAIMS.UPDATE'

/** Ends what was signed for this key, on every broker and at once; resolves with what is to be kept offline from now on. Throws SettingError where no broker takes it. */
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
    const answer = (await nc.request(UPDATE, account, { timeout: ANSWER_MS })).json<{
      error?: { description: string }
    }>()
    if (answer.error) throw new SettingError(`fleet revoke: the broker refused it: ${answer.error.description}`)
  } finally {
    await nc.close()
  }
  return { keys, tokens: { ...tokens, account } }
}
