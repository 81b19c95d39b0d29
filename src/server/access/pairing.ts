import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { type NewToken, OWNER, ShellphoneError, toIso, type TokenInput, type Who } from '../../shared/schema/index.ts'
import type { Tokens } from './tokens.ts'

/** A code is good for so long, and for so many wrong tries by anybody. */
const CODE_MS = 5 * 60_000
const MAX_TRIES = 5
/** Crockford's base 32 without U: nothing that is read or typed as something else. 8 of them are 40 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8

export interface Pairing {
  /** A new code, which takes the place of the one before; `rights` is what the token will be. FORBIDDEN: `maker` has less itself. */
  open(rights: Omit<TokenInput, 'name'>, maker?: Who): { code: string; expires_at: string }
  /** Trades the code for a token, once. UNAUTHORIZED for every code that does not hold; CONFLICT where the name is taken: the code goes on. */
  redeem(code: string, name: string): NewToken
}

interface PairingOffer {
  digest: Buffer
  rights: Omit<TokenInput, 'name'>
  maker: Who
  expiresMs: number
  triesLeft: number
}

/** One code at a time: whoever pairs stands at the phone. */
export function createPairing(tokens: Tokens, now = Date.now): Pairing {
  let offer: PairingOffer | null = null
  return {
    open(rights, maker = OWNER) {
      tokens.bound(rights, maker)
      const code = newCode()
      offer = { digest: digestOf(code), rights, maker, expiresMs: now() + CODE_MS, triesLeft: MAX_TRIES }
      return { code, expires_at: toIso(offer.expiresMs) }
    },
    redeem(code, name) {
      if (!offer || offer.expiresMs <= now()) throw wrongCode()
      if (!timingSafeEqual(digestOf(code), offer.digest)) {
        offer.triesLeft -= 1
        if (offer.triesLeft === 0) offer = null
        throw wrongCode()
      }
      const made = tokens.create({ ...offer.rights, name }, offer.maker)
      offer = null
      return made
    },
  }
}

const wrongCode = () =>
  new ShellphoneError('UNAUTHORIZED', 'The code is wrong, used or expired; run shellphone pair for a new one')

function newCode() {
  const signs = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!)
  return `${signs.slice(0, 4).join('')}-${signs.slice(4).join('')}`
}

/** As people type it: in small letters, with or without the hyphen, o for 0, i and l for 1. */
function digestOf(code: string) {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return createHash('sha256').update(plain).digest()
}
