import { createHash, generateKeyPairSync, hash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { locateService } from '../../../src/cli/subcommands/locate-service.ts'
import { openMembership } from '../../../src/cli/serve/open-membership.ts'
import { createAccessLog, createTokens, ownCertificate, openCertificate } from '../../../src/server/access/index.ts'
import { makeCertificate } from '../../../src/server/access/make-certificate.ts'
import { createUploads } from '../../../src/server/files/index.ts'
import type { MembershipParts } from '../../../src/server/fleet-membership.ts'
import { privateFile, openHome } from '../../../src/server/host/index.ts'
import { FORMAT_TEXT } from '../../../src/server/host/home-format.ts'
import { createReload } from '../../../src/server/reload.ts'
import { readConfig, valuesOf } from '../../../src/server/settings.ts'
import { readStat } from '../../../src/server/spawn/index.ts'
import { Approvals } from '../../../src/server/store/index.ts'
import { createDeliveryLog } from '../../../src/server/wake/delivery-log.ts'
import { readWebhooks } from '../../../src/server/wake/webhook-rows.ts'
import { type FleetFile, temporaryName, toIso, DEFAULT_RIGHTS } from '../../../src/shared/schema/index.ts'

/** The result of reading a file at startup: its contents, warnings and log lines. */
interface Opened {
  holds: unknown
  said: string[]
}

/** A file of the home that the service reads at startup. */
interface HomeFile {
  whole: string
  /** Reads it as at startup; throws SettingError if the service would refuse to start. */
  open(home: string): Promise<Opened> | Opened
  /** Whether the contents of a cut file grant nobody more than those of the complete file. */
  isNoLess(holds: any, whole: any, cut: string): boolean
  /** Whether this cut need not be reported. */
  mayBeSilent?(cut: string): boolean
  /** For a file that may be anywhere: the setting that names it. */
  setting?: string
}

const secret = () => randomBytes(32).toString('base64url')
const isSubset = (holds: unknown[], whole: unknown[]) => {
  const known = new Set(whole.map((one) => JSON.stringify(one)))
  return holds.every((one) => known.has(JSON.stringify(one)))
}
const isSame = (holds: unknown, whole: unknown) => JSON.stringify(holds) === JSON.stringify(whole)

/** A log that stores its messages. */
function keepLog() {
  const said: string[] = []
  const log = (facts: object, sentence: string) => void said.push(`${sentence} ${JSON.stringify(facts)}`)
  return { said, log, logger: { info: log, warn: log } as unknown as Logger }
}

/** Settings that end with a number and a list: a cut can leave a smaller number or a shorter list. */
export const CONFIG = `# of this test
policy: guarded
max_length: 4096
custom_deny_patterns:
  - curl evil
  - rm -rf
timeout_seconds: 47
`

/** The secrets of two named tokens. */
export const SECRETS = [secret(), secret()]

/** A tokens.json that contains the hashes of these secrets. */
export const tokensText = (secrets: string[]): string => {
  const tokens = secrets.map((token, index) => ({
    ...DEFAULT_RIGHTS,
    id: `id-${index}`,
    name: `agent-${index}`,
    addresses: [],
    created_at: toIso(Date.now()),
    expires_at: null,
    last_used_at: null,
    sha256: hash('sha256', token),
  }))
  return `${JSON.stringify({ tokens }, null, 2)}\n`
}

/** A fleet membership whose broker does not listen. */
function fleetText(): string {
  const identity = nkeys.createUser()
  const planeKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' })
  const place: FleetFile = {
    name: 'phone',
    jwt: 'x.y.z',
    servers: ['nats://127.0.0.1:9'],
    ca: null,
    plane_keys: [planeKey.toString('base64')],
    seed: new TextDecoder().decode(identity.getSeed()),
    plane: 'http://127.0.0.1:9',
  }
  return `${JSON.stringify(place, null, 2)}\n`
}

async function openConfig(home: string): Promise<Opened> {
  const { said, logger } = keepLog()
  const machine = { platform: process.platform, home: '/home/me', prefix: undefined }
  const read = () => readConfig({ SHELLPHONE_HOME: home }, new Map(), machine)
  const config = await read()
  const nothing = () => {}
  const reload = createReload({
    ...{ config, read, log: logger, reloadFleet: nothing, renewCertificate: nothing },
    tokens: { reload: () => false, problem: () => null },
    commands: { mayHaveWritten: () => false },
  })
  return { holds: valuesOf(config), said: [...said, ...reload.warnings()] }
}

function openOwn(home: string): Opened {
  const { owner, cliKey, warnings, release } = openHome(home, null, readStat)
  release()
  return { holds: { owner: owner.sha256, cliKey }, said: warnings }
}

async function openFleetFile(home: string): Promise<Opened> {
  const { said, logger } = keepLog()
  const membership = openMembership({
    config: { settings: { fleet: true } },
    home: { file: (name: string) => privateFile(join(home, name)) },
    address: () => ({ address: '127.0.0.1', port: 1, family: 'IPv4' }),
    log: logger,
  } as unknown as MembershipParts)
  membership.reload()
  await membership.close(0)
  return { holds: membership.status()?.name ?? null, said }
}

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  format: 'pem',
  type: 'pkcs8',
})
const key = pem.toString()
const certificate = await makeCertificate(key, ['localhost'])

