import { existsSync, readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { makeDirectory, replaceFile } from '../../server/host/index.ts'
import { didYouMean, NAME, nameMeaning, UsageError, visible } from '../../shared/schema/index.ts'
import { connect as connectPhone, pair, PhoneError } from '../../sdk/client-node.ts'
import { styleOf, textTable } from '../print/index.ts'
import { ClientError, platformFor, REQUEST_TIMEOUT_MS, type Role, toClientError } from './connect-service.ts'

/** A phone that this machine is paired with. */
export interface Remote {
  url: string
  /** base64url of the SHA-256 of its public key */
  key: string | null
  token: string
  /** the name of that token on the phone; absent from files of 0.1 and for a fleet */
  as?: string
  /** it is the control plane of a fleet */
  fleet?: true
}

/** A paired phone or fleet, with what to print if it rejects the token, or if nothing listens there. */
type NamedRemote = Remote & { rejected: string; start?: string }

/** The maximum number of paired phones. */
const MAX_REMOTES = 256

/** `shellphone remote [list|add NAME LINK|remove NAME]`: manages the paired phones. Rejects with UsageError and ClientError. */
export async function remote(file: string, operands: string[], isJson: boolean): Promise<void> {
  const [action = 'list', name = '', link = ''] = operands
  if (action === 'list') return list(file, isJson)
  return action === 'remove' ? remove(file, name) : add(file, name, link)
}

/** The paired phone with this name, or for `FLEET/PHONE` a phone of a fleet. Throws UsageError for an unknown name, and if the name alone is that of a fleet, but a phone is needed. */
export function remoteOf(file: string, name: string, role: Role = 'service'): NamedRemote {
  const [remote = '', phone] = name.split('/', 2)
  const remotes = readRemotes(file)
  const stored = remotes[remote]
  const start = role === 'service' ? { start: startText(remote, stored) } : {}
  const found = stored && { ...stored, rejected: rejectedText(file, remote, stored), ...start }
  if (found && role === 'plane' && (phone !== undefined || !found.fleet)) {
    const instead = found.fleet ? `; use --on ${remote}` : ''
    throw new UsageError(`--on ${name}: expected a fleet, got a phone${instead}; see shellphone remote list`)
  }
  if (found && phone !== undefined) return { ...found, url: `${found.url}/phones/${encodeURIComponent(phone)}` }
  if (found?.fleet && role === 'service') {
    throw new UsageError(
      `--on ${name}: ${name} is a fleet; use --on ${name}/PHONE, and list its phones with shellphone fleet phones --on ${name}`,
    )
  }
  if (found) return found
  throw new UsageError(
    `--on ${name}: no such remote${didYouMean(remote, Object.keys(remotes))}; list them with shellphone remote list`,
  )
}

/** How to start what does not listen at the address of a paired phone or fleet. */
const startText = (name: string, stored: Remote | undefined) =>
  stored?.fleet
    ? `start the control plane of ${name} on its machine: shellphone fleet serve`
    : `start it on ${name}: shellphone serve`

/** What to print if the token of a paired phone or fleet is rejected. */
function rejectedText(file: string, name: string, { fleet }: Remote): string {
  const renewal = fleet
    ? 'for another one, run shellphone fleet token NAME on its control plane'
    : 'pair again: run shellphone pair on the phone'
  return `${name} rejected the token in ${file} (revoked, expired, or of another ${fleet ? 'fleet' : 'phone'}); ${renewal}, then here shellphone remote remove ${name} and shellphone remote add ${name} 'LINK'`
}

function list(file: string, isJson: boolean): void {
  const remotes = Object.entries(readRemotes(file)).map(([name, { url, key }]) => ({ name, url, key }))
  if (isJson) return console.log(JSON.stringify({ remotes }))
  const columns = [
    { title: 'NAME', text: ({ name }: (typeof remotes)[number]) => name },
    { title: 'ADDRESS', text: ({ url }: (typeof remotes)[number]) => url },
  ]
  console.log(remotes.length === 0 ? 'no remotes' : textTable(remotes, columns, styleOf(process.stdout)))
}

function remove(file: string, name: string): void {
  const { [name]: gone, ...rest } = readRemotes(file)
  if (!gone)
    throw new UsageError(
      `remote ${name}: no such remote${didYouMean(name, Object.keys(rest))}; list them with shellphone remote list`,
    )
  writeRemotes(file, rest)
  const token = gone.as === undefined ? 'NAME' : visible(gone.as)
  console.log(`${name}: removed here; to revoke its token, run shellphone token revoke ${token} on the phone`)
}

async function add(file: string, name: string, link: string): Promise<void> {
  // before the link is used, which works once
  if (!NAME.test(name))
    throw new UsageError(`remote add: expected ${nameMeaning(NAME.source)}, got ${JSON.stringify(name)}`)
  const { origin, code, key, token: shown } = partsOf(link)
  const remotes = readRemotes(file)
  if (remotes[name])
    throw new UsageError(`remote ${name}: this name is taken; remove it first with shellphone remote remove ${name}`)
  if (Object.keys(remotes).length >= MAX_REMOTES)
    throw new UsageError(`remote: expected at most ${MAX_REMOTES} remotes`)
  if (shown !== null) {
    const isFleet = await answersAsFleet({ url: origin, key, token: shown })
    writeRemotes(file, { ...remotes, [name]: { url: origin, key, token: shown, ...(isFleet && { fleet: true }) } })
    return console.log(`${name}: ${isFleet ? `a fleet; use --on ${name}/PHONE for one of its phones` : 'added'}`)
  }
  const own =
    hostname()
      .replace(/[^\w.-]/g, '-')
      .slice(0, 63) || 'laptop'
  const { agent, fetch } = platformFor(origin, key)
  const paired = pairAs(namesLike(own), (name) => pair({ url: origin, code, name, fetch })).catch((error) => {
    const isWrongCode = error instanceof PhoneError && error.type === 'unauthorized'
    throw isWrongCode ? new ClientError(`remote add: ${visible(error.message)}`) : toClientError(error, { url: origin })
  })
  const { token, name: called } = await paired.finally(() => agent?.destroy())
  writeRemotes(file, { ...remotes, [name]: { url: origin, key, token, as: called } })
  console.log(`${name}: paired as ${called}`)
}

/** Whether a control plane answers at the address, or the service of one phone. Rejects with ClientError if nothing does, or it rejects the token. */
async function answersAsFleet({ url, key, token }: Remote): Promise<boolean> {
  const { agent, ...platform } = platformFor(url, key)
  const phone = connectPhone({ url, token, ...platform })
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    await phone.request('/phones', { signal })
    return true
  } catch (error) {
    const type = error instanceof PhoneError ? error.type : null
    if (type === 'not_found') return false
    if (type === 'unauthorized')
      throw new ClientError(`remote add: ${url} rejected the token in the link; it may be revoked or expired`)
    throw toClientError(error, { url })
  } finally {
    agent?.destroy()
  }
}

