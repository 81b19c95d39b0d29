import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { type NewToken, OWNER, ShellphoneError, toIso, type TokenInput, type Who } from '../../shared/schema/index.ts'
import type { Tokens } from './tokens.ts'

/** How long a code is valid, and how many wrong attempts, by all clients together, invalidate it. */
const CODE_MS = 5 * 60_000
const MAX_TRIES = 5
/** The token of a paired device expires after this long without use, because people forget to revoke the tokens of old devices. */
const IDLE_DAYS = 90
/** Crockford's base 32, which omits characters that people confuse. 8 characters have 40 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8

export interface Pairing {
  /** Creates a code, which replaces the previous one; the token will have these `rights`. Throws FORBIDDEN if `maker` has fewer rights. */
  open(rights: Omit<TokenInput, 'name'>, maker?: Who): { code: string; expires_at: string }
  /** Exchanges the code for a token, once. Throws UNAUTHORIZED for every invalid code, and CONFLICT if the name is taken; the code then stays valid. */
  redeem(code: string, name: string): NewToken
}

interface PairingOffer {
  digest: Buffer
  rights: Omit<TokenInput, 'name'>
  maker: Who
  expiresMs: number
  triesLeft: number
}

/** Only one code is valid at a time: the person who pairs a device has the phone at hand. */
export function createPairing(tokens: Tokens, now = Date.now): Pairing {
  let offer: PairingOffer | null = null
  return {
    open(rights, maker = OWNER) {
      tokens.bound(rights, maker)
      const isLimited = rights.expires_in_days !== undefined || rights.idle_days !== undefined
      const code = newCode()
      offer = {
        digest: digestOf(code),
        rights: isLimited ? rights : { ...rights, idle_days: IDLE_DAYS },
        maker,
        expiresMs: now() + CODE_MS,
        triesLeft: MAX_TRIES,
      }
      return { code, expires_at: toIso(offer.expiresMs) }
    },
    redeem(code, name) {
      if (!offer || offer.expiresMs <= now()) throw wrongCode()
      if (!timingSafeEqual(digestOf(code), offer.digest)) {
        offer.triesLeft -= 1
        if (offer.triesLeft === 0) offer = null
        throw wrongCode()
      }
      const token = tokens.create({ ...offer.rights, name }, offer.maker)
      offer = null
      return token
    },
  }
}

const wrongCode = () =>
  new ShellphoneError('UNAUTHORIZED', 'The code is wrong, already used, or expired; run shellphone pair for a new one')

function newCode() {
  const characters = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!)
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`
}

/** People may type a code in lower case, with or without the hyphen, with o for 0, and with i or l for 1. */
function digestOf(code: string) {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return createHash('sha256').update(plain).digest()
}
