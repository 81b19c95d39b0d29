/**
 * access: who may call the service, and over which transport: named tokens (tokens.ts, stored by token-rows.ts), the code that gives a new
 * device its token (pairing.ts), the service's certificate (certificate.ts, created by make-certificate.ts in its own process), the port that
 * speaks TLS and plain HTTP (one-port.ts), the credentials of requests that arrive through a fleet (fleet-credentials.ts), how the service
 * distinguishes this machine's command line from the commands that it runs (own-command-line.ts), and the log of who got or lost access
 * (access-log.ts). The rights of a token are the rows of `rights` in shared/schema/token.ts.
 */
import type { CertificateOptions } from './make-certificate.ts'

export { type AccessLog, createAccessLog } from './access-log.ts'
export { type Certificate, ownCertificate, openCertificate } from './certificate.ts'
export { type OnePort, openOnePort } from './one-port.ts'
/** Creates a certificate; see make-certificate.ts, whose library only this call loads. */
export const makeCertificate = async (keyPem: string, names: string[], options?: CertificateOptions): Promise<string> =>
  (await import('./make-certificate.ts')).makeCertificate(keyPem, names, options)
export { createPairing, type Pairing } from './pairing.ts'
export type { Log } from './access-parts.ts'
export { createOwnCommandLine } from './own-command-line.ts'
export { createFleetCredentials, type FleetCredentials } from './fleet-credentials.ts'
export { createTokens, type OwnersToken, type Tokens } from './tokens.ts'
