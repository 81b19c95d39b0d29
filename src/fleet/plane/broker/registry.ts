import { type Static, Type } from '@sinclair/typebox'
import { firstError, orNull } from '../../../shared/schema/index.ts'
import type { BrokerLink } from './broker-link.ts'
import { type Bucket, openBucket } from './bucket.ts'
import { type Log, planeRoles } from '../plane-types.ts'

const Labels = Type.Record(Type.String(), Type.String())

/** A phone of the fleet, which the registry stores under the key `phone.NAME`. Times are ISO 8601. */
export const Enrolled = Type.Object({
  public_key: Type.String(),
  /** from the invitation; the phone cannot change them */
  labels: Labels,
  enrolled_at: Type.String(),
  last_seen: orNull(Type.String()),
  revoked_at: orNull(Type.String()),
  /** when a second device with this name was detected */
  conflict_since: orNull(Type.String()),
})
export type Enrolled = Static<typeof Enrolled>

/** A token of the fleet, which the registry stores under the key `token.SHA256`. */
export const TokenRow = Type.Object({
  name: Type.String(),
  role: Type.Union(planeRoles.map((role) => Type.Literal(role))),
  /** the selector of the phones that the token can reach */
  select: Type.String(),
  created_at: Type.String(),
})
export type TokenRow = Static<typeof TokenRow>

/** The phones and tokens of the fleet, which the brokers store on disk. Each control plane has a copy in memory. */
export interface FleetRegistry {
  phones: ReadonlyMap<string, Enrolled>
  /** by the SHA-256 of the token in hexadecimal */
  tokens: ReadonlyMap<string, TokenRow>
  putPhone(name: string, row: Enrolled): Promise<void>
  putToken(sha256: string, row: TokenRow): Promise<void>
  removeToken(sha256: string): Promise<void>
  /** Calls the listener with each changed key, `phone.NAME` or `token.SHA256`, until the returned function is called. */
  onChange(listener: (key: string) => void): () => void
  kv: Bucket['kv']
  close(): void
}

const REGISTRY_BUCKET = 'sp_registry'

/** Opens the registry. Ignores unknown keys and invalid values. */
export async function openRegistry(link: BrokerLink, log: Log): Promise<FleetRegistry> {
  const phones = new Map<string, Enrolled>()
  const tokens = new Map<string, TokenRow>()
  const kinds = [
    { prefix: 'phone.', schema: Enrolled, rows: phones as Map<string, unknown> },
    { prefix: 'token.', schema: TokenRow, rows: tokens as Map<string, unknown> },
  ]
  const listeners = new Set<(key: string) => void>()
  const onChange = (key: string, value: unknown) => {
    for (const { prefix, schema, rows } of kinds) {
      if (!key.startsWith(prefix)) continue
      const name = key.slice(prefix.length)
      if (value === null) rows.delete(name)
      else if (firstError(schema, value) === null) rows.set(name, value)
    }
    for (const listener of listeners) listener(key)
  }
  const bucket = await openBucket(link, { name: REGISTRY_BUCKET, storage: 'file', onChange, log })
  return {
    phones,
    tokens,
    putPhone: (name, row) => bucket.put(`phone.${name}`, row),
    putToken: (sha256, row) => bucket.put(`token.${sha256}`, row),
    removeToken: (sha256) => bucket.remove(`token.${sha256}`),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    kv: bucket.kv,
    close: bucket.close,
  }
}
