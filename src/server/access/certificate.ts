import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { type TextFile, SettingError, UsageError } from '../../shared/schema/index.ts'
import type { Log } from './access-parts.ts'

/** How long before its expiry to renew a certificate. */
const RENEW_BEFORE_MS = 30 * 86_400_000

/** Maximum number of names and addresses in a certificate; the current ones come first. */
const MAX_NAMES = 64

/** A TLS server's key and certificate chain, in PEM. `ca`: the authorities for client certificates, if clients must show one. */
interface TlsFiles {
  key: string
  cert: string
  ca?: string
}

export interface Certificate {
  /** the current files, for new handshakes */
  files(): TlsFiles
  /** base64 of the SHA-256 of the public key (a pin in RFC 7469), which no renewal changes */
  pin: string
  /** Creates a new certificate if this one expires soon or lacks one of `names`; or reads the owner's files again. Resolves to whether it changed. Never rejects. */
  renew(names: string[]): Promise<boolean>
}

interface CertificateParts {
  /** the private key, never replaced because clients are paired with it */
  key: TextFile
  certificate: TextFile
  clientCa: string | null
  /** runs make-certificate.ts in its own process */
  make(keyPem: string, names: string[]): Promise<string>
  log: Log
  now?(): number
}

/** The service's own certificate. The key is created once; the certificate, whenever it expires or the addresses change. */
export async function openCertificate(parts: CertificateParts, names: string[]): Promise<Certificate> {
  const { certificate: stored, clientCa, make, log, now = Date.now } = parts
  checkCa(clientCa ?? undefined)
  const key = parts.key.read() ?? newKey(parts.key)
  const pin = pinOfOwnKey(key)
  let cert = readCertificate(stored, log)
  const renew = async (wanted: string[]) => {
    if (cert !== null && isGood(cert, key, wanted, now())) return false
    cert = await make(key, [...new Set([...wanted, ...previousNames(cert)])].slice(0, MAX_NAMES))
    stored.write(cert)
    return true
  }
  await renew(names)
  return {
    files: () => ({ key, cert: cert!, ...(clientCa === null ? {} : { ca: clientCa }) }),
    pin,
    renew: (wanted) =>
      renew(wanted).catch((error: Error) => {
        log({ reason: error.message }, 'the certificate could not be renewed')
        return false
      }),
  }
}

/** A certificate that the owner provides; `renew` reads its files again. Throws UsageError if the certificate does not match its key. */
export function ownCertificate(read: () => TlsFiles, log: Log): Certificate {
  let files = readChecked(read)
  return {
    files: () => files,
    get pin() {
      return pinOf(files.key)
    },
    async renew() {
      const before = files
      try {
        files = readChecked(read)
      } catch (error) {
        log(
          { reason: (error as Error).message },
          'the certificate could not be read again; the previous one stays in use',
        )
      }
      return JSON.stringify(files) !== JSON.stringify(before)
    },
  }
}

function readChecked(read: () => TlsFiles): TlsFiles {
  const files = read()
  checkCa(files.ca)
  try {
    if (!fits(files.cert, files.key)) throw new Error('it does not match the key')
    createSecureContext(files) // a truncated chain or CA throws here instead of at a later handshake
  } catch (error) {
    throw new UsageError(
      `setting tls_certificate: expected a PEM certificate for tls_key, got an unusable one: ${(error as Error).message}`,
    )
  }
  return files
}

/** Throws UsageError for a file without authorities, which would accept the certificates of every public authority, or none at all. */
function checkCa(ca: string | undefined): void {
  if (ca === undefined) return
  try {
    const blocks = ca.split(/(?=-----BEGIN )/).filter((block) => block.startsWith('-----BEGIN '))
    if (blocks.length === 0) throw new Error('it contains no certificate')
    for (const block of blocks) new X509Certificate(block)
  } catch (error) {
    throw new UsageError(
      `setting tls_client_ca: expected PEM certificates, got an unusable one: ${(error as Error).message}`,
    )
  }
}

/** The pin of the stored key. Throws SettingError if the key is damaged: clients are paired with it, so only the owner may replace it. */
function pinOfOwnKey(key: string): string {
  try {
    return pinOf(key)
  } catch (error) {
    throw new SettingError(
      `tls-key.pem: expected a private key in PEM, got an unusable one (${(error as Error).message}); restore the file, or delete it and pair every client again`,
    )
  }
}

/** Returns null if the file is missing or unreadable; the caller then makes a new certificate for the same key. */
function readCertificate(file: TextFile, log: Log): string | null {
  const cert = file.read()
  try {
    if (cert !== null) new X509Certificate(cert)
    return cert
  } catch (error) {
    log(
      { reason: (error as Error).message },
      'tls-certificate.pem cannot be read; the service replaces it and keeps the key',
    )
    return null
  }
}

function newKey(file: TextFile): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  file.write(pem)
  return pem
}

const pinOf = (key: string) =>
  createHash('sha256')
    .update(createPublicKey(key).export({ format: 'der', type: 'spki' }))
    .digest('base64')

const fits = (cert: string, key: string) => new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))

function isGood(cert: string, key: string, names: string[], nowMs: number): boolean {
  try {
    const held = new Set(namesOf(cert))
    const lastsMs = Date.parse(new X509Certificate(cert).validTo) - nowMs
    return fits(cert, key) && lastsMs > RENEW_BEFORE_MS && names.every((name) => held.has(canonical(name)))
  } catch {
    return false // not a certificate: the disk was full, or someone edited the file
  }
}

const namesOf = (cert: string) =>
  (new X509Certificate(cert).subjectAltName ?? '').split(', ').map((name) => canonical(name.replace(/^[^:]+:/, '')))

/** The names in the previous certificate, because a phone returns to networks that it has left. */
function previousNames(cert: string | null): string[] {
  try {
    return cert === null ? [] : namesOf(cert)
  } catch {
    return [] // not a certificate
  }
}

/** Returns one canonical spelling of an IPv6 address, which has several; any other name is unchanged. */
const canonical = (name: string) => (name.includes(':') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name)
