import 'reflect-metadata'
import { createPrivateKey, createPublicKey, type KeyObject, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { UsageError } from '../../shared/schema/index.ts'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** Clients reject certificates that are valid for longer (CA/Browser Forum: 398 days). */
const BROWSER_DAYS = 397
/** A phone's clock may be behind the laptop's. */
const BACKDATED_MS = 86_400_000
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** What differs from a certificate that browsers accept. */
export interface CertificateOptions {
  validDays?: number
  /** its holder also uses it as a client, as brokers do between each other */
  isForClient?: boolean
}

/** Creates a certificate for these host names and addresses, self-signed with this P-256 key (both PEM). Loads a library of 5 MB, so call it in a separate process. */
export async function makeCertificate(
  keyPem: string,
  names: string[],
  { validDays = BROWSER_DAYS, isForClient = false }: CertificateOptions = {},
): Promise<string> {
  checkNames(names)
  cryptoProvider.set(webcrypto)
  const keys = await pairOf(readKey(keyPem))
  const nowMs = Date.now()
  const { serverAuth, clientAuth } = ExtendedKeyUsage
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Shellphone',
    keys,
    signingAlgorithm: P256,
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs + validDays * 86_400_000),
    extensions: [
      // a client that has this certificate as its authority must accept it
      new BasicConstraintsExtension(true, 0, true),
      new ExtendedKeyUsageExtension([serverAuth, ...(isForClient ? [clientAuth] : [])]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
    ],
  })
  return certificate.toString('pem')
}

function readKey(pem: string): KeyObject {
  let got = pem.trim() === '' ? 'nothing' : 'something else'
  try {
    const key = createPrivateKey(pem)
    const { asymmetricKeyType: type, asymmetricKeyDetails } = key
    if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
    got = `a key of another kind (${asymmetricKeyDetails?.namedCurve ?? type})`
  } catch {
    // not a private key
  }
  throw new UsageError(
    `certificate: expected a private key (P-256, PEM) on stdin, got ${got}; see shellphone certificate --help`,
  )
}

/** A host name, which may begin with a wildcard. */
const HOST_NAME = /^(\*\.)?([a-z\d_]([a-z\d_-]{0,61}[a-z\d])?\.)*[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?\.?$/i

/** Throws UsageError for a name that is neither a host name nor an address. */
function checkNames(names: string[]): void {
  const wrong = names.find((name) => isIP(name) === 0 && !(name.length <= 253 && HOST_NAME.test(name)))
  if (wrong !== undefined)
    throw new UsageError(`certificate: expected a host name or an IP address, got ${JSON.stringify(wrong)}`)
}

async function pairOf(key: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const load = (format: 'pkcs8' | 'spki', der: Buffer, use: 'sign' | 'verify') =>
    webcrypto.subtle.importKey(format, der, P256, true, [use])
  return {
    privateKey: await load('pkcs8', key.export({ format: 'der', type: 'pkcs8' }), 'sign'),
    publicKey: await load('spki', createPublicKey(key).export({ format: 'der', type: 'spki' }), 'verify'),
  }
}
