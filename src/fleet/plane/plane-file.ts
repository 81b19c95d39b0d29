import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { firstError, UsageError } from '../../shared/schema/index.ts'

/** DIRECTORY/plane.json (mode 0600), which `fleet init` writes. Every control plane of a fleet uses the same file. */
export const PlaneFile = Type.Object(
  {
    /** the address at which phones reach the control planes */
    url: Type.String({ pattern: '^https?://' }),
    /** the brokers: nats://…, or tls://… for TLS from the first byte */
    servers: Type.Array(Type.String({ pattern: '^(nats|tls)://' }), { minItems: 1, maxItems: 16 }),
    /** PEM; null: a public certificate authority, or plain TCP */
    ca: Type.Union([Type.String(), Type.Null()]),
    /** the public key of the fleet's account */
    account: Type.String(),
    /** the plane's own credentials for the broker: `jwt` and `seed` */
    jwt: Type.String(),
    seed: Type.String(),
    /** signs the credentials of new phones */
    phone_role_seed: Type.String(),
    /** PEM, Ed25519: signs the calls to phones */
    signer: Type.String(),
    /** SPKI, base64: the public keys that phones receive when they join, including the key of `signer` */
    plane_keys: Type.Array(Type.String(), { minItems: 1, maxItems: 8 }),
    /** the owner's token, with the role admin */
    token: Type.String({ minLength: 32 }),
  },
  { additionalProperties: false },
)
export type PlaneFile = Static<typeof PlaneFile>

export const PLANE_FILE = 'plane.json'

/** Throws UsageError if the file is missing or invalid. */
export function readPlaneFile(directory: string): PlaneFile {
  const file = join(directory, PLANE_FILE)
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? ' does not exist' : `: ${message}`
    throw new UsageError(`setting plane_directory: ${file}${problem}; create it with shellphone fleet init`)
  }
  const fault = firstError(PlaneFile, value)
  if (fault === null) return value as PlaneFile
  throw new UsageError(`${file}: ${fault.message}`)
}
