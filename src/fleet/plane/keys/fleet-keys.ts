import {
  createAccount,
  createOperator,
  createUser,
  decode,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fromSeed,
  newScopedSigner,
  type Account,
  type Permissions,
} from '@nats-io/jwt'
import {
  FLEET_NAME,
  nameMeaning,
  PLANE_CALLER,
  PRESENCE_BUCKET,
  SettingError,
  shown,
} from '../../../shared/schema/index.ts'

/** The roles of the broker's users; `templates` lists the rights of each. */
export type Role = 'plane' | 'agent' | 'person' | 'phone'

const SELF = '{{name()}}' // the broker replaces this with the user's name; it must be a whole token of a subject
const NO_LIMIT = -1
/** The maximum number of messages in a phone's reply to a call, and the time limit in nanoseconds. */
const REPLY_LIMITS = { max: 512, ttl: 300_000_000_000 }
const REGISTRY = '$KV.sp_registry.>'

/** The subjects that each role may publish and subscribe to. The broker refuses all others. */
const templates: Record<Role, Permissions> = {
  plane: {
    pub: {
      allow: [`sp.call.*.*.${SELF}`, 'sp.job.>', 'sp.work.>', `$KV.${PRESENCE_BUCKET}.>`, REGISTRY, '$JS.>', '$SRV.>'],
    },
    sub: { allow: [`_INBOX.${SELF}.>`, 'sp.up.>', 'sp.job.>', 'sp.work.>', `$KV.${PRESENCE_BUCKET}.>`, REGISTRY] },
  },
  agent: {
    pub: { allow: [`sp.call.*.run.${SELF}`, `sp.call.*.read.${SELF}`] },
    sub: { allow: [`_INBOX.${SELF}.>`] },
  },
  person: {
    pub: { allow: [`sp.call.*.*.${SELF}`, '$SRV.>'] },
    sub: { allow: [`_INBOX.${SELF}.>`] },
  },
  phone: {
    pub: { allow: [`sp.up.${SELF}`, `$KV.${PRESENCE_BUCKET}.${SELF}`] },
    // brokers treat $SRV.> like $SRV.*, so any phone can reply to $SRV, and no plane relies on such replies
    sub: { allow: [`sp.call.${SELF}.>`, '$SRV.*', '$SRV.*.shellphone', `$SRV.*.shellphone.${SELF}`] },
    resp: REPLY_LIMITS,
  },
}
const roles = Object.keys(templates) as Role[]

/** The seeds of the fleet's keys. `operator`, `account` and `system` can create all other keys, so they stay offline. The key of a role can only admit users with that role. */
export interface FleetKeys {
  operator: string
  account: string
  system: string
  roles: Record<Role, string>
}

/** The tokens in the broker's configuration. They are public, and the operator signs them. */
export interface FleetTokens {
  operator: string
  account: string
  system: string
}

/** A user's nkey. The seed never leaves the device that creates it. */
export interface Identity {
  seed: string
  publicKey: string
}

const seedOf = (pair: { getSeed(): Uint8Array }) => new TextDecoder().decode(pair.getSeed())
const pairOf = (seed: string) => fromSeed(new TextEncoder().encode(seed))
/** The public key of a seed. */
export const publicKeyOf = (seed: string) => pairOf(seed).getPublicKey()

export function makeKeys(): FleetKeys {
  const keyOf = (role: Role) => [role, seedOf(createAccount())] as const
  return {
    operator: seedOf(createOperator()),
    account: seedOf(createAccount()),
    system: seedOf(createAccount()),
    roles: Object.fromEntries(roles.map(keyOf)) as Record<Role, string>,
  }
}

export function makeIdentity(): Identity {
  const pair = createUser()
  return { seed: seedOf(pair), publicKey: pair.getPublicKey() }
}

/** Unlimited limits for the account. They must be explicit, because the broker treats a missing limit as 0. */
const limits = {
  subs: NO_LIMIT,
  data: NO_LIMIT,
  payload: NO_LIMIT,
  imports: NO_LIMIT,
  exports: NO_LIMIT,
  wildcards: true,
  conn: NO_LIMIT,
  leaf: NO_LIMIT,
}
const storage = { mem_storage: NO_LIMIT, disk_storage: NO_LIMIT, streams: NO_LIMIT, consumer: NO_LIMIT }

/** Creates the tokens of the operator, of the fleet's account (with a scoped key for each role), and of the system account, which updates accounts. */
export async function makeTokens(keys: FleetKeys, fleet: string): Promise<FleetTokens> {
  const operator = pairOf(keys.operator)
  const signing_keys = roles.map((role) => newScopedSigner(pairOf(keys.roles[role]), role, templates[role]))
  const account: Partial<Account> = { limits: { ...limits, ...storage }, signing_keys }
  return {
    operator: await encodeOperator(fleet, operator, { system_account: publicKeyOf(keys.system) }),
    account: await encodeAccount(fleet, pairOf(keys.account), account, { signer: operator }),
    system: await encodeAccount('system', pairOf(keys.system), { limits }, { signer: operator }),
  }
}

/** Creates a user's token, which admits the owner of `publicKey` with this role and name until it is revoked. `account`: the account's public key. Throws SettingError for an invalid name. */
export async function signUser(
  { role, name, publicKey }: { role: Role; name: string; publicKey: string },
  { roleSeed, account }: { roleSeed: string; account: string },
): Promise<string> {
  if (!FLEET_NAME.test(name)) {
    throw new SettingError(`name: expected ${nameMeaning(FLEET_NAME.source)}, got ${shown(name)}`)
  }
  if ((name === PLANE_CALLER) !== (role === 'plane') && role !== 'phone') {
    throw new SettingError(`name: ${PLANE_CALLER} is reserved for control planes; got ${name} for ${role}`)
  }
  return encodeUser(name, publicKey, account, {}, { signer: pairOf(roleSeed), scopedUser: true })
}

/** Creates a user of the system account, which can send new tokens of the fleet's account to the broker. */
export async function systemUser(keys: Pick<FleetKeys, 'system'>): Promise<Identity & { jwt: string }> {
  const identity = makeIdentity()
  const everything = { pub: { allow: ['>'] }, sub: { allow: ['>'] } }
  return { ...identity, jwt: await encodeUser('system', identity.publicKey, pairOf(keys.system), everything) }
}

/** Returns the account's token with `publicKey` revoked. Once the broker has this token, user tokens issued for that key until `now` (epoch milliseconds) are invalid. */
export async function revoke(
  account: string,
  operatorSeed: string,
  publicKey: string,
  now = Date.now(),
): Promise<string> {
  const { name, sub, nats } = decode<Account>(account)
  const revocations = { ...nats.revocations, [publicKey]: Math.floor(now / 1000) }
  return encodeAccount(name, sub, { ...nats, revocations }, { signer: pairOf(operatorSeed) })
}
