import { buffer } from 'node:stream/consumers'
import { nkeys } from '@nats-io/transport-node'
import {
  check,
  EnrolReply,
  FLEET_FILE,
  type FleetFile,
  NoResponseError,
  SettingError,
  UsageError,
} from '../../shared/schema/index.ts'
import { exchange, pinnedAgent } from '../../shared/transport/index.ts'
import { homeId } from './home-id.ts'

/** The timeout of an enrolment request. */
const REQUEST_TIMEOUT_MS = 30_000

/** The file in this home that stores the phone's fleet membership. */
interface MembershipFile {
  read(): string | null
  write(text: string): void
  remove(): void
}

interface Invitation {
  plane: string
  invite: string
  /** base64url of the SHA-256 of the control plane's public key; null: verify its certificate with the system's authorities */
  key: string | null
}

/** Exchanges an invitation for a fleet membership. The seed of the new identity never leaves this home. Throws SettingError. */
export async function join(
  link: string,
  { directory, file, version }: { directory: string; file: MembershipFile; version: string },
): Promise<FleetFile> {
  const invitation = readLink(link)
  const known = file.read()
  if (known !== null) {
    throw new SettingError(`fleet join: this phone is already in a fleet (${FLEET_FILE}); leave it first`)
  }
  const identity = nkeys.createUser()
  const request = { invite: invitation.invite, public_key: identity.getPublicKey(), home: homeId(directory), version }
  const membership: FleetFile = {
    ...(await enrol(invitation, request)),
    seed: new TextDecoder().decode(identity.getSeed()),
    plane: invitation.plane,
  }
  file.write(`${JSON.stringify(membership, null, 2)}\n`)
  return membership
}

/** Removes the membership, so that a running service disconnects at once. Throws SettingError if the phone is not in a fleet. */
export function leave(file: MembershipFile): void {
  if (file.read() === null) throw new SettingError(`fleet leave: this phone is not in a fleet (no ${FLEET_FILE})`)
  file.remove()
}

function readLink(link: string): Invitation {
  try {
    const { origin, hash, protocol, hostname } = new URL(link)
    const fragment = new URLSearchParams(hash.slice(1))
    const [invite, key] = [fragment.get('i'), fragment.get('key')]
    const isSafe =
      protocol === 'https:' || (protocol === 'http:' && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname))
    if (isSafe && /^[A-Za-z0-9_-]{22}$/.test(invite ?? '')) return { plane: origin, invite: invite!, key }
  } catch {
    // the error below covers it
  }
  throw new UsageError(
    "fleet join: expected a link from shellphone fleet invite, in quotes: 'https://…/#i=…'; see shellphone fleet join --help",
  )
}

async function enrol({ plane, key }: Invitation, body: object): Promise<EnrolReply> {
  const agent = key === null || plane.startsWith('http:') ? undefined : pinnedAgent(key)
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    const request = { method: 'POST', path: '/enrol', body, signal }
    const answer = await exchange({ url: plane, headers: {}, agent }, request).catch((error) => {
      const advice = 'Is the control plane running, and can this machine reach it?'
      throw new NoResponseError(`fleet join: no response from ${plane} (${error.message || error.code}). ${advice}`)
    })
    const reply: unknown = JSON.parse((await buffer(answer)).toString())
    if (answer.statusCode === 200) return check(EnrolReply, reply)
    throw new Error((reply as { error?: { message?: string } }).error?.message ?? `HTTP ${answer.statusCode}`)
  } catch (error) {
    if (error instanceof NoResponseError) throw error
    throw new SettingError(`fleet join: ${plane}: ${(error as Error).message}`)
  } finally {
    agent?.destroy()
  }
}
