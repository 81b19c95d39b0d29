import { randomBytes } from 'node:crypto'
import { ShellphoneError } from '../../shared/schema/index.ts'

/** Makes each signed call valid only once, for up to ten minutes of this device's monotonic clock. */
export interface Nonces {
  /** Returns the nonce that later calls must name. */
  current(): string
  /** Accepts a call. Throws UNAUTHORIZED for an expired or unknown nonce, or a repeated call. `call`: the id that the sender chose. */
  take(nonce: string | undefined, call: string): void
}

/** A nonce is current for this long. After a new nonce replaces it, it stays valid for the same time. */
const NONCE_MS = 300_000
/** The maximum number of calls of a nonce, because each of them is remembered. A new nonce then replaces it. */
const MAX_CALLS = 10_000

interface Nonce {
  text: string
  madeMs: number
  calls: Set<string>
}

/** Creates new nonces at each start of the service, so that a call for an earlier start is rejected. */
export function createNonces(nowMs = () => performance.now()): Nonces {
  const make = (): Nonce => ({ text: randomBytes(12).toString('hex'), madeMs: nowMs(), calls: new Set() })
  let [newest, older]: [Nonce, Nonce | null] = [make(), null]
  const renew = () => {
    const ageMs = nowMs() - newest.madeMs
    if (ageMs < NONCE_MS && newest.calls.size < MAX_CALLS) return
    older = ageMs < 2 * NONCE_MS ? newest : null
    newest = make()
  }
  return {
    current() {
      renew()
      return newest.text
    },
    take(text, call) {
      renew()
      const nonce = [newest, older].find((one) => one?.text === text)
      if (!nonce) throw refused('expected the nonce from the last response of this device')
      if (nonce.calls.has(call)) throw refused('this call was already received')
      nonce.calls.add(call)
    },
  }
}

const refused = (why: string) => new ShellphoneError('UNAUTHORIZED', `nonce: ${why}`)
