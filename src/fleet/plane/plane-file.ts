import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { firstError, SettingError } from '../../shared/schema/index.ts'

/** What a plane is given by `fleet init`: DIRECTORY/plane.json (0600), the same for every plane of a fleet. */
export const PlaneFile = Type.Object(
  {
    /** where phones find the planes */
    url: Type.String({ pattern: '^https?://' }),
    /** the brokers: nats://…, or tls://… for TLS from the first byte on */
    servers: Type.Array(Type.String({ pattern: '^(nats|tls)://' }), { minItems: 1, maxItems: 16 }),
    /** PEM; null: a public authority, or plain TCP */
    ca: Type.Union([Type.String(), Type.Null()]),
    /** public key of the fleet's account */
    account: Type.String(),
    /** the plane's own way in */
    jwt: Type.String(),
    seed: Type.String(),
    /** lets phones in */
    phone_role_seed: Type.String(),
    /** PEM, Ed25519: signs what phones are asked */
    signer: Type.String(),
    /** SPKI, base64: what phones are told at their enrolment, this one's among them */
    plane_keys: Type.Array(Type.String(), { minItems: 1, maxItems: 8 }),
    /** an admin's */
    token: Type.String({ minLength: 32 }),
  },
  { additionalProperties: false },
)
export type PlaneFile = Static<typeof PlaneFile>

export const PLANE_FILE = 'plane.json'

/** Throws SettingError where there is none, or what is there is none. */
export function readPlaneFile(directory: string): PlaneFile {
  const file = join(directory, PLANE_FILE)
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new SettingError(
      `setting plane_directory: ${file}: ${(error as Error).message}; shellphone fleet init makes one`,
    )
  }
  const fault = firstError(PlaneFile, value)
  if (fault === null) return value as PlaneFile
  throw new SettingError(`${file}: ${fault.message}`)
}
