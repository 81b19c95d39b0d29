import { hash } from 'node:crypto'

/**
 * What the command line shows the service of its own machine instead of a token: that the process PID has the DESCRIPTOR open on a file of the
 * service's home that is named after the hash of SECRET and has been removed, so that nobody else can open it.
 */
export interface LocalProof {
  pid: number
  descriptor: number
  /** 43 characters of base64url */
  secret: string
}

export const writeProof = ({ pid, descriptor, secret }: LocalProof): string => `local.${pid}.${descriptor}.${secret}`

/** null: the text is not a proof. */
export function readProof(text: string): LocalProof | null {
  const [, pid, descriptor, secret] = /^local\.([1-9]\d{0,9})\.(\d{1,7})\.([\w-]{43})$/.exec(text) ?? []
  return secret === undefined ? null : { pid: Number(pid), descriptor: Number(descriptor), secret }
}

/** The name of the file. */
export const proofFile = (secret: string): string => `proof.${hash('sha256', secret)}`

/** Accompanies a token, so that the service learns that the file with the token is no longer needed. */
export const PROOF_HEADER = 'shellphone-proof'
