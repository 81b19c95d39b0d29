import { randomBytes } from 'node:crypto'
import { ShellphoneError } from '../../shared/schema/index.ts'

/** Makes each signed call good once, and for minutes, by no clock but this device's monotonic one. */
export interface Nonces {
  /** What calls must name from now on. */
  current(): string
  /** Throws UNAUTHORIZED for a nonce that does not hold, or a call that came before. `call`: the id that its sender gave it. */
  take(nonce: string | undefined, call: string): void
}

/** A nonce holds for this long, and once more while the next one is new. */
const NONCE_MS = 300_000
/** Calls of one nonce that are remembered; then the next one is made. */
const MAX_CALLS = 10_000

interface Nonce {
  text: string
  madeMs: number
  calls: Set<string>
}

/** They end with the service: a call that was signed for an earlier start is refused. */
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
      if (!nonce) throw refused('expected the one of this device, which its answers name')
      if (nonce.calls.has(call)) throw refused('this call came before')
      nonce.calls.add(call)
    },
  }
}

const refused = (why: string) => new ShellphoneError('UNAUTHORIZED', `nonce: ${why}`)
