import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listingOf } from './name-listings.ts'
import { proofOf } from './own-proof.ts'
import { CLI_KEY_HEADER, isLoopback, UsageError, visible } from '../../shared/schema/index.ts'
import { type RequestOptions, connect as connectPhone, type NodePhone, PhoneError } from '../../sdk/client-node.ts'
import { pinnedAgent, platformOf, PROOF_HEADER } from '../../shared/transport/index.ts'

/** A service on another machine, with our token for it. */
interface RemoteTarget {
  url: string
  /** base64url of the SHA-256 of its public key; null: plain HTTP, or a certificate that the system trusts */
  key: string | null
  /** '': not yet known */
  token: string
  /** what to print if the service rejects the token (default: the advice for the service on this machine) */
  rejected?: string
  /** what to print if nothing listens there (default: how to start the service on this machine) */
  start?: string
}

/** A target with the headers to send with every request. */
type AuthorizedTarget = RemoteTarget & { headers?: Record<string, string> }

/** The service on this machine. */
interface LocalTarget {
  /** null: the system chooses its port */
  url: string | null
  /** $SHELLPHONE_HOME; access to it proves that this is the owner's command line */
  home: string
  /** SHELLPHONE_TOKEN; null: not set */
  token: string | null
}

/** The address of the service, and facts about its caller. */
export interface ServiceLocation {
  at: LocalTarget | RemoteTarget
  /** the person's name, for the record of an approval */
  person: string
  /** the file of run ids for completion */
  seenRuns: string
  /** whether this process is part of a command that the service runs, so that no person uses it */
  isInsideRun: boolean
  /** what answers there (default: service) */
  role?: Role
}

/** What answers at an address: the service of a phone, or the control plane of a fleet. */
export type Role = 'service' | 'plane'

/** A failed request, with a one-line message for stderr and exit code 3. `cause`: the PhoneError, if the service responded with an error. */
export class ClientError extends Error {
  readonly exitCode = 3
}

/** Throws ClientError inside a command that the service runs. `what`: the subcommand, and what only a person may do with it. */
export function refuseInsideRun({ isInsideRun }: ServiceLocation, what: string): void {
  if (isInsideRun) throw new ClientError(`${what}, but this process is part of a command that the service runs`)
}

/** What answers a request, for the message of an error. */
interface Responder {
  url: string
  /** default: service */
  role?: Role
  /** what to print if it rejects the token */
  rejected?: string | undefined
  /** what to print if nothing listens there */
  start?: string | undefined
}

export interface Client extends Responder {
  person: string
  role: Role
  /** whether the service is that of a paired phone */
  isRemote: boolean
  /** for operations longer than one request; resumes after dropped connections */
  phone: NodePhone
  /** Sends and returns JSON; rejects with ClientError unless the request succeeds. */
  request<T>(method: string, path: string, body?: object): Promise<T>
  /** Sends a GET request and resolves with the text of the response; rejects with ClientError. */
  text(path: string): Promise<string>
  /** Closes idle connections. */
  end(): void
}

/** Time limit of one request. */
export const REQUEST_TIMEOUT_MS = 10_000

/** Creates a client of the service, without sending a request. Throws ClientError if the token or port is unknown. */
export function connect(
  { at, person, role = 'service' }: ServiceLocation,
  more: { reconnectMs?: number } = {},
): Client {
  const { url, token, headers = {}, key, rejected, start }: AuthorizedTarget = 'key' in at ? at : ownService(at)
  const { agent, ...platform } = platformFor(url, key)
  const phone = connectPhone({ url, token, headers, ...platform, ...more })
  const responder = { url, role, rejected, start }
  return {
    url,
    person,
    role,
    rejected,
    start,
    isRemote: 'key' in at,
    phone,
    request: async (method, path, body) => parse(await textOf(phone, responder, path, { method, body }), url),
    text: (path) => textOf(phone, responder, path, {}),
    end: () => agent?.destroy(),
  }
}

/** The platform for a service; with a key, TLS connections must present that key. */
export function platformFor(url: string, key: string | null) {
  const agent = key !== null && url.startsWith('https:') ? pinnedAgent(key) : undefined
  return { agent, ...platformOf(agent) }
}

/** Like `connect`, but returns null if the service has never run, or if the system chooses its port. */
export function findService(place: ServiceLocation): Client | null {
  try {
    return connect(place)
  } catch (error) {
    if (error instanceof ClientError) return null
    throw error
  }
}

/** The target of the local service. It needs no TLS, because anyone who can read loopback traffic can also read the home. Throws ClientError if the port or token is unknown. */
function ownService({ url, home, token }: LocalTarget): AuthorizedTarget {
  if (url === null) {
    throw new ClientError('port: expected the port that the service logged, got 0; pass it with --port')
  }
  const proof = token === null ? proofOf(home) : null
  const shown = token ?? readToken(home) ?? proof
  if (shown === null) {
    throw new ClientError(
      `no service has been started with the directory ${home}; start it with shellphone serve, or if it has another directory or runs as another user, set SHELLPHONE_HOME or SHELLPHONE_TOKEN`,
    )
  }
  const beside: Record<string, string> = proof === null || proof === shown ? {} : { [PROOF_HEADER]: proof }
  const rejected = token === null ? {} : { rejected: givenRejected(url) }
  return { url, token: shown, headers: { ...beside, ...cliKey(home) }, key: null, ...rejected }
}

