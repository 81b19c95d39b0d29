import { readFileSync, realpathSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import {
  type AccessLog,
  type Certificate,
  createAccessLog,
  createOwnCommandLine,
  createPairing,
  createFleetCredentials,
  createTokens,
  ownCertificate,
  openCertificate,
  type Log,
  openOnePort,
  type OnePort,
  type Pairing,
  type FleetCredentials,
  type Tokens,
} from './access/index.ts'
import { type Home, MIN_TOKEN_CHARACTERS, ownAddresses, urlOf } from './host/index.ts'
import { isLoopback, type Spawner, toPlainAddress, UsageError } from '../shared/schema/index.ts'
import type { LiveCommands } from './live-commands.ts'
import type { Config } from './settings.ts'
import { readMark, readStat, runTool } from './spawn/index.ts'
import type { AnswerContext, ApprovalEvent, Approvals } from './store/index.ts'
import { onlySet, openTools } from './tools.ts'

/** Tokens, pairing and TLS of the service. */
export interface Access {
  tokens: Tokens
  pairing: Pairing
  accessLog: AccessLog
  /** credentials for requests that arrive through a fleet */
  passes: FleetCredentials
  /** messages about insecure settings */
  warnings: string[]
  /** returns the URLs at which other machines reach the service, the most likely one first */
  addresses(at: AddressInfo): Promise<string[]>
  /** base64 of the SHA-256 of the key with which the service identifies itself (RFC 7469); null: plain HTTP only */
  pin: string | null
  /** returns URLs for a new device, with a pairing code and the key that it should expect */
  pairingLinks(code: string, at: AddressInfo): Promise<string[]>
  /** Serves TLS and plain HTTP on the port of this server if there is a certificate; null: plain HTTP only. */
  secure(server: Server): OnePort | null
  /** Checks the certificate now and loads it if the owner has replaced it. */
  renew(): void
}

/** Time limit for generating a certificate, which starts a Node process and takes about a second on a phone. */
const MAKE_TIMEOUT_MS = 30_000
/** Interval between checks of the certificate. They run during a handshake, so that no timer wakes the phone. */
const CHECK_INTERVAL_MS = 3_600_000

/** The parts that identify the processes of runs, and the approvals, whose answers the access log records. */
interface RunParts {
  spawner: Spawner
  commands: LiveCommands
  approvals: Pick<Approvals, 'subscribe'>
}

export async function openAccess(
  config: Config,
  home: Home,
  { spawner, commands, approvals }: RunParts,
  log: Logger,
): Promise<Access> {
  const { settings } = config
  const isLocal = isLoopback(settings.host)
  const { length } = home.owner
  if (!isLocal && length !== null && length < MIN_TOKEN_CHARACTERS) {
    throw new UsageError(
      `setting SHELLPHONE_TOKEN: expected at least ${MIN_TOKEN_CHARACTERS} characters beyond loopback, got ${length}`,
    )
  }
  const logWarning = (facts: object, sentence: string) => log.warn(facts, sentence)
  const passes = createFleetCredentials()
  const commandLine = createOwnCommandLine({
    pid: process.pid,
    home: realpathSync(home.directory),
    stat: readStat,
    mark: readMark,
    markKey: home.markKey,
    isPersonsTerminal: commands.isPersonsTerminal,
    keepsAll: spawner.keepsAll,
    hasLauncher: spawner.name === 'launcher',
  })
  const file = home.file('tokens.json')
  const accessLog = createAccessLog({ file: home.file('access.jsonl'), log: logWarning })
  approvals.subscribe((event, more) => noteAnswer(accessLog, event, more))
  const tokenParts = { file, owner: home.owner, log: logWarning, accessLog, fleetCredentials: passes, commandLine }
  const tokens = createTokens(tokenParts)
  const certificate = await certificateFor(config, home, logWarning)
  let port: OnePort | null = null
  /** Never rejects. */
  const renew = async (...more: string[]) => {
    if (await certificate?.renew([...namesFor(settings.allowed_hosts), ...more])) port?.refresh()
  }
  const scheme = certificate ? 'https' : 'http'
  const addresses = async ({ port }: AddressInfo) => {
    const urls = (await hostsAt(settings.host)).map((address) => urlOf(address, port, scheme))
    return urls.length > 0 ? urls : [urlOf('localhost', port)]
  }
  return {
    addresses,
    tokens,
    pairing: createPairing(tokens),
    accessLog,
    passes,
    warnings: isLocal || certificate ? [] : ['tls is off: anyone on the network can read tokens and commands'],
    pin: certificate?.pin ?? null,
    pairingLinks: async (code, at) => linksFor(await addresses(at), code, certificate),
    secure: (server) => (port = certificate && openOnePort(server, certificate, handshakes(settings, renew))),
    renew: () => void renew(),
  }
}

/** Records an answer that a person gave; a saved approval answers on its own. */
function noteAnswer(accessLog: AccessLog, event: ApprovalEvent, { token, from }: AnswerContext): void {
  if (event.type !== 'approval_decided' || event.by === null || event.how === 'rule') return
  const { approved, by, how, run_id, scope } = event
  accessLog.note({ what: approved ? 'approved' : 'denied', token, by, how, from, run_id, is_saved: scope === 'always' })
}

/** Returns the owner's certificate, or a generated one if other machines can connect and tls is on; otherwise null. */
async function certificateFor({ settings }: Config, home: Home, log: Log): Promise<Certificate | null> {
  const { tls_certificate: cert, tls_key: key, tls_client_ca: ca } = settings
  const readCa = () => (ca === null ? null : readPem('tls_client_ca', ca))
  const clientCa = readCa()
  if (cert !== null && key !== null) {
    const read = () => ({
      cert: readPem('tls_certificate', cert),
      key: readPem('tls_key', key),
      ca: readCa() ?? undefined,
    })
    return ownCertificate(read, log)
  }
  if (cert !== null || key !== null) {
    throw new UsageError('setting tls_key: expected together with tls_certificate, got only one of them')
  }
  if (settings.tls === 'off' || isLoopback(settings.host)) return null
  return openCertificate(
    {
      key: home.file('tls-key.pem'),
      certificate: home.file('tls-certificate.pem'),
      clientCa,
      make: makeInChild,
      log,
    },
    namesFor(settings.allowed_hosts),
  )
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`setting ${setting}: expected a PEM file, got ${(error as Error).message}`)
  }
}