/** The name itself, and with a number for a machine that is paired again: its older token keeps the name. */
const namesLike = (name: string): string[] => [
  name,
  ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${name.slice(0, 60)}-${n}`),
]

/** Pairs under the first name that is free; the code stays valid while names are taken. Rejects with the error of the last attempt. */
async function pairAs<Paired>(
  [name = '', ...others]: string[],
  attempt: (name: string) => Promise<Paired>,
): Promise<Paired> {
  try {
    return await attempt(name)
  } catch (error) {
    const isTaken = error instanceof PhoneError && error.type === 'conflict' && error.field === 'name'
    if (!isTaken || others.length === 0) throw error
    return pairAs(others, attempt)
  }
}

interface LinkParts {
  origin: string
  code: string
  key: string | null
  /** the token in a link without a code: of a fleet, or of a phone behind a proxy, with a certificate that the system trusts */
  token: string | null
}

/** Reads the address, code and key from a pairing link, or the address and token from a link with a token. */
function partsOf(link: string): LinkParts {
  try {
    const { origin, hash, protocol } = new URL(link)
    const fragment = new URLSearchParams(hash.slice(1))
    const code = fragment.get('pair')
    const key = fragment.get('key')
    const token = fragment.get('token')
    if (token !== null && /^https?:$/.test(protocol)) return { origin, code: '', key, token }
    if (code !== null && /^https?:$/.test(protocol) && (protocol === 'http:' || key !== null)) {
      return { origin, code, key, token }
    }
  } catch {
    // reported below
  }
  throw new UsageError("remote add: expected a link from shellphone pair, in quotes: 'https://…/#pair=…&key=…'")
}

function readRemotes(file: string): Record<string, Remote> {
  if (!existsSync(file)) return {}
  const { mode } = statSync(file)
  if (mode & 0o077) {
    throw new UsageError(
      `${file}: expected a file that only you can read (chmod 600), got mode ${(mode & 0o777).toString(8)}`,
    )
  }
  try {
    const remotes: unknown = JSON.parse(readFileSync(file, 'utf8'))
    checkRemotes(remotes)
    return remotes
  } catch (error) {
    throw new UsageError(`${file}: expected paired phones as JSON: ${(error as Error).message}`)
  }
}

/** Checks the file without the schemas, because loading them would double the code that `shellphone run` loads. */
function checkRemotes(value: unknown): asserts value is Record<string, Remote> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected an object')
  for (const [name, { url, key, token }] of Object.entries(value as Record<string, Partial<Remote>>)) {
    const isGood =
      /^https?:/.test(String(url)) && (key === null || typeof key === 'string') && typeof token === 'string'
    if (!isGood) throw new Error(`${name}: expected url, key and token`)
  }
}

function writeRemotes(file: string, remotes: Record<string, Remote>): void {
  makeDirectory(dirname(file), 0o700)
  replaceFile(file, `${JSON.stringify(remotes, null, 2)}\n`)
}
