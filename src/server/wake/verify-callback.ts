import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../shared/async/index.ts'
import type { PostResponse } from './guarded-post.ts'
import type { Post } from './send-deliveries.ts'
import { signedHeaders } from './sign-webhook.ts'

const VERIFY_MS = 10_000
/** The response repeats the challenge, in JSON. */
const MAX_RESPONSE_BYTES = 4096
/** Maximum number of concurrent verifications. */
const MAX_OPEN = 8
/** Maximum number of verifications at one host in a minute, so that nobody can flood it. */
const MAX_OF_HOST = 30
const MINUTE_MS = 60_000

/** Why a callback cannot receive events, in the words of MCP Events. */
export type CallbackFault =
  | 'connection_refused'
  | 'timeout'
  | 'tls_error'
  | 'http_4xx'
  | 'http_5xx'
  | 'challenge_failed'

/** The limit that a verification would exceed. */
interface VerifyLimit {
  limit: 'verifications' | 'verifications_per_minute'
  max: number
}

interface VerifierParts {
  post: Post
  clock: Clock
  now(): number
}

/** Asks a callback to repeat a challenge, which proves that it wants the events of a subscription. Resolves with null if it does. */
type Verify = (
  url: string,
  secret: string,
  subscription: string,
) => Promise<{ fault: CallbackFault } | VerifyLimit | null>

export function createVerifier(parts: VerifierParts): Verify {
  const times = new Map<string, number[]>() // when verifications of the last minute began, by host
  let open = 0
  const limitOf = (host: string): VerifyLimit | null => {
    const now = parts.now()
    for (const [name, all] of times) if (all.every((at) => at <= now - MINUTE_MS)) times.delete(name)
    const recent = (times.get(host) ?? []).filter((at) => at > now - MINUTE_MS)
    if (open >= MAX_OPEN) return { limit: 'verifications', max: MAX_OPEN }
    if (recent.length >= MAX_OF_HOST) return { limit: 'verifications_per_minute', max: MAX_OF_HOST }
    times.set(host, [...recent, now])
    return null
  }
  return async (url, secret, subscription) => {
    const limit = limitOf(new URL(url).host)
    if (limit) return limit
    open++
    try {
      const fault = await challenge(url, secret, subscription, parts)
      return fault && { fault }
    } finally {
      open--
    }
  }
}

/** Never rejects. */
async function challenge(
  url: string,
  secret: string,
  subscription: string,
  { post, clock, now }: VerifierParts,
): Promise<CallbackFault | null> {
  const abort = new AbortController()
  const late = clock.startTimer(() => abort.abort(), VERIFY_MS)
  const nonce = randomBytes(32).toString('base64url')
  const body = JSON.stringify({ type: 'verification', challenge: nonce })
  const id = `msg_verification_${randomBytes(16).toString('hex')}`
  const headers = { ...signedHeaders(id, now(), body, [secret]), 'x-mcp-subscription-id': subscription }
  try {
    return faultOf(await post(url, { headers, body, readBytes: MAX_RESPONSE_BYTES }, abort.signal), nonce)
  } catch (error) {
    if (abort.signal.aborted) return 'timeout'
    const { code = '' } = error as NodeJS.ErrnoException
    return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_)|SELF_SIGNED|EPROTO/.test(code) ? 'tls_error' : 'connection_refused'
  } finally {
    late.stop()
  }
}

function faultOf({ status, text }: PostResponse, nonce: string): CallbackFault | null {
  if (status >= 500) return 'http_5xx'
  if (status >= 400) return 'http_4xx'
  return status >= 200 && status < 300 && isEqual(challengeIn(text), nonce) ? null : 'challenge_failed'
}

function challengeIn(text: string | null): string {
  try {
    const { challenge: value } = JSON.parse(text ?? '')
    return typeof value === 'string' ? value : ''
  } catch {
    return '' // no JSON, or not an object
  }
}

/** Takes the same time wherever they differ. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