const namesFor = (allowedHosts: string[]) => ['localhost', '127.0.0.1', '::1', ...ownAddresses(), ...allowedHosts]

/** Runs `shellphone certificate NAME …` with the key on stdin, so that the library's memory is freed with the process. */
async function makeInChild(key: string, names: string[]): Promise<string> {
  const argv = [process.execPath, ...process.execArgv, process.argv[1]!, 'certificate', ...names]
  const end = await runTool({
    argv,
    env: onlySet(process.env),
    stdin: key,
    timeoutMs: MAKE_TIMEOUT_MS,
    maxOutputBytes: 65_536,
  })
  if (end.exitCode === 0) return end.stdout
  throw new Error(`cannot generate the certificate: ${end.stderr.trim() || end.ending}`)
}

/** Returns a function that renews the certificate during a handshake: an hour after the last check, or for the first to an address. */
function handshakes({ allowed_hosts }: Config['settings'], renew: (address: string) => unknown) {
  let checkedAt = performance.now()
  const known = new Set(namesFor(allowed_hosts))
  return ({ localAddress = '127.0.0.1' }: Socket) => {
    const address = toPlainAddress(localAddress)
    if (known.has(address) && performance.now() - checkedAt < CHECK_INTERVAL_MS) return
    checkedAt = performance.now()
    known.add(address)
    renew(address)
  }
}

/** Returns the addresses at which other machines reach `host`. Android may hide the interfaces from Node, so programs list them. */
async function hostsAt(host: string): Promise<string[]> {
  return host === '0.0.0.0' || host === '::' ? openTools(process.env).addresses() : [host]
}

function linksFor(addresses: string[], code: string, certificate: Certificate | null): string[] {
  const key = certificate ? `&key=${Buffer.from(certificate.pin, 'base64').toString('base64url')}` : ''
  return addresses.map((url) => `${url}/#pair=${code}${key}`)
}
