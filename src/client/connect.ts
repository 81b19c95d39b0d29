import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { urlOf } from '../host/index.ts'
import { CLI_KEY_HEADER, visible } from '../schema/index.ts'

/** Where the service is, by its own settings, and who asks. */
export interface Place {
  host: string
  port: number
  /** $SHELLPHONE_HOME: its token is read from here */
  home: string
  /** SHELLPHONE_TOKEN, where it was given */
  token: string | null
  /** for the record of an approval */
  person: string
  /** this is a command that the service itself runs: no person */
  isInsideRun: boolean
}

/** No answer to be had: one line for stderr, exit code 3. */
export class ClientError extends Error {
  readonly exitCode = 3
}

export interface Client {
  url: string
  /** what shows who asks */
  headers: Record<string, string>
  person: string
  /** Sends JSON, answers JSON; throws ClientError for everything but success. */
  request<T>(method: string, path: string, body?: object): Promise<T>
}

const REQUEST_TIMEOUT_MS = 10_000

/** A client of the service at `place`. Nothing is sent yet; throws ClientError where there is no token or port. */
export function connect(place: Place): Client {
  const url = placeUrl(place)
  const token = place.token ?? readToken(place.home)
  const headers = { authorization: `Bearer ${token}`, ...cliKey(place.home) }
  return { url, headers, person: place.person, request: (...call) => request(url, headers, ...call) }
}

/** The service of these settings, as far as is known before it is asked; null: it never ran, or its port is the system's to choose. */
export function findService(place: Place): Pick<Client, 'url' | 'headers'> | null {
  try {
    return connect(place)
  } catch (error) {
    if (error instanceof ClientError) return null
    throw error
  }
}

/** Throws ClientError where the port is the system's to choose. */
function placeUrl({ host, port }: Place): string {
  if (port !== 0) return urlOf(host, port)
  throw new ClientError('setting port: 0 lets the system choose; name the port that the service logged (--port)')
}

function readToken(home: string): string {
  const file = join(home, 'token')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not there' : 'cannot be read'
    throw new ClientError(`${file} ${why}: start the service first, or set SHELLPHONE_HOME or SHELLPHONE_TOKEN`)
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

async function request<T>(
  url: string,
  own: Record<string, string>,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const headers = { ...own, ...(body ? { 'content-type': 'application/json' } : {}) }
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  let response: Response
  let text: string
  try {
    response = await fetch(url + path, { method, headers, signal, ...(body ? { body: JSON.stringify(body) } : {}) })
    text = await response.text()
  } catch (error) {
    throw unreachable(url, ((error as Error).cause ?? error) as Error)
  }
  if (!response.ok) throw refused(response.status, text)
  return (text === '' ? null : parse(text, url)) as T
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ClientError(`${url}: expected the answer of a shellphone, got something else`)
  }
}

/** Nobody answers there. */
export function unreachable(url: string, { message }: Error): ClientError {
  return new ClientError(`${url} cannot be reached: is the service running? (${visible(message)})`)
}

/** It answered, but not what was wanted: a wrong token, say. `text` is its error body. */
export function refused(status: number, text: string): ClientError {
  if (status === 401) {
    return new ClientError('the service refused the token: is SHELLPHONE_HOME (or SHELLPHONE_TOKEN) its own?')
  }
  return new ClientError(visible(messageIn(text) ?? `the service answered with HTTP ${status}`))
}

function messageIn(text: string): string | null {
  try {
    return String(JSON.parse(text).error.message)
  } catch {
    return null // not an answer of ours
  }
}
