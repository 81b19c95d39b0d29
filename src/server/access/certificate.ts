import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { type TextFile, SettingError } from '../../shared/schema/index.ts'
import type { Log } from './access-parts.ts'

/** It is made anew so long before its end. */
const RENEW_BEFORE_MS = 30 * 86_400_000

/** Names and addresses in it: those of today first. */
const MAX_NAMES = 64

/** What a TLS server shows: PEM all of it; `ca` where clients must show a certificate too. */
interface TlsFiles {
  key: string
  cert: string
  ca?: string
}

export interface Certificate {
  /** what handshakes use from now on */
  files(): TlsFiles
  /** base64 of the SHA-256 of the public key (RFC 7469's pin), which outlives every renewal */
  pin: string
  /** Makes it anew where it ends soon or does not hold one of `names`, or reads it again; resolves with whether it changed. Never rejects. */
  renew(names: string[]): Promise<boolean>
}

interface CertificateParts {
  /** kept for ever: clients are paired with it */
  key: TextFile
  certificate: TextFile
  clientCa: string | null
  /** see make-certificate.ts; in a process of its own */
  make(keyPem: string, names: string[]): Promise<string>
  log: Log
  now?(): number
}

/** The service's own certificate: the key is made once, the certificate as often as dates and addresses want. */
export async function openCertificate(parts: CertificateParts, names: string[]): Promise<Certificate> {
  const { certificate: kept, clientCa, make, log, now = Date.now } = parts
  const key = parts.key.read() ?? newKey(parts.key)
  let cert = kept.read()
  const renew = async (wanted: string[]) => {
    if (cert !== null && isGood(cert, key, wanted, now())) return false
    cert = await make(key, [...new Set([...wanted, ...heldNames(cert)])].slice(0, MAX_NAMES))
    kept.write(cert)
    return true
  }
  await renew(names)
  return {
    files: () => ({ key, cert: cert!, ...(clientCa === null ? {} : { ca: clientCa }) }),
    pin: pinOf(key),
    renew: (wanted) =>
      renew(wanted).catch((error: Error) => {
        log({ reason: error.message }, 'the certificate could not be made anew')
        return false
      }),
  }
}

/** A certificate of the owner's own, whose files renewing reads again; throws SettingError where it does not fit its key. */
export function ownCertificate(read: () => TlsFiles, log: Log): Certificate {
  let files = readGiven(read)
  return {
    files: () => files,
    get pin() {
      return pinOf(files.key)
    },
    async renew() {
      const before = files
      try {
        files = readGiven(read)
      } catch (error) {
        log({ reason: (error as Error).message }, 'the certificate cannot be read again: the one before holds on')
      }
      return JSON.stringify(files) !== JSON.stringify(before)
    },
  }
}

function readGiven(read: () => TlsFiles): TlsFiles {
  const files = read()
  try {
    if (!fits(files.cert, files.key)) throw new Error('it is not of that key')
    createSecureContext(files) // a chain or a CA that is cut off throws here, and not in the middle of the service
  } catch (error) {
    throw new SettingError(
      `setting tls_certificate: expected a PEM certificate for tls_key, got an unusable one: ${(error as Error).message}`,
    )
  }
  return files
}

function newKey(kept: TextFile): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  kept.write(pem)
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
    return false // no certificate: a disk that was full, an editor
  }
}

const namesOf = (cert: string) =>
  (new X509Certificate(cert).subjectAltName ?? '').split(', ').map((name) => canonical(name.replace(/^[^:]+:/, '')))

/** An address that was there before may come back: networks change with the place. */
function heldNames(cert: string | null): string[] {
  try {
    return cert === null ? [] : namesOf(cert)
  } catch {
    return [] // no certificate
  }
}

/** One spelling for an IPv6 address, whoever writes it. */
const canonical = (name: string) => (name.includes(':') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name)
