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
import { FLEET_NAME, PLANE_CALLER, PRESENCE_BUCKET, SettingError } from '../../../shared/schema/index.ts'

/** Who connects to the broker: a row of `templates` says what each may. */
export type Role = 'plane' | 'agent' | 'person' | 'phone'

const SELF = '{{name()}}' // the broker puts the name of whoever connects in its place, where it is a whole token
const NO_LIMIT = -1
/** A phone may answer a call with so many messages, within so long (nanoseconds). */
const ANSWERS = { max: 512, ttl: 300_000_000_000 }
const REGISTRY = '$KV.sp_registry.>'

/** What each role may say and hear; all else is refused by the broker. */
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
    // brokers take $SRV.> for $SRV.*: who is found below $SRV proves nothing, and no plane goes by it
    sub: { allow: [`sp.call.${SELF}.>`, '$SRV.*', '$SRV.*.shellphone', `$SRV.*.shellphone.${SELF}`] },
    resp: ANSWERS,
  },
}
const roles = Object.keys(templates) as Role[]

/** Seeds. `operator`, `account` and `system` make everything else: they stay offline; whoever holds a role's key lets in that role alone. */
export interface FleetKeys {
  operator: string
  account: string
  system: string
  roles: Record<Role, string>
}

/** What the broker is told: public, signed by the operator. */
export interface FleetTokens {
  operator: string
  account: string
  system: string
}

/** A user's nkey: the seed never leaves whoever makes it. */
export interface Identity {
  seed: string
  publicKey: string
}

const seedOf = (pair: { getSeed(): Uint8Array }) => new TextDecoder().decode(pair.getSeed())
const pairOf = (seed: string) => fromSeed(new TextEncoder().encode(seed))
/** The public half of a seed. */
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

/** The account without limits of its own: where it says none, the broker takes 0. */
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

/** Operator, the fleet's account with a scoped key for each role, and the system account, through which accounts are updated. */
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

/** Lets in whoever holds the seed of `publicKey`, in this role and by this name, until it is revoked. `account`: its public key. */
export async function signUser(
  { role, name, publicKey }: { role: Role; name: string; publicKey: string },
  { roleSeed, account }: { roleSeed: string; account: string },
): Promise<string> {
  if (!FLEET_NAME.test(name)) {
    throw new SettingError(`name: expected up to 40 of a-z, 0-9 and -, got ${JSON.stringify(name.slice(0, 60))}`)
  }
  if ((name === PLANE_CALLER) !== (role === 'plane') && role !== 'phone') {
    throw new SettingError(`name: ${PLANE_CALLER} is reserved for control planes; got ${name} for ${role}`)
  }
  return encodeUser(name, publicKey, account, {}, { signer: pairOf(roleSeed), scopedUser: true })
}

/** A user of the system account: it hands new tokens of the fleet's account to the broker. */
export async function systemUser(keys: Pick<FleetKeys, 'system'>): Promise<Identity & { jwt: string }> {
  const identity = makeIdentity()
  const everything = { pub: { allow: ['>'] }, sub: { allow: ['>'] } }
  return { ...identity, jwt: await encodeUser('system', identity.publicKey, pairOf(keys.system), everything) }
}

/** The account's token with one key more that lets nobody in: what was signed for it until `now` ends, at once, when the broker hears. */
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
