import { randomBytes } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import {
  type EnrolReply,
  type EnrolRequest,
  firstError,
  FLEET_NAME,
  nameMeaning,
  shown,
  invalid,
  LABEL,
  ShellphoneError,
  toIso,
  toLabels,
} from '../../../shared/schema/index.ts'
import { signUser } from './fleet-keys.ts'
import type { PlaneFile } from '../plane-file.ts'
import type { FleetRegistry } from '../broker/registry.ts'
import { sha256 } from './roles.ts'

/** How long an invitation is valid. It works once. */
const INVITE_MS = 15 * 60_000
const INVITE_BYTES = 16

/** An invitation, which the registry stores under the key `invite.SHA256`. */
const Invite = Type.Object({
  name: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  expires_at: Type.String(),
})
type Invite = Static<typeof Invite>

export interface Invites {
  /** Creates an invitation. Throws VALIDATION_ERROR, and CONFLICT if a phone with this name is already in the fleet. */
  open(name: string, labels: string[]): Promise<{ name: string; invite: string; link: string; expires_at: string }>
  /** Admits a phone. Throws UNAUTHORIZED if the invitation is not valid. */
  redeem(request: EnrolRequest): Promise<EnrolReply>
}

/** Creates and redeems invitations, which are 128 random bits, work once, and are valid for 15 minutes by the broker's clock. */
export function createInvites(registry: FleetRegistry, plane: PlaneFile, brokerNow: () => number): Invites {
  return {
    async open(name, labels) {
      checkName(name, labels)
      const row = registry.phones.get(name)
      if (row !== undefined && row.revoked_at === null) {
        throw new ShellphoneError(
          'CONFLICT',
          `${name} is already in the fleet; remove it with shellphone fleet revoke ${name}`,
          {
            field: 'name',
          },
        )
      }
      const invite = randomBytes(INVITE_BYTES).toString('base64url')
      const expires_at = toIso(brokerNow() + INVITE_MS)
      await registry.kv.create(keyOf(invite), JSON.stringify({ name, labels: toLabels(labels), expires_at }))
      return { name, invite, link: `${plane.url}/#i=${invite}`, expires_at }
    },
    async redeem({ invite, public_key }) {
      const { name, labels } = await useInvite(registry, invite, brokerNow())
      const { account, phone_role_seed: roleSeed } = plane
      const jwt = await signUser({ role: 'phone', name, publicKey: public_key }, { roleSeed, account })
      const enrolled_at = toIso(brokerNow())
      const none = { last_seen: null, revoked_at: null, conflict_since: null }
      await registry.putPhone(name, { public_key, labels, enrolled_at, ...none })
      return { name, jwt, servers: plane.servers, ca: plane.ca, plane_keys: plane.plane_keys }
    },
  }
}

const keyOf = (invite: string) => `invite.${sha256(invite)}`

/** Deletes an invitation and returns it. The delete expects the revision that was read, so only one phone can use it. */
async function useInvite({ kv }: FleetRegistry, invite: string, nowMs: number): Promise<Invite> {
  const entry = await kv.get(keyOf(invite))
  const row: unknown = entry?.operation === 'PUT' ? entry.json() : null
  if (entry === null || firstError(Invite, row) !== null) throw refused()
  await kv.delete(entry.key, { previousSeq: entry.revision }).catch(() => {
    throw refused()
  })
  const isGood = Date.parse((row as Invite).expires_at) >= nowMs // false for an invalid date
  if (!isGood) throw refused()
  return row as Invite
}

const refused = () =>
  new ShellphoneError(
    'UNAUTHORIZED',
    'The invitation is invalid, already used, or expired; create a new one with shellphone fleet invite',
  )

function checkName(name: string, labels: string[]): void {
  if (!FLEET_NAME.test(name)) {
    const message = `name: expected ${nameMeaning(FLEET_NAME.source)}, got ${shown(name)}`
    throw invalid(message, 'name')
  }
  const wrong = labels.find((label) => !LABEL.test(label))
  if (wrong === undefined) return
  const message = `labels: expected labels like lab=berlin or arm64, got ${JSON.stringify(wrong.slice(0, 60))}`
  throw invalid(message, 'labels')
}
