import { randomBytes } from 'node:crypto'
import { openSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { proofFile, writeProof } from '../../shared/transport/index.ts'

const proofs = new Map<string, string>()

/**
 * What the service of this home takes in place of a token for as long as this process lives: it holds a file of the home that has no name any
 * more. Null where none can be made there: no home, another user's, a full disk.
 */
export function proofOf(home: string): string | null {
  const known = proofs.get(home)
  if (known !== undefined) return known
  const secret = randomBytes(32).toString('base64url')
  try {
    const path = join(realpathSync(home), proofFile(secret))
    const descriptor = openSync(path, 'wx+', 0o600) // no child of ours inherits it
    rmSync(path)
    const proof = writeProof({ pid: process.pid, descriptor, secret })
    proofs.set(home, proof)
    return proof
  } catch {
    return null
  }
}