/** The owner's token if the home still has it in plaintext, otherwise null. */
function readToken(home: string): string | null {
  const file = join(home, 'token')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR'].includes(code)) return null // the service removes it when the first proof arrives
    throw new ClientError(
      `${file} cannot be read; set SHELLPHONE_HOME to your own service's home, or set SHELLPHONE_TOKEN`,
    )
  }
}

/** The header with which the service records an answer as `how: cli`. */
function cliKey(home: string): Record<string, string> {
  try {
    return { [CLI_KEY_HEADER]: readFileSync(join(home, 'cli'), 'utf8').trim() }
  } catch {
    return {} // the service uses another home or runs as another user
  }
}

/** Sends one request with a timeout of 10 s; rejects with ClientError, or UsageError for invalid input, unless it succeeds. */
async function textOf(
  phone: NodePhone,
  responder: Responder & { role: Role },
  path: string,
  asked: RequestOptions,
): Promise<string> {
  try {
    const answer = await phone.request(path, { ...asked, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    return await answer.text()
  } catch (error) {
    if (!(error instanceof PhoneError)) throw unreachable(error, responder)
    throw listed(error, toClientError(error, responder), responder.role, path)
  }
}

/** For a name that does not exist, adds the subcommand that lists the names. */
function listed(error: PhoneError, failure: Error, role: Role, path: string): Error {
  const listing = error.type === 'not_found' ? listingOf(role, path) : undefined
  return listing === undefined ? failure : new UsageError(`${failure.message}: ${listing}`, { cause: error })
}

function parse(text: string, url: string): any {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    throw new ClientError(`${url}: expected a Shellphone service, got a response from something else`)
  }
}

const ownRejected = (url: string) =>
  `the service at ${url} rejected the token; check that SHELLPHONE_HOME belongs to it. A command that the service runs needs its own token`
const givenRejected = (url: string) =>
  `the service at ${url} rejected the token in SHELLPHONE_TOKEN (revoked, expired, or of another service); set another, or unset it to use the service of your own user`

/** Describes the error of a request in one line. */
function describeError({ type, message, cause }: PhoneError, responder: Responder): string {
  const { url, rejected } = responder
  const text = message.replace(/^path: /, '') // the name of a field, which no operand or option has
  return type === 'unauthorized' ? (rejected ?? ownRejected(url)) : `${visible(text)}${startHint(cause, responder)}`
}

/** Converts the error of a request to an error with an exit code: 2 for invalid input and unknown names, otherwise 3. Any other error stays as it is. `path`: what the request was about. */
export const asClientError = (error: unknown, responder: Responder, path = ''): unknown =>
  error instanceof PhoneError
    ? listed(error, withCode(error, describeError(error, responder)), responder.role ?? 'service', path)
    : error

/** Converts an error to one with a one-line message for people and an exit code: 2 for invalid input and unknown names, otherwise 3. */
export function toClientError(error: unknown, responder: Responder): Error {
  if (error instanceof ClientError || error instanceof UsageError) return error
  if (!(error instanceof PhoneError)) return new ClientError(visible((error as Error).message))
  const { type, status, cause } = error
  if (type === 'unreachable' && status !== null) return new ClientError(`the service responded with HTTP ${status}`)
  if (type === 'unreachable' && cause !== undefined) return unreachable(cause, responder)
  return withCode(error, `${type === 'denied' ? 'denied: ' : ''}${describeError(error, responder)}`)
}

/** A UsageError if the service found a value of the command line to be invalid, or to name something that does not exist; otherwise a ClientError. */
const withCode = (cause: PhoneError, message: string): Error =>
  new (['validation_error', 'not_found'].includes(cause.type) ? UsageError : ClientError)(message, { cause })

const unreachable = (error: unknown, responder: Responder) =>
  new ClientError(
    `cannot reach ${responder.url}: ${visible((error as Error).message)}. Is the ${responder.role === 'plane' ? 'control plane' : 'service'} running?${startHint(error, responder)}`,
  )

const startHints: Record<Role, string> = {
  service: 'start it with shellphone serve',
  plane:
    'start it with shellphone fleet serve, which listens when its broker responds; check them with shellphone fleet doctor and the same SHELLPHONE_PLANE_DIRECTORY',
}

/** How to start what does not listen on this machine, or on that of a paired phone; '': the error has another reason. */
function startHint(error: unknown, { role = 'service', start }: Responder): string {
  const { errors: [first = error] = [] } = (error ?? {}) as { errors?: unknown[] } // localhost has two addresses
  const { code, address = '' } = (first ?? {}) as { code?: string; address?: string }
  if (code !== 'ECONNREFUSED' || (start === undefined && !isLoopback(address))) return ''
  return ` (${start ?? startHints[role]})`
}
