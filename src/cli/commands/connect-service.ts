import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proofOf } from './own-proof.ts'
import { CLI_KEY_HEADER, visible } from '../../shared/schema/index.ts'
import { type Asked, connect as connectPhone, type NodePhone, PhoneError } from '../../sdk/client-node.ts'
import { pinnedAgent, platformOf, PROOF_HEADER } from '../../shared/transport/index.ts'

/** A service on another machine, and whom it knows us as. */
interface Peer {
  url: string
  /** base64url of the SHA-256 of its public key; null: plain HTTP, or whom the system trusts */
  key: string | null
  /** '': none yet */
  token: string
}

/** The same, with what is sent with every request. */
type AuthorizedTarget = Peer & { headers?: Record<string, string> }

/** Where the service of this machine is. */
interface Home {
  /** null: its port is the system's to choose */
  url: string | null
  /** $SHELLPHONE_HOME: what proves that we are its owner's */
  home: string
  /** SHELLPHONE_TOKEN, where it was given */
  token: string | null
}

/** Where the service is, and who asks. */
export interface ServiceLocation {
  at: Home | Peer
  /** for the record of an approval */
  person: string
  /** where ids of runs are noted for completion */
  seenRuns: string
  /** this is a command that the service itself runs: no person */
  isInsideRun: boolean
}

/** No answer to be had: one line for stderr, exit code 3. */
export class ClientError extends Error {
  readonly exitCode = 3
}

/** What may follow a subcommand; `needs`: the one thing that it is done to. */
interface OperandRule {
  needs: 'id' | 'name' | null
}

/** The action of that name, with as many operands as it needs; `line`: the subcommand. Throws ClientError. */
export function actionOf<One extends OperandRule>(
  line: string,
  actions: Record<string, One>,
  name: string,
  operands: string[],
): One {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new ClientError(`${line} ${name}: expected one of ${Object.keys(actions).join(', ')}`)
  if (operands.length === (action.needs ? 1 : 0)) return action
  throw new ClientError(`${line} ${name}: expected ${action.needs ? `one ${action.needs}` : 'nothing more'}`)
}

/** `what`: the subcommand, and what only people do with it. Throws ClientError. */
export function refuseInsideRun({ isInsideRun }: ServiceLocation, what: string): void {
  if (isInsideRun) throw new ClientError(`${what}; this is a command that the service runs`)
}

export interface Client {
  url: string
  person: string
  /** for what takes longer than a request: what is lost is found again */
  phone: NodePhone
  /** Sends JSON, answers JSON; throws ClientError for everything but success. */
  request<T>(method: string, path: string, body?: object): Promise<T>
  /** GET of what is no JSON. */
  text(path: string): Promise<string>
  /** Closes the connections that wait for the next request. */
  end(): void
}

const REQUEST_TIMEOUT_MS = 10_000

/** A client of the service at `place`. Nothing is sent yet; throws ClientError where there is no token or port. */
export function connect({ at, person }: ServiceLocation, more: { reconnectMs?: number } = {}): Client {
  const shown: AuthorizedTarget = 'key' in at ? at : ownService(at)
  const { url, token, headers = {}, key } = shown
  const { agent, ...platform } = platformFor(url, key)
  const phone = connectPhone({ url, token, headers, ...platform, ...more })
  return {
    url,
    person,
    phone,
    request: async (method, path, body) => parse(await textOf(phone, url, path, { method, body }), url),
    text: (path) => textOf(phone, url, path, {}),
    end: () => agent?.destroy(),
  }
}

/** By what a service is reached: with a key, over connections that have shown it. */
export function platformFor(url: string, key: string | null) {
  const agent = key !== null && url.startsWith('https:') ? pinnedAgent(key) : undefined
  return { agent, ...platformOf(agent) }
}

/** For what takes longer than a request. */
export const phoneAt = (place: ServiceLocation): NodePhone => connect(place).phone

/** The service of these settings, as far as is known before it is asked; null: it never ran, or its port is the system's to choose. */
export function findService(place: ServiceLocation): Client | null {
  try {
    return connect(place)
  } catch (error) {
    if (error instanceof ClientError) return null
    throw error
  }
}

/** This machine's own needs no TLS: whoever reads along here reads the home, too. Throws ClientError where the port is the system's to choose. */
function ownService({ url, home, token }: Home): AuthorizedTarget {
  if (url === null) {
    throw new ClientError('setting port: expected the port that the service logged, got 0; pass it with --port')
  }
  const proof = token === null ? proofOf(home) : null
  const shown = token ?? readToken(home) ?? proof
  if (shown === null) {
    throw new ClientError(
      `${join(home, 'token')} is not there: start the service first, or set SHELLPHONE_HOME or SHELLPHONE_TOKEN`,
    )
  }
  const beside: Record<string, string> = proof === null || proof === shown ? {} : { [PROOF_HEADER]: proof }
  return { url, token: shown, headers: { ...beside, ...cliKey(home) }, key: null }
}

/** The owner's, where the home still has it in plain text; null: it has not. */
function readToken(home: string): string | null {
  const file = join(home, 'token')
  if (!existsSync(file)) return null
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new ClientError(`${file} cannot be read: start the service first, or set SHELLPHONE_HOME or SHELLPHONE_TOKEN`)
  }
}

/** Without it an answer is recorded as anybody's. */
function cliKey(home: string): Record<string, string> {
  try {
    return { [CLI_KEY_HEADER]: readFileSync(join(home, 'cli'), 'utf8').trim() }
  } catch {
    return {} // the service has another home, or is another's
  }
}

/** One short request; throws ClientError for everything but success. */
async function textOf(phone: NodePhone, url: string, path: string, asked: Asked): Promise<string> {
  try {
    const answer = await phone.request(path, { ...asked, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    return await answer.text()
  } catch (error) {
    throw error instanceof PhoneError ? toClientError(error, url) : unreachable(url, error as Error)
  }
}

function parse(text: string, url: string): any {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    throw new ClientError(`${url}: expected a Shellphone service, got a response from something else`)
  }
}

/** What went wrong, as one line for a person. */
export function toClientError(error: unknown, url: string): ClientError {
  if (error instanceof ClientError) return error
  if (!(error instanceof PhoneError)) return new ClientError(visible((error as Error).message))
  const { type, status, message, cause } = error
  if (type === 'unauthorized') {
    return new ClientError(
      'the service refused the token: is SHELLPHONE_HOME (or SHELLPHONE_TOKEN) its own? A command that the service runs needs a token of its own',
    )
  }
  if (type === 'unreachable' && status !== null) return new ClientError(`the service responded with HTTP ${status}`)
  if (type === 'unreachable' && cause !== undefined) return unreachable(url, cause as Error)
  return new ClientError(visible(type === 'denied' ? `denied: ${message}` : message))
}

/** Nobody answers there. */
const unreachable = (url: string, { message }: Error) =>
  new ClientError(`cannot reach ${url}: ${visible(message)}. Is the service running?`)
