import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { invalid, shown } from '../../shared/schema/index.ts'
import { isPublicAddress } from './public-address.ts'

/** A response. `retryAfterMs`: the header Retry-After; null: none. `text`: its body; null: it was not read, or is too long. */
export interface PostResponse {
  status: number
  retryAfterMs: number | null
  text: string | null
}

/** A request. `readBytes`: the maximum length of a body that is read; absent: the body is not read. */
export interface PostMessage {
  headers: Record<string, string>
  body: string
  readBytes?: number
}

/** Resolves a name to all its addresses. Tests replace it. */
type Lookup = (name: string, call: (error: Error | null, addresses: LookupAddress[]) => void) => void

const lookupAll: Lookup = (name, call) => systemLookup(name, { all: true }, call)

/** Whether the owner allows a URL to lead anywhere, with plain HTTP, too. `hosts`: the setting webhook_hosts, `HOST` or `HOST:PORT`. */
function isTrusted({ hostname, port, protocol }: URL, hosts: readonly string[]): boolean {
  const ports = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  return hosts.some((host) => [hostname, `${hostname}:${ports}`].includes(host.toLowerCase()))
}

/** Parses the URL of a webhook. Throws VALIDATION_ERROR if nothing can be sent there, as far as that is visible without resolving its name. */
export function checkUrl(text: string, hosts: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  const problem = url === null ? `got ${shown(text)}` : problemOf(url, hosts)
  if (problem === null) return url!
  throw invalid(`url: expected https:// and a public host, or a host in the setting webhook_hosts, ${problem}`, 'url')
}

function problemOf(url: URL, hosts: readonly string[]): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `got ${url.protocol}`
  if (url.username !== '' || url.password !== '') return 'got a URL with a user name'
  if (isTrusted(url, hosts)) return null
  if (url.protocol === 'http:') return 'got http:'
  const address = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(address) !== 0 && !isPublicAddress(address) ? `got ${address}, which is not a public address` : null
}

/** Resolves a name, and refuses it if one of its addresses is not public: the connection goes to an address that was checked. */
const publicLookup =
  (resolve: Lookup): LookupFunction =>
  (name, { all }, call) =>
    resolve(name, (error, addresses = []) => {
      const inner = addresses.find(({ address }) => !isPublicAddress(address))
      const failure =
        error ?? (inner ? new Error(`${name} has the address ${inner.address}, which is not public`) : null)
      const [first] = addresses
      if (failure ?? !first) call(failure ?? new Error(`${name} has no address`), '')
      else if (all) call(null, addresses)
      else call(null, first!.address, first!.family)
    })

/**
 * Sends a POST to a public address, or to a host that the owner trusts. It follows no redirect and uses no proxy. Rejects if no response
 * arrives before `signal` aborts, or the URL leads to another address.
 */
export function guardedPost(
  text: string,
  { headers, body, readBytes = 0 }: PostMessage,
  hosts: readonly string[],
  signal: AbortSignal,
  resolve: Lookup = lookupAll,
): Promise<PostResponse> {
  const url = checkUrl(text, hosts)
  const lookup = isTrusted(url, hosts) ? undefined : publicLookup(resolve)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((done, fail) => {
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      signal,
      ...(lookup && { lookup }),
    })
    request.once('response', (response) => {
      const status = response.statusCode ?? 0
      readText(response, readBytes)
        .then((text) => done({ status, retryAfterMs: retryAfterOf(response), text }), fail)
        .finally(() => request.destroy())
    })
    request.on('error', fail)
    request.end(body)
  })
}

/** Reads a body of at most `readBytes`; null: it is longer. */
async function readText(response: IncomingMessage, readBytes: number): Promise<string | null> {
  if (readBytes === 0) return null
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    if (chunks.reduce((bytes, { length }) => bytes + length, 0) > readBytes) return null
  }
  return Buffer.concat(chunks).toString()
}

/** The header Retry-After: seconds, or a date. */
function retryAfterOf({ headers }: IncomingMessage): number | null {
  const text = headers['retry-after']
  if (text === undefined) return null
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? ms : null
}