async function openOurs(home: string): Promise<Opened> {
  const { said, log } = keepLog()
  const opened = await openCertificate(
    {
      key: {
        ...privateFile(join(home, 'tls-key.pem')),
        read: () => privateFile(join(home, 'tls-key.pem')).read() ?? key,
      },
      certificate: privateFile(join(home, 'tls-certificate.pem')),
      ...{ clientCa: null, make: async () => certificate, log },
    },
    ['localhost'],
  )
  return { holds: opened.pin, said }
}

/** Opens the owner's own certificate, which may be anywhere. */
async function openGiven(home: string): Promise<Opened> {
  const { said, log } = keepLog()
  const read = (name: string) => privateFile(join(home, name)).read()
  const given = ownCertificate(
    () => ({
      cert: read('own.pem') ?? certificate,
      key: read('own-key.pem') ?? key,
      ca: read('own-ca.pem') ?? undefined,
    }),
    log,
  )
  return { holds: given.files(), said }
}

const rule = {
  ...{
    id: 'rule',
    digest: createHash('sha256').update('rule').digest('hex'),
    command: 'rm -r build',
  },
  ...{
    working_directory: '/home/me',
    env_names: [],
    dialect: 'canonical',
    token: 'owner',
    sandbox: 'none',
  },
  ...{
    network: true,
    writable: [],
    files: [],
    stdin_sha256: null,
    rule: 'file-delete',
  },
  ...{
    by: 'ann',
    how: 'http',
    created_at: toIso(Date.now()),
    expires_at: toIso(Date.now() + 1e9),
  },
}

function openApprovals(home: string): Opened {
  const { said, log } = keepLog()
  const limits = { ttlMs: 1, maxPending: 1, maxRules: 9, ruleMaxAgeMs: 1 }
  const file = privateFile(join(home, 'approvals.json'))
  const approvals = new Approvals({ ...limits, file, redact: (text) => text, log })
  return { holds: approvals.rules(), said }
}

function openTokens(home: string): Opened {
  const { said, log } = keepLog()
  const owner = { sha256: hash('sha256', 'owner'), replace() {}, forgetText: () => false }
  const tokens = createTokens({ file: privateFile(join(home, 'tokens.json')), owner, log })
  tokens.close()
  return { holds: tokens.list().map(({ name }) => name), said }
}

const accessEvents = ['paired', 'token_revoked'].map((what) => ({
  ...{ at: toIso(Date.now()), what, token: 'agent', by: 'owner' },
  ...{ how: null, from: '127.0.0.1', run_id: null, is_saved: false },
}))

function openAccessLog(home: string): Opened {
  const { said, log } = keepLog()
  return { holds: createAccessLog({ file: privateFile(join(home, 'access.jsonl')), log }).list(9), said }
}

const upload = {
  id: 'key',
  temporary: `/nonexistent/${temporaryName()}`,
  isKeyed: true,
  bytes: 9,
  at: Date.now(),
}

const webhook = {
  ...{ id: 'webhook', token_id: 'owner', name: 'ci', url: 'https://webhook.invalid/', types: ['run.ended'] },
  ...{ created_at: toIso(Date.now()), is_gone: false, secret: 'whsec_c2VjcmV0', old: null },
}
const waiting = {
  ...{ id: 'one', webhook: 'webhook', tries: 1, due_ms: Date.now(), position: null },
  event: { type: 'run.ended', timestamp: toIso(0), data: { run_id: 'run', status: 'completed', exit_code: 0 } },
}

function openWebhooks(home: string): Opened {
  const { said, log } = keepLog()
  return { holds: readWebhooks(privateFile(join(home, 'webhooks.json')), log), said }
}

