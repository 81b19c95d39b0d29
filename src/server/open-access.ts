import { readFileSync, realpathSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import {
  type Certificate,
  createOwnCommandLine,
  createPairing,
  createPasses,
  createTokens,
  givenCertificate,
  openCertificate,
  type Log,
  openOnePort,
  type OnePort,
  type Pairing,
  type Passes,
  type Tokens,
} from './access/index.ts'
import { type Home, MIN_TOKEN_CHARACTERS, ownAddresses, urlOf } from './host/index.ts'
import { isLoopback, SettingError, type Spawner, toPlainAddress } from '../shared/schema/index.ts'
import type { LiveCommands } from './live-commands.ts'
import type { Config } from './settings.ts'
import { readMark, readStat, runTool } from './spawn/index.ts'
import { onlySet, openTools } from './tools.ts'

/** Who may call, and over what. */
export interface Access {
  tokens: Tokens
  pairing: Pairing
  /** for the door of a fleet */
  passes: Passes
  /** plain words on what is open */
  warnings: string[]
  /** where others reach the service, the likeliest first */
  addresses(at: AddressInfo): Promise<string[]>
  /** where a new device finds the service, with a pairing code and the key to expect */
  pairingLinks(code: string, at: AddressInfo): Promise<string[]>
  /** TLS and plain HTTP on the port of this server, where there is a certificate; null: plain HTTP alone. */
  secure(server: Server): OnePort | null
  /** The certificate is looked at now: an own one that was replaced is taken. */
  renew(): void
}

/** Making a certificate takes a second of a phone; it is one start of Node. */
const MAKE_TIMEOUT_MS = 30_000
/** Certificates are looked at so often, by a handshake: nothing wakes for it. */
const LOOK_MS = 3_600_000

/** By what the processes of runs are known. */
interface RunParts {
  spawner: Spawner
  commands: LiveCommands
}

export async function openAccess(
  config: Config,
  home: Home,
  { spawner, commands }: RunParts,
  log: Logger,
): Promise<Access> {
  const { settings } = config
  const isLocal = isLoopback(settings.host)
  const { length } = home.owner
  if (!isLocal && length !== null && length < MIN_TOKEN_CHARACTERS) {
    throw new SettingError(
      `setting SHELLPHONE_TOKEN: expected at least ${MIN_TOKEN_CHARACTERS} characters beyond loopback, got ${length}`,
    )
  }
  const tellWarning = (facts: object, sentence: string) => log.warn(facts, sentence)
  const passes = createPasses()
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
  const tokens = createTokens({ file, owner: home.owner, log: tellWarning, passes, commandLine })
  const certificate = await certificateFor(config, home, tellWarning)
  let port: OnePort | null = null
  /** Never rejects. */
  const renew = async (...more: string[]) => {
    if (await certificate?.renew([...namesFor(settings.allowed_hosts), ...more])) port?.refresh()
  }
  const scheme = certificate ? 'https' : 'http'
  const addresses = async ({ port }: AddressInfo) => {
    const urls = (await hostsAt(settings.host)).map((one) => urlOf(one, port, scheme))
    return urls.length > 0 ? urls : [urlOf('localhost', port)]
  }
  return {
    addresses,
    tokens,
    pairing: createPairing(tokens),
    passes,
    warnings: isLocal || certificate ? [] : ['tls is off: whoever is on the network can read tokens and commands'],
    pairingLinks: async (code, at) => linksFor(await addresses(at), code, certificate),
    secure: (server) => (port = certificate && openOnePort(server, certificate, handshakes(settings, renew))),
    renew: () => void renew(),
  }
}

/** The owner's own; or ours as soon as others can connect, unless tls is off; null: none. */
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
    return givenCertificate(read, log)
  }
  if (cert !== null || key !== null) {
    throw new SettingError('setting tls_key: expected with tls_certificate, got one alone')
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
    throw new SettingError(`setting ${setting}: expected a PEM file, got ${(error as Error).message}`)
  }
}

const namesFor = (allowedHosts: string[]) => ['localhost', '127.0.0.1', '::1', ...ownAddresses(), ...allowedHosts]

/** `shellphone certificate NAME …` with the key on its stdin: what the library takes of memory goes with the process. */
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
  throw new Error(`the certificate could not be made: ${end.stderr.trim() || end.ending}`)
}

/** Renews by the way: when a handshake comes after an hour, or to an address that no handshake came to before. */
function handshakes({ allowed_hosts }: Config['settings'], renew: (address: string) => unknown) {
  let lookedAt = performance.now()
  const known = new Set(namesFor(allowed_hosts))
  return ({ localAddress = '127.0.0.1' }: Socket) => {
    const address = toPlainAddress(localAddress)
    if (known.has(address) && performance.now() - lookedAt < LOOK_MS) return
    lookedAt = performance.now()
    known.add(address)
    renew(address)
  }
}

/** Where others reach what listens at `host`; Android may hide the interfaces, programs then tell. */
async function hostsAt(host: string): Promise<string[]> {
  return host === '0.0.0.0' || host === '::' ? openTools(process.env).addresses() : [host]
}

function linksFor(addresses: string[], code: string, certificate: Certificate | null): string[] {
  const key = certificate ? `&key=${Buffer.from(certificate.pin, 'base64').toString('base64url')}` : ''
  return addresses.map((one) => `${one}/#pair=${code}${key}`)
}
