import { isIP } from 'node:net'
import { ShellphoneError, toIso, type TokenInput, DEFAULT_RIGHTS } from '../../shared/schema/index.ts'
import { networkOf } from './networks.ts'
import { DAY_MS } from './token-expiry.ts'
import type { TokenRow } from './token-rows.ts'

/** The values of each right, from least to most; an unlisted value ranks below all of them. */
const orders = {
  approves: ['none', 'own', 'all'],
  read: ['own', 'all'],
  shell: [false, true],
  files: ['none', 'read', 'write'],
  instant_answers: [false, true],
  policy: ['strict', 'supervised', 'guarded', null],
} as const
type Ordered = keyof typeof orders
const names = Object.keys(orders) as Ordered[]

const rank = (name: Ordered, value: unknown) =>
  (orders[name] as readonly unknown[]).indexOf(name === 'policy' && value === 'open' ? null : value)

type Rights = Omit<TokenInput, 'name'>

/** Fills in omitted rights so that they never exceed those of the token's maker. Throws FORBIDDEN if an explicit one does. */
export function withinMaker<Input extends Rights>(input: Input, maker: TokenRow, nowMs: number): Input {
  const usual = Object.fromEntries(
    names.map((name) => {
      const value = DEFAULT_RIGHTS[name]
      return [name, rank(name, value) > rank(name, maker[name]) ? maker[name] : value]
    }),
  )
  const leftDays = maker.expires_at === null ? null : (Date.parse(maker.expires_at) - nowMs) / DAY_MS
  const filled: Input = {
    ...usual,
    ...(leftDays === null ? {} : { expires_in_days: leftDays }),
    ...input,
    addresses: input.addresses?.length ? input.addresses : maker.addresses,
  }
  const { expires_in_days: days } = filled
  refuseMore({ ...filled, expires_at: days === undefined ? null : toIso(Math.round(nowMs + days * DAY_MS)) }, maker)
  return filled
}

/** Throws FORBIDDEN if these rights exceed the maker's. `maker` null: the maker has no limits. */
export function refuseMore(
  wanted: Omit<Rights, 'idle_days'> & { expires_at: string | null },
  maker: TokenRow | null,
): void {
  if (maker === null) return
  for (const name of names) {
    if (rank(name, wanted[name]) > rank(name, maker[name])) throw tooMuch(name, maker[name], wanted[name])
  }
  for (const text of wanted.addresses ?? []) {
    if (maker.addresses.length > 0 && !maker.addresses.some((own) => isWithinNetwork(text, own))) {
      throw tooMuch('addresses', maker.addresses, text)
    }
  }
  const isBound = (wanted.addresses ?? []).length > 0 || maker.addresses.length === 0
  if (!isBound) throw tooMuch('addresses', maker.addresses, [])
  if (maker.expires_at === null) return
  const endsInTime = wanted.expires_at !== null && Date.parse(wanted.expires_at) <= Date.parse(maker.expires_at)
  if (!endsInTime) throw tooMuch('expires_in_days', maker.expires_at, wanted.expires_at)
}

function isWithinNetwork(text: string, own: string): boolean {
  const [address = '', bits] = text.split('/')
  const [, ownBits] = own.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const whole = family === 'ipv6' ? 128 : 32
  return networkOf(own).check(address, family) && Number(bits ?? whole) >= Number(ownBits ?? whole)
}

const tooMuch = (field: string, most: unknown, got: unknown) =>
  new ShellphoneError(
    'FORBIDDEN',
    `${field}: expected at most ${JSON.stringify(most)}, the right of the token that creates it, got ${JSON.stringify(got)}`,
    { field },
  )
