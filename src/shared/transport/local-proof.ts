import { hash } from 'node:crypto'

/**
 * The proof that the command line sends to the service on its own machine instead of a token. It shows that process `pid` has a file of the
 * service's home open as `descriptor`. The name of the file contains the hash of `secret`, and the file has been removed, so nobody else can
 * open it.
 */
export interface LocalProof {
  pid: number
  descriptor: number
  /** 43 characters of base64url */
  secret: string
}

export const writeProof = ({ pid, descriptor, secret }: LocalProof): string => `local.${pid}.${descriptor}.${secret}`

/** Parses a proof; null if the text is not a proof. */
export function readProof(text: string): LocalProof | null {
  const [, pid, descriptor, secret] = /^local\.([1-9]\d{0,9})\.(\d{1,7})\.([\w-]{43})$/.exec(text) ?? []
  return secret === undefined ? null : { pid: Number(pid), descriptor: Number(descriptor), secret }
}

/** The name of the file that proves the secret. */
export const proofFile = (secret: string): string => `proof.${hash('sha256', secret)}`

/** The request header with a proof beside a token. It shows the service that the file with the token is no longer needed. */
export const PROOF_HEADER = 'shellphone-proof'
