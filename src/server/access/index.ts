/**
 * access: who may call, and over what: named tokens (tokens.ts, kept by token-rows.ts), the code that hands one to a new device (pairing.ts), the service's
 * certificate (certificate.ts; made by make-certificate.ts in a process of its own) and the port that speaks TLS and plain HTTP
 * (one-port.ts),
 * what the door of a fleet shows on loopback (passes.ts), and how the command line of this machine is known from the commands that the service
 * runs (own-command-line.ts). What a token may is a row of `rights` in shared/schema/token.ts.
 */
export { type Certificate, ownCertificate as givenCertificate, openCertificate } from './certificate.ts'
export { type OnePort, openOnePort } from './one-port.ts'
/** See make-certificate.ts: its library is loaded by this call alone. */
export const makeCertificate = async (keyPem: string, names: string[]): Promise<string> =>
  (await import('./make-certificate.ts')).makeCertificate(keyPem, names)
export { createPairing, type Pairing } from './pairing.ts'
export type { Log } from './access-parts.ts'
export { createOwnCommandLine } from './own-command-line.ts'
export { createPasses, type Passes } from './passes.ts'
export { createTokens, type OwnersToken, type Tokens } from './tokens.ts'