function openQueue(home: string): Opened {
  const { said, log } = keepLog()
  const queue = createDeliveryLog(privateFile(join(home, 'webhook-queue.jsonl')), log)
  return { holds: [...queue.waiting.values()], said }
}

/** Reads the address at which the command line finds the service: at a wrong address, it would reveal its token to somebody else. */
async function openAddress(home: string): Promise<Opened> {
  const { at } = await locateService(new Map([['home', home]]), new Map())
  return { holds: at.url, said: [] }
}

/** Every file of the home that the service reads at startup, and the owner's own certificate, which may be anywhere. */
export const homeFiles: Record<string, HomeFile> = {
  'config.yaml': {
    whole: CONFIG,
    open: openConfig,
    isNoLess: () => true, // the remaining settings apply, and the service reports that the file may be truncated
    mayBeSilent: (cut) => cut.endsWith('\n'), // an editor that deletes lines leaves such a file
  },
  token: {
    whole: `${secret()}\n`,
    open: openOwn,
    // an empty file counts as missing: the service creates a token that nobody knows
    isNoLess: ({ owner }, whole, cut) => (cut === '' ? owner !== hash('sha256', '') : owner === whole.owner),
    mayBeSilent: (cut) => cut === '',
  },
  'owner.sha256': {
    whole: `${hash('sha256', 'owner')}\n`,
    open: openOwn,
    isNoLess: ({ owner }, whole) => owner === whole.owner,
  },
  cli: {
    whole: `${secret()}\n`,
    open: openOwn,
    isNoLess: ({ cliKey }, whole) => cliKey.length === 43 && cliKey.slice(0, 8) !== whole.cliKey.slice(0, 8),
    mayBeSilent: (cut) => cut === '', // no client outside the home depends on it
  },
  lock: {
    whole: '999999999 123456',
    open: (home) => ({ holds: openOwn(home).said, said: [] }),
    isNoLess: isSame,
    mayBeSilent: () => true, // it names no live process
  },
  format: {
    whole: FORMAT_TEXT,
    open: (home) => ({ holds: openOwn(home).said, said: [] }),
    isNoLess: isSame,
    mayBeSilent: () => true, // an empty file counts as missing, and a missing line end changes nothing
  },
  address: {
    whole: 'http://127.0.0.1:54321\n',
    open: openAddress,
    isNoLess: (url) => url === 'http://127.0.0.1:8029',
    mayBeSilent: () => true, // without it, the address in the settings applies
  },
  'tokens.json': { whole: tokensText(SECRETS), open: openTokens, isNoLess: isSubset },
  'approvals.json': {
    whole: `${JSON.stringify({ rules: [rule, { ...rule, id: 'other' }] }, null, 2)}\n`,
    open: openApprovals,
    isNoLess: isSubset,
  },
  'access.jsonl': {
    whole: accessEvents.map((event) => `${JSON.stringify(event)}\n`).join(''),
    open: openAccessLog,
    isNoLess: isSubset,
    // it grants nothing; a whole line, with or without its line break, is an event
    mayBeSilent: (cut) => cut === '' || cut.endsWith('}') || cut.endsWith('}\n'),
  },
  'fleet.json': { whole: fleetText(), open: openFleetFile, isNoLess: (name) => name === null },
  'tls-key.pem': { whole: key, open: openOurs, isNoLess: isSame },
  'tls-certificate.pem': { whole: certificate, open: openOurs, isNoLess: isSame },
  'own.pem': { whole: certificate, open: openGiven, isNoLess: isSame, setting: 'tls_certificate' },
  'own-key.pem': { whole: key, open: openGiven, isNoLess: isSame, setting: 'tls_key' },
  'own-ca.pem': { whole: certificate, open: openGiven, isNoLess: isSame, setting: 'tls_client_ca' },
  'webhooks.json': {
    whole: `${JSON.stringify({ webhooks: [webhook, { ...webhook, id: 'other' }] }, null, 2)}\n`,
    open: openWebhooks,
    isNoLess: isSubset,
  },
  'webhook-queue.jsonl': {
    whole: ['one', 'two'].map((id) => `${JSON.stringify({ waiting: { ...waiting, id } })}\n`).join(''),
    open: openQueue,
    isNoLess: isSubset,
    mayBeSilent: () => true, // a crash leaves such a file; the history still has the events
  },
  'uploads.json': {
    whole: JSON.stringify([upload]),
    open: async (home) => ({ holds: await createUploads(home).find('key'), said: [] }),
    isNoLess: (found) => found === null,
    mayBeSilent: () => true, // the clients send the files again
  },
}
