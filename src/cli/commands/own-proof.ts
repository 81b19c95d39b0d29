import { randomBytes } from 'node:crypto'
import { openSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { proofFile, writeProof } from '../../shared/transport/index.ts'

const proofs = new Map<string, string>()

/**
 * A proof that the service with this home accepts instead of a token while this process lives: an open descriptor of a deleted file in the home.
 * Null if no file can be created there, because the home does not exist or belongs to another user, or because the disk is full.
 */
export function proofOf(home: string): string | null {
  const known = proofs.get(home)
  if (known !== undefined) return known
  const secret = randomBytes(32).toString('base64url')
  try {
    const path = join(realpathSync(home), proofFile(secret))
    const descriptor = openSync(path, 'wx+', 0o600) // Node opens files with O_CLOEXEC, so no child process inherits it
    rmSync(path)
    const proof = writeProof({ pid: process.pid, descriptor, secret })
    proofs.set(home, proof)
    return proof
  } catch {
    return null
  }
}
