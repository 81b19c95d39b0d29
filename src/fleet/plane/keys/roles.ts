import { hash, randomBytes } from 'node:crypto'
import {
  FLEET_NAME,
  nameMeaning,
  shown,
  invalid,
  parseSelector,
  type Selector,
  ShellphoneError,
  toIso,
} from '../../../shared/schema/index.ts'
import { type PlaneRole, planeRoles } from '../plane-types.ts'
import type { PlaneFile } from '../plane-file.ts'
import type { FleetRegistry, TokenRow } from '../broker/registry.ts'

/** The user of a token: name, role, and the phones that the token can reach. */
export interface PlaneUser {
  name: string
  role: PlaneRole
  selector: Selector
}

export interface Roles {
  /** Returns null if the token is unknown or revoked. */
  find(token: string): PlaneUser | null
  list(): TokenRow[]
  /** Creates a token and returns it in plaintext, only this once, also in a link for `shellphone remote add`. Throws VALIDATION_ERROR, also for an admin of only some phones, and CONFLICT if the name is taken. */
  create(input: { name: string; role: PlaneRole; select: string }): Promise<TokenRow & { token: string; link: string }>
  /** Throws NOT_FOUND. */
  revoke(name: string): Promise<void>
}

/** The maximum number of tokens. */
const MAX_TOKENS = 10_000
const OWNER = 'owner'

export const sha256 = (text: string): string => hash('sha256', text)
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Manages the tokens of the fleet, which are stored as SHA-256 and valid on every plane. The admin token in plane.json needs no entry. */
export function createRoles(registry: FleetRegistry, plane: PlaneFile, brokerNow: () => number): Roles {
  const ownersDigest = sha256(plane.token)
  const digestOf = (name: string) => [...registry.tokens].find(([, row]) => row.name === name)?.[0]
  return {
    find(token) {
      const digest = sha256(token)
      if (digest === ownersDigest) return { name: OWNER, role: 'admin', selector: [] }
      const row = registry.tokens.get(digest)
      return row === undefined ? null : { name: row.name, role: row.role, selector: parseSelector(row.select) }
    },
    list: () => [...registry.tokens.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    async create({ name, role, select }) {
      if (!FLEET_NAME.test(name) || name === OWNER) {
        throw invalid(`name: expected ${nameMeaning(FLEET_NAME.source)}, not ${OWNER}, got ${shown(name)}`, 'name')
      }
      if (parseSelector(select).length > 0 && role === 'admin') {
        throw invalid(
          `select: expected * for the role admin, which manages all phones and tokens, got ${shown(select)}`,
          'select',
        )
      }
      if (digestOf(name) !== undefined) {
        throw new ShellphoneError('CONFLICT', `A token with the name ${name} already exists; revoke it first`, {
          field: 'name',
        })
      }
      if (registry.tokens.size >= MAX_TOKENS)
        throw new ShellphoneError('CONFLICT', `There are already ${MAX_TOKENS} tokens, the maximum`)
      const token = newSecret()
      const row = { name, role, select, created_at: toIso(brokerNow()) }
      await registry.putToken(sha256(token), row)
      return { ...row, token, link: `${plane.url}/#token=${token}` }
    },
    async revoke(name) {
      const digest = digestOf(name)
      if (digest === undefined) throw new ShellphoneError('NOT_FOUND', `No token has the name ${name}`)
      await registry.removeToken(digest)
    },
  }
}

/** Throws FORBIDDEN if the caller's role is below `least`, or if `least` is admin and the token reaches only some phones: it could create one that reaches all. */
export function mustBe(least: PlaneRole, { name, role, selector }: PlaneUser): void {
  if (least === 'admin' && role === 'admin' && selector.length > 0) {
    throw new ShellphoneError(
      'FORBIDDEN',
      `This needs an admin token for all phones; ${name} reaches only some of them`,
    )
  }
  if (planeRoles.indexOf(role) >= planeRoles.indexOf(least)) return
  throw new ShellphoneError('FORBIDDEN', `This needs a token with the role ${least}; ${name} has the role ${role}`)
}
